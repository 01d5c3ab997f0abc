"""OBS179: buckets fall."""

from __future__ import annotations

from obs.checks.check import FormatCheck
from obs.model.check import CheckDoc
from obs.model.finding import Severity

CHECK = FormatCheck(
    CheckDoc(
        code="OBS179",
        slug="falling-buckets",
        category="format",
        severity=Severity.ERROR,
        summary="A bucket holds less than the one below it.",
        why=(
            "Buckets are cumulative: each counts all observations up to its bound. With counts for each interval "
            "every quantile is wrong."
        ),
        bad=(
            "# HELP acme_wait_seconds Time waited.\n"
            "# TYPE acme_wait_seconds histogram\n"
            'acme_wait_seconds_bucket{le="0.1"} 3\n'
            'acme_wait_seconds_bucket{le="0.5"} 2\n'
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
        remedy="Add up the buckets.",
    )
)
