"""OBS178: a histogram lacks its last bucket."""

from __future__ import annotations

from obs.checks.check import FormatCheck
from obs.model.check import CheckDoc
from obs.model.finding import Severity

CHECK = FormatCheck(
    CheckDoc(
        code="OBS178",
        slug="histogram-without-inf",
        category="format",
        severity=Severity.ERROR,
        summary='A histogram has no bucket `le="+Inf"`.',
        why="Without it quantiles are NaN, and nothing says why. It holds all observations.",
        bad=(
            "# HELP acme_wait_seconds Time waited.\n"
            "# TYPE acme_wait_seconds histogram\n"
            'acme_wait_seconds_bucket{le="0.1"} 3\n'
            "acme_wait_seconds_sum 2.5\n"
            "acme_wait_seconds_count 3\n"
        ),
        good=(
            "# HELP acme_wait_seconds Time waited.\n"
            "# TYPE acme_wait_seconds histogram\n"
            'acme_wait_seconds_bucket{le="0.1"} 3\n'
            'acme_wait_seconds_bucket{le="+Inf"} 5\n'
            "acme_wait_seconds_sum 2.5\n"
            "acme_wait_seconds_count 5\n"
        ),
        remedy='Write the bucket `le="+Inf"`, equal to the count.',
    )
)
