"""OBS177: a counter is negative."""

from __future__ import annotations

from obs.checks.check import FormatCheck
from obs.model.check import CheckDoc
from obs.model.finding import Severity

CHECK = FormatCheck(
    CheckDoc(
        code="OBS177",
        slug="negative-counter",
        category="format",
        severity=Severity.ERROR,
        summary="The value of a counter is negative.",
        why="A counter starts at 0 and only grows. A negative one is a gauge, or has overflowed.",
        bad=(
            "# HELP acme_jobs_total Jobs done.\n"
            "# TYPE acme_jobs_total counter\n"
            'acme_jobs_total{kind="a"} -5\n'
        ),
        good=(
            '# HELP acme_jobs_total Jobs done.\n# TYPE acme_jobs_total counter\nacme_jobs_total{kind="a"} 1\n'
        ),
        remedy="Make it a gauge, or find the overflow.",
    )
)
