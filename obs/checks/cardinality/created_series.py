"""OBS310: `_created` series double the number of series."""

from __future__ import annotations

from collections.abc import Iterator

from obs.checks.check import Check, Hit, hit
from obs.checks.context import Context
from obs.checks.places import of_family
from obs.model.check import CheckDoc
from obs.model.finding import Severity

DOC = CheckDoc(
    code="OBS310",
    slug="created-series",
    category="cardinality",
    severity=Severity.INFO,
    summary="The body has `_created` gauges beside its counters, histograms and summaries.",
    why=(
        "Clients that know OpenMetrics write for each of them when it was created. In text 0.0.4 that is one more "
        "series for each labelled series, which hardly anybody asks for."
    ),
    bad=(
        '# HELP acme_jobs_total Jobs.\n# TYPE acme_jobs_total counter\nacme_jobs_total{kind="a"} 1\n'
        '# HELP acme_jobs_created Jobs.\n# TYPE acme_jobs_created gauge\nacme_jobs_created{kind="a"} 1.7e+09\n'
    ),
    good=('# HELP acme_jobs_total Jobs.\n# TYPE acme_jobs_total counter\nacme_jobs_total{kind="a"} 1\n'),
    remedy="Switch them off; in the Python client with `disable_created_metrics()`.",
)


def find(context: Context) -> Iterator[Hit]:
    """Yield one hit for the whole body."""
    created = [family for family in context.scrape.families if context.is_created(family)]
    if created:
        count = sum(family.series_count for family in created)
        metrics = "1 metric" if len(created) == 1 else f"{len(created)} metrics"
        message = f"{count} of {context.scrape.series_count} series are `_created`, of {metrics}"
        yield hit(message, of_family(context.scrape, created[0]), remedy=DOC.remedy, subject="*_created")


CHECK = Check(DOC, find)
