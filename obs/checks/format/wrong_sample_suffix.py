"""OBS173: a sample does not fit the type of its metric."""

from __future__ import annotations

from obs.checks.check import FormatCheck
from obs.model.check import CheckDoc
from obs.model.finding import Severity

CHECK = FormatCheck(
    CheckDoc(
        code="OBS173",
        slug="wrong-sample-suffix",
        category="format",
        severity=Severity.ERROR,
        summary="A sample's name has a suffix that the type of its metric does not have.",
        why=(
            "A Prometheus server drops the whole scrape because of it, so that every series of the target is "
            "lost. In OpenMetrics a counter's sample ends in `_total`, for instance."
        ),
        bad=('# HELP acme_jobs Jobs done.\n# TYPE acme_jobs counter\nacme_jobs{kind="a"} 1\n# EOF\n'),
        good=('# HELP acme_jobs Jobs done.\n# TYPE acme_jobs counter\nacme_jobs_total{kind="a"} 1\n# EOF\n'),
        remedy="Follow the type: see the suffixes of each metric type.",
    )
)
