"""OBS186: a histogram has no sum."""

from __future__ import annotations

from obs.checks.check import FormatCheck
from obs.model.check import CheckDoc
from obs.model.finding import Severity

CHECK = FormatCheck(
    CheckDoc(
        code="OBS186",
        slug="missing-sum",
        category="format",
        severity=Severity.ERROR,
        summary="An OpenMetrics histogram has a `_count` and no `_sum`.",
        why="OpenMetrics wants both or neither; averages divide one by the other.",
        bad=(
            "# HELP acme_wait_seconds Time waited.\n"
            "# TYPE acme_wait_seconds histogram\n"
            'acme_wait_seconds_bucket{le="0.1"} 3\n'
            'acme_wait_seconds_bucket{le="+Inf"} 5\n'
            "acme_wait_seconds_count 5\n"
            "# EOF\n"
        ),
        good=(
            "# HELP acme_wait_seconds Time waited.\n"
            "# TYPE acme_wait_seconds histogram\n"
            'acme_wait_seconds_bucket{le="0.1"} 3\n'
            'acme_wait_seconds_bucket{le="+Inf"} 5\n'
            "acme_wait_seconds_count 5\n"
            "acme_wait_seconds_sum 2.5\n"
            "# EOF\n"
        ),
        remedy="Write both or neither.",
    )
)
