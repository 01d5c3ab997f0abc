"""OBS131: a sample has no value."""

from __future__ import annotations

from obs.checks.check import FormatCheck
from obs.model.check import CheckDoc
from obs.model.finding import Severity

CHECK = FormatCheck(
    CheckDoc(
        code="OBS131",
        slug="missing-value",
        category="format",
        severity=Severity.ERROR,
        summary="A sample has no value.",
        why=(
            "A Prometheus server drops the whole scrape because of it, so that every series of the target is "
            "lost. A value that is not known was printed as nothing."
        ),
        bad=(
            "# HELP acme_jobs_total Jobs done.\n"
            "# TYPE acme_jobs_total counter\n"
            "acme_jobs_total\n"
            'acme_jobs_total{kind="c"} 1\n'
        ),
        good=(
            '# HELP acme_jobs_total Jobs done.\n# TYPE acme_jobs_total counter\nacme_jobs_total{kind="a"} 1\n'
        ),
        remedy="Write the value, or leave the whole line out.",
    )
)
