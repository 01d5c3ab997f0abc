"""OBS113: the body is cut off inside a line."""

from __future__ import annotations

from obs.checks.check import FormatCheck
from obs.model.check import CheckDoc
from obs.model.finding import Severity

CHECK = FormatCheck(
    CheckDoc(
        code="OBS113",
        slug="truncated-body",
        category="format",
        severity=Severity.ERROR,
        summary="The body ends in the middle of a line.",
        why=(
            "A Prometheus server drops the whole scrape because of it, so that every series of the target is "
            "lost. The process was killed or the connection closed while it was sent. Nothing that may have come "
            "after the cut is called absent."
        ),
        bad=(
            "# HELP acme_jobs_total Jobs done.\n"
            "# TYPE acme_jobs_total counter\n"
            'acme_jobs_total{kind="a"} 1\n'
            "acme_jobs_total{kin"
        ),
        good=(
            '# HELP acme_jobs_total Jobs done.\n# TYPE acme_jobs_total counter\nacme_jobs_total{kind="a"} 1\n'
        ),
        remedy="Compare Content-Length with what arrived; look for time-outs and restarts of the exporter.",
    )
)
