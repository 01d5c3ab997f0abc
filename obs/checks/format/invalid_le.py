"""OBS183: a bucket's bound is no number."""

from __future__ import annotations

from obs.checks.check import FormatCheck
from obs.model.check import CheckDoc
from obs.model.finding import Severity

CHECK = FormatCheck(
    CheckDoc(
        code="OBS183",
        slug="invalid-le",
        category="format",
        severity=Severity.ERROR,
        summary="A bucket has no `le`, or one that is not a number.",
        why="The bound is what makes a series a bucket. Quantiles leave out series without one.",
        bad=(
            "# HELP acme_wait_seconds Time waited.\n"
            "# TYPE acme_wait_seconds histogram\n"
            'acme_wait_seconds_bucket{le="low"} 3\n'
            'acme_wait_seconds_bucket{le="+Inf"} 5\n'
            "acme_wait_seconds_sum 2.5\n"
            "acme_wait_seconds_count 5\n"
        ),
        good=(
            "# HELP acme_wait_seconds Time waited.\n"
            "# TYPE acme_wait_seconds histogram\n"
            'acme_wait_seconds_bucket{le="0.1"} 3\n'
            'acme_wait_seconds_bucket{le="+Inf"} 5\n'
            "acme_wait_seconds_sum 2.5\n"
            "acme_wait_seconds_count 5\n"
        ),
        remedy="Write a number.",
    )
)
