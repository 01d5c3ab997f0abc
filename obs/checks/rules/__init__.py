"""Checks of Prometheus rules, whoever wrote them: offline, against the registry, in files and in objects."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from obs.checks.document_places import location_of
from obs.checks.rules import expression, labels, naming, objects, pitfalls, structure, windows
from obs.checks.rules.rule import Facts, Flaw, RuleCheck
from obs.checks.rules.view import RuleFile, is_rule_file, rule_file
from obs.documents.load import Document
from obs.model.check import CheckDoc
from obs.model.finding import Finding
from obs.promql.catalog import Catalog, SeriesFacts
from obs.promql.check import output_labels

RULES: tuple[RuleCheck, ...] = (
    *structure.CHECKS,
    *naming.CHECKS,
    *expression.CHECKS,
    *labels.CHECKS,
    *windows.CHECKS,
    *pitfalls.CHECKS,
    *objects.CHECKS,
)

CHECKS: tuple[CheckDoc, ...] = tuple(sorted((check.doc for check in RULES), key=lambda doc: doc.code))
"""The pages of every check, by code."""


def check_rules(documents: Sequence[Document], facts: Facts) -> tuple[Finding, ...]:
    """Return what is wrong with the rule files and PrometheusRule objects among `documents`, by file and line.

    A series that one of the documents records is known to all of them; other documents are left alone.
    """
    files = [rule_file(document) for document in documents if is_rule_file(document)]
    known = replace(facts, catalog=_with_recorded(files, facts.catalog))
    found = [
        _finding(check.doc, file.document, flaw)
        for file in files
        for check in RULES
        for flaw in check.judge(file, known)
    ]
    return tuple(sorted(found, key=_order))


def _with_recorded(files: Sequence[RuleFile], catalog: Catalog) -> Catalog:
    """Return the catalogue with every recorded series: twice, so that the order of rules does not matter."""
    for _ in range(2):
        catalog = catalog.with_recorded(_recorded(files, catalog))
    return catalog


def _recorded(files: Sequence[RuleFile], catalog: Catalog) -> Iterator[SeriesFacts]:
    for file in files:
        for rule in file.rules:
            if not rule.is_alert and rule.name and catalog.find(rule.name) is None:
                found = output_labels(rule.expr, catalog) if rule.tree is not None else frozenset()
                if found is not None:
                    own = frozenset(map(str, rule.texts("labels")))
                    yield SeriesFacts(rule.name, "gauge", found | own)


def _order(finding: Finding) -> tuple[str, int, int, str, str]:
    place = finding.location
    return place.source, place.line, place.column, finding.code, finding.message


def _finding(doc: CheckDoc, document: Document, flaw: Flaw) -> Finding:
    return Finding(
        code=doc.code,
        slug=doc.slug,
        category=doc.category,
        severity=doc.severity if flaw.severity is None else flaw.severity,
        message=flaw.message,
        location=location_of(document, flaw.path),
        remedy=flaw.remedy,
        subject=flaw.subject,
        related=tuple(location_of(other, path) for other, path in flaw.related),
    )
