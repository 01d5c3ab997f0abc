"""Rules about KEDA ScaledObjects, whoever wrote them: one judgement for `obs generate` and `obs lint`.

They restate what KEDA, the HPA and their CRDs do not check and what is known to strand or kill work.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from obs.checks.document_places import location_of
from obs.checks.scaling import (
    across,
    backlog,
    behavior,
    bounds,
    drain,
    fields,
    metadata,
    outage,
    query,
    signal,
    together,
    waking,
)
from obs.checks.scaling.reading import is_scaled_object, unrolled, view
from obs.checks.scaling.rule import Bundle, BundleRule, Facts, Flaw, Rule
from obs.checks.scaling.view import at
from obs.documents.load import Document
from obs.model.check import CheckDoc
from obs.model.finding import Finding, Severity

RULES: tuple[Rule, ...] = (
    *waking.RULES,
    *bounds.RULES,
    *outage.RULES,
    *signal.RULES,
    *query.RULES,
    *metadata.RULES,
    *together.RULES,
    *behavior.RULES,
    *fields.RULES,
)
BUNDLE_RULES: tuple[BundleRule, ...] = (*backlog.RULES, *across.RULES, *drain.RULES)

CHECKS: tuple[CheckDoc, ...] = tuple(
    sorted((*(rule.doc for rule in RULES), *(rule.doc for rule in BUNDLE_RULES)), key=lambda doc: doc.code)
)
"""The pages of every rule, by code."""


class Judged(NamedTuple):
    """A flaw with the rule that found it, the document it is in and the name of the object it is about."""

    doc: CheckDoc
    document: Document
    flaw: Flaw
    subject: str

    @property
    def severity(self) -> Severity:
        """Return how bad it is: the flaw's own severity, or the rule's."""
        return self.doc.severity if self.flaw.severity is None else self.flaw.severity


def judge(documents: Sequence[Document], facts: Facts) -> Iterator[Judged]:
    """Yield every flaw of the ScaledObjects among `documents`, each by itself first, then all together."""
    flat = [item for document in documents for item in unrolled(document)]
    scalers = tuple(view(document) for document in flat if is_scaled_object(document))
    others = tuple(document for document in flat if not is_scaled_object(document))
    for scaler in scalers:
        for rule in RULES:
            if scaler.whole or rule.fragments:
                for flaw in rule.judge(scaler, facts):
                    yield Judged(rule.doc, scaler.document, flaw, scaler.name)
    bundle = Bundle(scalers, others)
    for bundle_rule in BUNDLE_RULES:
        for document, flaw in bundle_rule.judge(bundle, facts):
            yield Judged(bundle_rule.doc, document, flaw, str(at(document.data, ("metadata", "name")) or ""))


def check_scaled_objects(documents: Sequence[Document], facts: Facts) -> tuple[Finding, ...]:
    """Return what is wrong with the ScaledObjects among `documents`, ordered by file, line and code.

    The documents may come from several files and hold anything; the workloads, HPAs and fleets among them are judged
    together with the ScaledObjects. A document without a kind that is the spec, or one trigger, of a ScaledObject is
    judged by the rules that make sense for it.
    """
    return tuple(sorted((_finding(judged) for judged in judge(documents, facts)), key=_order))


def _order(finding: Finding) -> tuple[str, int, int, str, str]:
    place = finding.location
    return place.source, place.line, place.column, finding.code, finding.message


def _finding(judged: Judged) -> Finding:
    doc, flaw = judged.doc, judged.flaw
    return Finding(
        code=doc.code,
        slug=doc.slug,
        category=doc.category,
        severity=judged.severity,
        message=flaw.message,
        location=location_of(judged.document, flaw.path),
        remedy=flaw.remedy,
        subject=judged.subject,
        related=tuple(location_of(other, path) for other, path in flaw.related),
    )
