"""OBS187: a sum that is no counter."""

from __future__ import annotations

from obs.checks.check import FormatCheck
from obs.model.check import CheckDoc
from obs.model.finding import Severity

CHECK = FormatCheck(
    CheckDoc(
        code="OBS187",
        slug="sum-with-negative-buckets",
        category="format",
        severity=Severity.ERROR,
        summary="An OpenMetrics histogram with negative buckets has a `_sum`.",
        why="With negative observations the sum can fall, so it is no counter, and its rate means nothing.",
        bad=(
            "# HELP acme_wait_seconds Time waited.\n"
            "# TYPE acme_wait_seconds histogram\n"
            'acme_wait_seconds_bucket{le="-1.0"} 3\n'
            'acme_wait_seconds_bucket{le="+Inf"} 5\n'
            "acme_wait_seconds_count 5\n"
            "acme_wait_seconds_sum 2.5\n"
            "# EOF\n"
        ),
        good=(
            "# HELP acme_wait_seconds Time waited.\n"
            "# TYPE acme_wait_seconds histogram\n"
            'acme_wait_seconds_bucket{le="-1.0"} 3\n'
            'acme_wait_seconds_bucket{le="+Inf"} 5\n'
            "# EOF\n"
        ),
        remedy="Leave the sum out.",
    )
)
