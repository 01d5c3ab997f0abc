"""OBS135: a timestamp seems to be in the other format's unit."""

from __future__ import annotations

from obs.checks.check import FormatCheck
from obs.model.check import CheckDoc
from obs.model.finding import Severity

CHECK = FormatCheck(
    CheckDoc(
        code="OBS135",
        slug="timestamp-unit",
        category="format",
        severity=Severity.WARNING,
        summary="A timestamp is in seconds where the format has milliseconds, or the reverse.",
        why=(
            "The sample is dated 1970, or tens of thousands of years from now. The server refuses it as too old "
            "or too new, and the series never appears."
        ),
        bad=("# HELP acme_load Load.\n# TYPE acme_load gauge\nacme_load 1 1767225600\n"),
        good=("# HELP acme_load Load.\n# TYPE acme_load gauge\nacme_load 1\n"),
        remedy="Write milliseconds in text 0.0.4, seconds in OpenMetrics; or leave timestamps out.",
    )
)
