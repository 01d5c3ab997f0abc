"""OBS133: a value is not a number."""

from __future__ import annotations

from obs.checks.check import FormatCheck
from obs.model.check import CheckDoc
from obs.model.finding import Severity

CHECK = FormatCheck(
    CheckDoc(
        code="OBS133",
        slug="invalid-value",
        category="format",
        severity=Severity.ERROR,
        summary="The value of a sample is not a number.",
        why=(
            "A Prometheus server drops the whole scrape because of it, so that every series of the target is "
            "lost. Hexadecimal numbers, digit separators, `true` and units are no numbers here."
        ),
        bad=("# HELP acme_load Load.\n# TYPE acme_load gauge\nacme_load 12ms\nacme_load 1\n"),
        good=("# HELP acme_load Load.\n# TYPE acme_load gauge\nacme_load 0.012\n"),
        remedy="Write a decimal number, `NaN`, `+Inf` or `-Inf`.",
    )
)
