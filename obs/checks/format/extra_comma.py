"""OBS129: a comma without a label."""

from __future__ import annotations

from obs.checks.check import FormatCheck
from obs.model.check import CheckDoc
from obs.model.finding import Severity

CHECK = FormatCheck(
    CheckDoc(
        code="OBS129",
        slug="extra-comma",
        category="format",
        severity=Severity.ERROR,
        summary="There is a comma where a label is missing.",
        why=(
            "A Prometheus server drops the whole scrape because of it, so that every series of the target is "
            "lost. An empty label was left out, but its comma was not."
        ),
        bad=(
            "# HELP acme_jobs_total Jobs done.\n"
            "# TYPE acme_jobs_total counter\n"
            'acme_jobs_total{kind="a",,queue="q"} 1\n'
        ),
        good=(
            "# HELP acme_jobs_total Jobs done.\n"
            "# TYPE acme_jobs_total counter\n"
            'acme_jobs_total{kind="a",queue="q"} 1\n'
        ),
        remedy="Remove the comma.",
    )
)
