"""OBS158: HELP or TYPE after the samples."""

from __future__ import annotations

from obs.checks.check import FormatCheck
from obs.model.check import CheckDoc
from obs.model.finding import Severity

CHECK = FormatCheck(
    CheckDoc(
        code="OBS158",
        slug="late-metadata",
        category="format",
        severity=Severity.ERROR,
        summary="A HELP, TYPE or UNIT line comes after samples of its metric.",
        why=(
            "What was read before the line was read without it; the same metric has two types in one body. Strict "
            "parsers refuse it."
        ),
        bad=("# HELP acme_load Load.\nacme_load 1\n# TYPE acme_load gauge\n"),
        good=("# HELP acme_load Load.\n# TYPE acme_load gauge\nacme_load 1\n"),
        remedy="Write HELP and TYPE before the samples.",
    )
)
