"""OBS115: text follows `# EOF`."""

from __future__ import annotations

from obs.checks.check import FormatCheck
from obs.model.check import CheckDoc
from obs.model.finding import Severity

CHECK = FormatCheck(
    CheckDoc(
        code="OBS115",
        slug="text-after-eof",
        category="format",
        severity=Severity.ERROR,
        summary="Something follows `# EOF` in an OpenMetrics body.",
        why=(
            "A Prometheus server drops the whole scrape because of it, so that every series of the target is "
            "lost. Bodies of several sources that were simply joined end in the middle."
        ),
        bad=(
            "$ obs lint --content-type application/openmetrics-text -\n"
            "# HELP acme_jobs Jobs done.\n"
            "# TYPE acme_jobs counter\n"
            'acme_jobs_total{kind="a"} 1\n'
            "# EOF\n"
            "acme_load 1\n"
        ),
        good=(
            "$ obs lint --content-type application/openmetrics-text -\n"
            "# HELP acme_jobs Jobs done.\n"
            "# TYPE acme_jobs counter\n"
            'acme_jobs_total{kind="a"} 1\n'
            "# EOF\n"
        ),
        remedy="Merge bodies by metric and write `# EOF` once, at the end.",
    )
)
