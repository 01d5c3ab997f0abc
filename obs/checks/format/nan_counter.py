"""OBS176: a counter is not a number."""

from __future__ import annotations

from obs.checks.check import FormatCheck
from obs.model.check import CheckDoc
from obs.model.finding import Severity

CHECK = FormatCheck(
    CheckDoc(
        code="OBS176",
        slug="nan-counter",
        category="format",
        severity=Severity.ERROR,
        summary="The value of a counter is NaN.",
        why="A rate over it is NaN as well, and so is every sum that contains it.",
        bad=(
            "# HELP acme_jobs_total Jobs done.\n"
            "# TYPE acme_jobs_total counter\n"
            'acme_jobs_total{kind="a"} NaN\n'
        ),
        good=(
            '# HELP acme_jobs_total Jobs done.\n# TYPE acme_jobs_total counter\nacme_jobs_total{kind="a"} 1\n'
        ),
        remedy="Start counters at 0, and count only what is a number.",
    )
)
