"""OBS402: a counter's name does not end in `_total`."""

from __future__ import annotations

from collections.abc import Iterator

from obs.checks.check import Check, Hit, hit
from obs.checks.context import Context
from obs.checks.places import of_family
from obs.exposition import MetricType
from obs.model.check import CheckDoc
from obs.model.finding import Severity

DOC = CheckDoc(
    code="OBS402",
    slug="counter-without-total",
    category="style",
    severity=Severity.WARNING,
    summary="The name of a counter does not end in `_total`.",
    why=(
        "The suffix tells a reader of an expression that the series must be rated, and OpenMetrics requires it, so "
        "that the same counter has two names where a client changes formats."
    ),
    bad=("# HELP acme_jobs What it is.\n# TYPE acme_jobs counter\nacme_jobs 1\n"),
    good=("# HELP acme_jobs_total What it is.\n# TYPE acme_jobs_total counter\nacme_jobs_total 1\n"),
    remedy="Append `_total` to the name.",
)


def find(context: Context) -> Iterator[Hit]:
    """Yield each counter without the suffix (in OpenMetrics the format itself requires it)."""
    for family in context.outsiders:
        if family.kind is MetricType.COUNTER and not context.metric_name(family).endswith("_total"):
            message = f"counter `{family.name}` does not end in `_total`"
            place = of_family(context.scrape, family)
            yield hit(message, place, remedy=f"call it `{family.name}_total`", subject=family.name)


CHECK = Check(DOC, find)
