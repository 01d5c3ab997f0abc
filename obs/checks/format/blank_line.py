"""OBS139: a blank line in OpenMetrics."""

from __future__ import annotations

from obs.checks.check import FormatCheck
from obs.model.check import CheckDoc
from obs.model.finding import Severity

CHECK = FormatCheck(
    CheckDoc(
        code="OBS139",
        slug="blank-line",
        category="format",
        severity=Severity.ERROR,
        summary="An OpenMetrics body has a blank line.",
        why=(
            "A Prometheus server drops the whole scrape because of it, so that every series of the target is "
            "lost. Text 0.0.4 allows blank lines, OpenMetrics does not."
        ),
        bad=('# HELP acme_jobs Jobs done.\n# TYPE acme_jobs counter\n\nacme_jobs_total{kind="a"} 1\n# EOF\n'),
        good=('# HELP acme_jobs Jobs done.\n# TYPE acme_jobs counter\nacme_jobs_total{kind="a"} 1\n# EOF\n'),
        remedy="Remove it.",
    )
)
