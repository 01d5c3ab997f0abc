"""OBS136: two samples on one line."""

from __future__ import annotations

from obs.checks.check import FormatCheck
from obs.model.check import CheckDoc
from obs.model.finding import Severity

CHECK = FormatCheck(
    CheckDoc(
        code="OBS136",
        slug="two-samples-on-one-line",
        category="format",
        severity=Severity.ERROR,
        summary="A second sample follows on the same line.",
        why=(
            "A Prometheus server drops the whole scrape because of it, so that every series of the target is "
            "lost. A body without a final line feed was joined with another one."
        ),
        bad=("# HELP acme_load Load.\n# TYPE acme_load gauge\nacme_load 1 acme_load_max 4\nacme_load 2\n"),
        good=("# HELP acme_load Load.\n# TYPE acme_load gauge\nacme_load 1\n"),
        remedy="End each sample, and each body before it is joined, with a line feed.",
    )
)
