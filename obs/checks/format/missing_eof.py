"""OBS114: an OpenMetrics body does not end in `# EOF`."""

from __future__ import annotations

from obs.checks.check import FormatCheck
from obs.model.check import CheckDoc
from obs.model.finding import Severity

CHECK = FormatCheck(
    CheckDoc(
        code="OBS114",
        slug="missing-eof",
        category="format",
        severity=Severity.ERROR,
        summary="An OpenMetrics body does not end with `# EOF`.",
        why=(
            "The mark is how OpenMetrics tells a complete body from one that was cut off. A Prometheus server "
            "drops the whole scrape because of it, so that every series of the target is lost."
        ),
        bad=(
            "$ obs lint --content-type application/openmetrics-text -\n"
            "# HELP acme_jobs Jobs done.\n"
            "# TYPE acme_jobs counter\n"
            'acme_jobs_total{kind="a"} 1\n'
        ),
        good=(
            "$ obs lint --content-type application/openmetrics-text -\n"
            "# HELP acme_jobs Jobs done.\n"
            "# TYPE acme_jobs counter\n"
            'acme_jobs_total{kind="a"} 1\n'
            "# EOF\n"
        ),
        remedy="Write `# EOF` as the last line.",
    )
)
