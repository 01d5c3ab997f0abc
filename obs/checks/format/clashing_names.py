"""OBS172: a name belongs to two metrics."""

from __future__ import annotations

from obs.checks.check import FormatCheck
from obs.model.check import CheckDoc
from obs.model.finding import Severity

CHECK = FormatCheck(
    CheckDoc(
        code="OBS172",
        slug="clashing-names",
        category="format",
        severity=Severity.ERROR,
        summary="A sample name belongs to two metrics.",
        why=(
            "A histogram owns the names of its parts. Another metric of such a name mixes with it in every "
            "expression."
        ),
        bad=(
            "# HELP acme_wait_seconds Time waited.\n"
            "# TYPE acme_wait_seconds histogram\n"
            'acme_wait_seconds_bucket{le="0.1"} 3\n'
            'acme_wait_seconds_bucket{le="+Inf"} 5\n'
            "acme_wait_seconds_sum 2.5\n"
            "acme_wait_seconds_count 5\n"
            "# HELP acme_wait_seconds_count Waits.\n"
            "# TYPE acme_wait_seconds_count untyped\n"
            'acme_wait_seconds_count{q="b"} 1\n'
        ),
        good=(
            "# HELP acme_wait_seconds Time waited.\n"
            "# TYPE acme_wait_seconds histogram\n"
            'acme_wait_seconds_bucket{le="0.1"} 3\n'
            'acme_wait_seconds_bucket{le="+Inf"} 5\n'
            "acme_wait_seconds_sum 2.5\n"
            "acme_wait_seconds_count 5\n"
        ),
        remedy="Rename one of the two.",
    )
)
