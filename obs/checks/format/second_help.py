"""OBS156: a second HELP line."""

from __future__ import annotations

from obs.checks.check import FormatCheck
from obs.model.check import CheckDoc
from obs.model.finding import Severity

CHECK = FormatCheck(
    CheckDoc(
        code="OBS156",
        slug="second-help",
        category="format",
        severity=Severity.ERROR,
        summary="A metric has a second HELP line.",
        why=(
            "A Prometheus server drops the whole scrape because of it, so that every series of the target is "
            "lost. The metric was registered twice, or two bodies were joined."
        ),
        bad=("# HELP acme_load Load.\n# TYPE acme_load gauge\n# HELP acme_load The load.\nacme_load 1\n"),
        good=("# HELP acme_load Load.\n# TYPE acme_load gauge\nacme_load 1\n"),
        remedy="Describe each metric once.",
    )
)
