"""OBS403: a metric that is no counter ends in `_total`."""

from __future__ import annotations

from collections.abc import Iterator

from obs.checks.check import Check, Hit, hit
from obs.checks.context import Context
from obs.checks.places import of_family
from obs.exposition import MetricType
from obs.model.check import CheckDoc
from obs.model.finding import Severity

DOC = CheckDoc(
    code="OBS403",
    slug="total-on-non-counter",
    category="style",
    severity=Severity.WARNING,
    summary="The name of a gauge, histogram or summary ends in `_total`.",
    why=("The suffix promises a counter: people rate the series, and the rate of a gauge is nonsense."),
    bad=("# HELP acme_workers_total What it is.\n# TYPE acme_workers_total gauge\nacme_workers_total 1\n"),
    good=("# HELP acme_workers What it is.\n# TYPE acme_workers gauge\nacme_workers 1\n"),
    remedy="Drop the suffix, or make it a counter.",
)

_NOT_COUNTERS = frozenset({MetricType.GAUGE, MetricType.HISTOGRAM, MetricType.SUMMARY})


def find(context: Context) -> Iterator[Hit]:
    """Yield each typed family that has the suffix and is no counter."""
    for family in context.outsiders:
        if family.kind in _NOT_COUNTERS and family.name.endswith("_total"):
            message = f"{family.kind.value} `{family.name}` ends in `_total`, which is for counters"
            place = of_family(context.scrape, family)
            yield hit(message, place, remedy=DOC.remedy, subject=family.name)


CHECK = Check(DOC, find)
