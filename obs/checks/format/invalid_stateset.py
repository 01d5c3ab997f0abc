"""OBS189: a state is neither 0 nor 1."""

from __future__ import annotations

from obs.checks.check import FormatCheck
from obs.model.check import CheckDoc
from obs.model.finding import Severity

CHECK = FormatCheck(
    CheckDoc(
        code="OBS189",
        slug="invalid-stateset",
        category="format",
        severity=Severity.ERROR,
        summary="A sample of an OpenMetrics stateset is not 0 or 1, or lacks the label with the state.",
        why="A stateset has one series a state, 1 where it holds, under a label with the metric's own name.",
        bad=(
            "# HELP acme_mode Mode.\n"
            "# TYPE acme_mode stateset\n"
            'acme_mode{acme_mode="busy"} 2\n'
            'acme_mode{acme_mode="idle"} 0\n'
            "# EOF\n"
        ),
        good=(
            "# HELP acme_mode Mode.\n"
            "# TYPE acme_mode stateset\n"
            'acme_mode{acme_mode="busy"} 1\n'
            'acme_mode{acme_mode="idle"} 0\n'
            "# EOF\n"
        ),
        remedy="Write 0 or 1.",
    )
)
