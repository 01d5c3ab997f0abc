"""OBS151: a HELP, TYPE or UNIT line is incomplete."""

from __future__ import annotations

from obs.checks.check import FormatCheck
from obs.model.check import CheckDoc
from obs.model.finding import Severity

CHECK = FormatCheck(
    CheckDoc(
        code="OBS151",
        slug="invalid-comment",
        category="format",
        severity=Severity.ERROR,
        summary="A HELP, TYPE or UNIT line is incomplete or malformed.",
        why=(
            "A Prometheus server drops the whole scrape because of it, so that every series of the target is "
            "lost. Such a line has a keyword, a metric name and a text."
        ),
        bad=("# HELP acme_load Load.\n# TYPE acme_load\nacme_load 1\n"),
        good=("# HELP acme_load Load.\n# TYPE acme_load gauge\nacme_load 1\n"),
        remedy="Write `# TYPE name type`, `# HELP name text`.",
    )
)
