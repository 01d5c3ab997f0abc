"""OBS181: two buckets have the same bound."""

from __future__ import annotations

from obs.checks.check import FormatCheck
from obs.model.check import CheckDoc
from obs.model.finding import Severity

CHECK = FormatCheck(
    CheckDoc(
        code="OBS181",
        slug="duplicate-bucket",
        category="format",
        severity=Severity.ERROR,
        summary="Two buckets of a histogram have the same bound.",
        why=(
            'The bounds are numbers: `le="1"` and `le="1.0"` are one bucket, written twice. A server stores them '
            "as two series."
        ),
        bad=(
            "# HELP acme_wait_seconds Time waited.\n"
            "# TYPE acme_wait_seconds histogram\n"
            'acme_wait_seconds_bucket{le="1"} 3\n'
            'acme_wait_seconds_bucket{le="1.0"} 3\n'
            'acme_wait_seconds_bucket{le="+Inf"} 5\n'
            "acme_wait_seconds_sum 2.5\n"
            "acme_wait_seconds_count 5\n"
        ),
        good=(
            "# HELP acme_wait_seconds Time waited.\n"
            "# TYPE acme_wait_seconds histogram\n"
            'acme_wait_seconds_bucket{le="1.0"} 3\n'
            'acme_wait_seconds_bucket{le="+Inf"} 5\n'
            "acme_wait_seconds_sum 2.5\n"
            "acme_wait_seconds_count 5\n"
        ),
        remedy="Write each bound once and always in the same way.",
    )
)
