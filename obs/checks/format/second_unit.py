"""OBS157: a second UNIT line."""

from __future__ import annotations

from obs.checks.check import FormatCheck
from obs.model.check import CheckDoc
from obs.model.finding import Severity

CHECK = FormatCheck(
    CheckDoc(
        code="OBS157",
        slug="second-unit",
        category="format",
        severity=Severity.ERROR,
        summary="A metric has a second UNIT line.",
        why=(
            "A Prometheus server drops the whole scrape because of it, so that every series of the target is "
            "lost. The metric was registered twice, or two bodies were joined."
        ),
        bad=(
            "# HELP acme_wait_seconds Wait.\n"
            "# TYPE acme_wait_seconds gauge\n"
            "# UNIT acme_wait_seconds seconds\n"
            "# UNIT acme_wait_seconds seconds\n"
            "acme_wait_seconds 1\n"
            "# EOF\n"
        ),
        good=(
            "# HELP acme_wait_seconds Wait.\n"
            "# TYPE acme_wait_seconds gauge\n"
            "# UNIT acme_wait_seconds seconds\n"
            "acme_wait_seconds 1\n"
            "# EOF\n"
        ),
        remedy="Name the unit once.",
    )
)
