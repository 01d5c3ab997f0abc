"""OBS159: a UNIT that the name does not end in."""

from __future__ import annotations

from obs.checks.check import FormatCheck
from obs.model.check import CheckDoc
from obs.model.finding import Severity

CHECK = FormatCheck(
    CheckDoc(
        code="OBS159",
        slug="invalid-unit",
        category="format",
        severity=Severity.ERROR,
        summary="A UNIT line names a unit that is not the end of the metric's name, or a metric that has none.",
        why=(
            "A Prometheus server drops the whole scrape because of it, so that every series of the target is "
            "lost. In OpenMetrics the unit is a part of the name."
        ),
        bad=(
            "# HELP acme_wait Wait.\n# TYPE acme_wait gauge\n# UNIT acme_wait seconds\nacme_wait 1\n# EOF\n"
        ),
        good=(
            "# HELP acme_wait_seconds Wait.\n"
            "# TYPE acme_wait_seconds gauge\n"
            "# UNIT acme_wait_seconds seconds\n"
            "acme_wait_seconds 1\n"
            "# EOF\n"
        ),
        remedy="Append the unit to the name, or drop the line.",
    )
)
