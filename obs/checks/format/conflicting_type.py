"""OBS155: two TYPE lines that differ."""

from __future__ import annotations

from obs.checks.check import FormatCheck
from obs.model.check import CheckDoc
from obs.model.finding import Severity

CHECK = FormatCheck(
    CheckDoc(
        code="OBS155",
        slug="conflicting-type",
        category="format",
        severity=Severity.ERROR,
        summary="A metric has two TYPE lines that differ.",
        why=(
            "A Prometheus server drops the whole scrape because of it, so that every series of the target is "
            "lost. Two parts of a program use one name for two things."
        ),
        bad=("# HELP acme_load Load.\n# TYPE acme_load gauge\n# TYPE acme_load counter\nacme_load 1\n"),
        good=("# HELP acme_load Load.\n# TYPE acme_load gauge\nacme_load 1\n"),
        remedy="Rename one of the two metrics.",
    )
)
