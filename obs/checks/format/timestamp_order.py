"""OBS175: timestamps of a series do not rise."""

from __future__ import annotations

from obs.checks.check import FormatCheck
from obs.model.check import CheckDoc
from obs.model.finding import Severity

CHECK = FormatCheck(
    CheckDoc(
        code="OBS175",
        slug="timestamp-order",
        category="format",
        severity=Severity.ERROR,
        summary="In OpenMetrics the timestamps of one series do not rise, or only some samples have one.",
        why="A server refuses samples that are older than the last one it has.",
        bad=(
            "# HELP acme_load Load.\n"
            "# TYPE acme_load gauge\n"
            "acme_load 1 1767225600\n"
            "acme_load 2 1767225500\n"
            "# EOF\n"
        ),
        good=("# HELP acme_load Load.\n# TYPE acme_load gauge\nacme_load 2\n# EOF\n"),
        remedy="Write the points of a series in order of time, all with a timestamp or none.",
    )
)
