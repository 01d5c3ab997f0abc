"""OBS108: lines end in CR LF."""

from __future__ import annotations

from obs.checks.check import FormatCheck
from obs.model.check import CheckDoc
from obs.model.finding import Severity

CHECK = FormatCheck(
    CheckDoc(
        code="OBS108",
        slug="crlf-line-endings",
        category="format",
        severity=Severity.ERROR,
        summary="Lines end in carriage return and line feed.",
        why=(
            "A Prometheus server drops the whole scrape because of it, so that every series of the target is "
            "lost. The carriage return becomes part of the value or of the type."
        ),
        bad=(
            "# HELP acme_jobs_total Jobs done.\r\n"
            "# TYPE acme_jobs_total counter\r\n"
            'acme_jobs_total{kind="a"} 1\r\n'
        ),
        good=(
            '# HELP acme_jobs_total Jobs done.\n# TYPE acme_jobs_total counter\nacme_jobs_total{kind="a"} 1\n'
        ),
        remedy="End lines in a line feed alone; check `core.autocrlf` if the file comes from git.",
    )
)
