"""OBS124: a label value has no closing quote."""

from __future__ import annotations

from obs.checks.check import FormatCheck
from obs.model.check import CheckDoc
from obs.model.finding import Severity

CHECK = FormatCheck(
    CheckDoc(
        code="OBS124",
        slug="unterminated-label-value",
        category="format",
        severity=Severity.ERROR,
        summary="A label value has no closing quote.",
        why=(
            "A Prometheus server drops the whole scrape because of it, so that every series of the target is "
            "lost. A raw line feed inside the value is the usual cause."
        ),
        bad=(
            "# HELP acme_jobs_total Jobs done.\n"
            "# TYPE acme_jobs_total counter\n"
            'acme_jobs_total{kind="a} 1\n'
            'acme_jobs_total{kind="c"} 1\n'
        ),
        good=(
            '# HELP acme_jobs_total Jobs done.\n# TYPE acme_jobs_total counter\nacme_jobs_total{kind="a"} 1\n'
        ),
        remedy="Close the quote; escape a line feed as `\\n`.",
    )
)
