"""OBS125: a label value is not in double quotes."""

from __future__ import annotations

from obs.checks.check import FormatCheck
from obs.model.check import CheckDoc
from obs.model.finding import Severity

CHECK = FormatCheck(
    CheckDoc(
        code="OBS125",
        slug="unquoted-label-value",
        category="format",
        severity=Severity.ERROR,
        summary="A label value is not in double quotes.",
        why=(
            "A Prometheus server drops the whole scrape because of it, so that every series of the target is "
            "lost. Numbers and words are quoted too, and with double quotes only."
        ),
        bad=(
            "# HELP acme_jobs_total Jobs done.\n# TYPE acme_jobs_total counter\nacme_jobs_total{kind=a} 1\n"
        ),
        good=(
            '# HELP acme_jobs_total Jobs done.\n# TYPE acme_jobs_total counter\nacme_jobs_total{kind="a"} 1\n'
        ),
        remedy="Put the value in double quotes.",
    )
)
