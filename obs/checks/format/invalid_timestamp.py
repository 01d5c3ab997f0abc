"""OBS134: a timestamp is not what the format wants."""

from __future__ import annotations

from obs.checks.check import FormatCheck
from obs.model.check import CheckDoc
from obs.model.finding import Severity

CHECK = FormatCheck(
    CheckDoc(
        code="OBS134",
        slug="invalid-timestamp",
        category="format",
        severity=Severity.ERROR,
        summary="The timestamp of a sample is not of the format's kind.",
        why=(
            "A Prometheus server drops the whole scrape because of it, so that every series of the target is "
            "lost. Text 0.0.4 has whole milliseconds, OpenMetrics seconds."
        ),
        bad=("# HELP acme_load Load.\n# TYPE acme_load gauge\nacme_load 1 1767225600.5\nacme_load 1\n"),
        good=("# HELP acme_load Load.\n# TYPE acme_load gauge\nacme_load 1\n"),
        remedy="Leave timestamps out, or write whole milliseconds (in OpenMetrics: seconds).",
    )
)
