"""Every check there is: of bodies, of documents, and of suppressions themselves."""

from __future__ import annotations

from collections.abc import Iterator

from obs.checks.audit import CHECKS as AUDIT
from obs.checks.catalogue import ALL_CHECKS, LIVE_CHECKS
from obs.checks.manifest import CHECKS as MANIFEST
from obs.checks.rules import CHECKS as RULES
from obs.checks.scaling import CHECKS as SCALING
from obs.model.check import CheckDoc
from obs.report.suppress import SUPPRESSION_CHECKS


def document_checks() -> tuple[CheckDoc, ...]:
    """Return the checks that are not of bodies: of ScaledObjects, rules, manifests and suppressions."""
    return (*SCALING, *RULES, *MANIFEST, *AUDIT, *SUPPRESSION_CHECKS)


def all_docs() -> Iterator[CheckDoc]:
    """Yield the documentation of every check, those of bodies first."""
    for entry in (*ALL_CHECKS, *LIVE_CHECKS):
        yield entry.doc
    yield from document_checks()


def known_words() -> frozenset[str]:
    """Return every code and slug that a suppression may name."""
    return frozenset(word for doc in all_docs() for word in (doc.code, doc.slug))
