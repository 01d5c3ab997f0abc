"""OBS132: a number has a decimal comma."""

from __future__ import annotations

from obs.checks.check import FormatCheck
from obs.model.check import CheckDoc
from obs.model.finding import Severity

CHECK = FormatCheck(
    CheckDoc(
        code="OBS132",
        slug="decimal-comma",
        category="format",
        severity=Severity.ERROR,
        summary="A number has a comma in place of the decimal point.",
        why=(
            "A Prometheus server drops the whole scrape because of it, so that every series of the target is "
            "lost. The process formats numbers in the locale of whoever started it: it works on one machine and "
            "fails on the next."
        ),
        bad=("# HELP acme_load Load.\n# TYPE acme_load gauge\nacme_load 0,73\nacme_load 0.5\n"),
        good=("# HELP acme_load Load.\n# TYPE acme_load gauge\nacme_load 0.73\n"),
        remedy="Format numbers independently of the locale.",
    )
)
