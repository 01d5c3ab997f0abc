"""OBS138: blanks where OpenMetrics has none."""

from __future__ import annotations

from obs.checks.check import FormatCheck
from obs.model.check import CheckDoc
from obs.model.finding import Severity

CHECK = FormatCheck(
    CheckDoc(
        code="OBS138",
        slug="whitespace",
        category="format",
        severity=Severity.ERROR,
        summary="An OpenMetrics line has other blanks than single spaces between its tokens.",
        why=(
            "A Prometheus server drops the whole scrape because of it, so that every series of the target is "
            "lost. OpenMetrics allows exactly one space between tokens."
        ),
        bad=('# HELP acme_jobs Jobs done.\n# TYPE acme_jobs counter\nacme_jobs_total{kind="a"}  1\n# EOF\n'),
        good=('# HELP acme_jobs Jobs done.\n# TYPE acme_jobs counter\nacme_jobs_total{kind="a"} 1\n# EOF\n'),
        remedy="Write single spaces.",
    )
)
