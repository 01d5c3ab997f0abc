"""OBS184: a quantile is no number from 0 to 1."""

from __future__ import annotations

from obs.checks.check import FormatCheck
from obs.model.check import CheckDoc
from obs.model.finding import Severity

CHECK = FormatCheck(
    CheckDoc(
        code="OBS184",
        slug="invalid-quantile",
        category="format",
        severity=Severity.ERROR,
        summary="A summary's sample has no `quantile`, or one that is not a number from 0 to 1.",
        why="The label is what makes a series of a summary a quantile. A percentage such as `99` is none.",
        bad=(
            "# HELP acme_wait_seconds What it is.\n"
            "# TYPE acme_wait_seconds summary\n"
            'acme_wait_seconds{quantile="99"} 1\n'
            "acme_wait_seconds_sum 2.5\n"
            "acme_wait_seconds_count 5\n"
        ),
        good=(
            "# HELP acme_wait_seconds What it is.\n"
            "# TYPE acme_wait_seconds summary\n"
            'acme_wait_seconds{quantile="0.99"} 1\n'
            "acme_wait_seconds_sum 2.5\n"
            "acme_wait_seconds_count 5\n"
        ),
        remedy="Write a number from 0 to 1.",
    )
)
