"""OBS128: no comma between two labels."""

from __future__ import annotations

from obs.checks.check import FormatCheck
from obs.model.check import CheckDoc
from obs.model.finding import Severity

CHECK = FormatCheck(
    CheckDoc(
        code="OBS128",
        slug="missing-comma",
        category="format",
        severity=Severity.ERROR,
        summary="Two labels are not separated by a comma.",
        why=(
            "A Prometheus server drops the whole scrape because of it, so that every series of the target is "
            "lost. A list of labels was put together by hand."
        ),
        bad=(
            "# HELP acme_jobs_total Jobs done.\n"
            "# TYPE acme_jobs_total counter\n"
            'acme_jobs_total{kind="a" queue="q"} 1\n'
        ),
        good=(
            "# HELP acme_jobs_total Jobs done.\n"
            "# TYPE acme_jobs_total counter\n"
            'acme_jobs_total{kind="a",queue="q"} 1\n'
        ),
        remedy="Separate labels by a comma.",
    )
)
