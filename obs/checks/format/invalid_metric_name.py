"""OBS120: a metric name has a character it may not have."""

from __future__ import annotations

from obs.checks.check import FormatCheck
from obs.model.check import CheckDoc
from obs.model.finding import Severity

CHECK = FormatCheck(
    CheckDoc(
        code="OBS120",
        slug="invalid-metric-name",
        category="format",
        severity=Severity.ERROR,
        summary="A metric name holds a character that is not allowed, or starts with a digit.",
        why=(
            "A Prometheus server drops the whole scrape because of it, so that every series of the target is "
            "lost. Names are letters, digits, underscores and colons; a dash or a dot is the usual guest."
        ),
        bad=("# HELP acme_load Load.\n# TYPE acme_load gauge\nacme_load 1\nacme-load-max 4\n"),
        good=(
            "# HELP acme_load Load.\n"
            "# TYPE acme_load gauge\n"
            "acme_load 1\n"
            "# HELP acme_load_max What it is.\n"
            "# TYPE acme_load_max gauge\n"
            "acme_load_max 4\n"
        ),
        remedy="Replace the character by an underscore.",
    )
)
