"""OBS126: an escape that does not exist."""

from __future__ import annotations

from obs.checks.check import FormatCheck
from obs.model.check import CheckDoc
from obs.model.finding import Severity

CHECK = FormatCheck(
    CheckDoc(
        code="OBS126",
        slug="unknown-escape",
        category="format",
        severity=Severity.ERROR,
        summary="A label value or HELP text holds an escape that the format does not have.",
        why=(
            "There are three: a backslash, a double quote and a line feed. Others come from a language's debug "
            "printing; parsers refuse them or read something else."
        ),
        bad=(
            "# HELP acme_jobs_total Jobs done.\n"
            "# TYPE acme_jobs_total counter\n"
            'acme_jobs_total{kind="a\\tb"} 1\n'
        ),
        good=(
            '# HELP acme_jobs_total Jobs done.\n# TYPE acme_jobs_total counter\nacme_jobs_total{kind="a"} 1\n'
        ),
        remedy="Write the character itself, in UTF-8.",
    )
)
