"""OBS171: the samples of one label set are scattered."""

from __future__ import annotations

from obs.checks.check import FormatCheck
from obs.model.check import CheckDoc
from obs.model.finding import Severity

CHECK = FormatCheck(
    CheckDoc(
        code="OBS171",
        slug="interleaved-series",
        category="format",
        severity=Severity.ERROR,
        summary="OpenMetrics samples with the same labels continue after others.",
        why=(
            "OpenMetrics wants all samples of one label set together, such as the buckets, sum and count of a "
            "histogram."
        ),
        bad=(
            "# HELP acme_wait_seconds Wait.\n"
            "# TYPE acme_wait_seconds summary\n"
            'acme_wait_seconds_count{q="a"} 1\n'
            'acme_wait_seconds_count{q="b"} 1\n'
            'acme_wait_seconds_sum{q="a"} 1\n'
            'acme_wait_seconds_sum{q="b"} 1\n'
            "# EOF\n"
        ),
        good=(
            "# HELP acme_wait_seconds Wait.\n"
            "# TYPE acme_wait_seconds summary\n"
            'acme_wait_seconds_count{q="a"} 1\n'
            'acme_wait_seconds_sum{q="a"} 1\n'
            'acme_wait_seconds_count{q="b"} 1\n'
            'acme_wait_seconds_sum{q="b"} 1\n'
            "# EOF\n"
        ),
        remedy="Write all samples with the same labels together.",
    )
)
