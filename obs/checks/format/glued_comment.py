"""OBS150: a HELP or TYPE line that is read as a comment."""

from __future__ import annotations

from obs.checks.check import FormatCheck
from obs.model.check import CheckDoc
from obs.model.finding import Severity

CHECK = FormatCheck(
    CheckDoc(
        code="OBS150",
        slug="glued-comment",
        category="format",
        severity=Severity.WARNING,
        summary="A line looks like HELP or TYPE and is an ordinary comment.",
        why="Without the blank after `#` the line means nothing: the metric has no type, and nobody says so.",
        bad=("# HELP acme_load Load.\n#TYPE acme_load gauge\nacme_load 1\n"),
        good=("# HELP acme_load Load.\n# TYPE acme_load gauge\nacme_load 1\n"),
        remedy="Write `# HELP ` and `# TYPE ` with single spaces.",
    )
)
