"""OBS182: buckets are not in order."""

from __future__ import annotations

from obs.checks.check import FormatCheck
from obs.model.check import CheckDoc
from obs.model.finding import Severity

CHECK = FormatCheck(
    CheckDoc(
        code="OBS182",
        slug="bucket-order",
        category="format",
        severity=Severity.ERROR,
        summary="The buckets of an OpenMetrics histogram are not in ascending order.",
        why="OpenMetrics wants them in order of their bounds.",
        bad=(
            "# HELP acme_wait_seconds Time waited.\n"
            "# TYPE acme_wait_seconds histogram\n"
            'acme_wait_seconds_bucket{le="+Inf"} 5\n'
            'acme_wait_seconds_bucket{le="0.1"} 3\n'
            "acme_wait_seconds_count 5\n"
            "acme_wait_seconds_sum 2.5\n"
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
        remedy="Write buckets in ascending order of `le`.",
    )
)
