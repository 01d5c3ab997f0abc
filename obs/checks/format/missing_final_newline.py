"""OBS112: the last line does not end."""

from __future__ import annotations

from obs.checks.check import FormatCheck
from obs.model.check import CheckDoc
from obs.model.finding import Severity

CHECK = FormatCheck(
    CheckDoc(
        code="OBS112",
        slug="missing-final-newline",
        category="format",
        severity=Severity.ERROR,
        summary="The last line of the body does not end in a line feed.",
        why=(
            "The format requires it, and strict parsers fail at the end of such a body. It also makes a complete "
            "body look like one that was cut off."
        ),
        bad=(
            '# HELP acme_jobs_total Jobs done.\n# TYPE acme_jobs_total counter\nacme_jobs_total{kind="a"} 1'
        ),
        good=(
            '# HELP acme_jobs_total Jobs done.\n# TYPE acme_jobs_total counter\nacme_jobs_total{kind="a"} 1\n'
        ),
        remedy="End the body with a line feed.",
    )
)
