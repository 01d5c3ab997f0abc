"""OBS153: a type is not in lower case."""

from __future__ import annotations

from obs.checks.check import FormatCheck
from obs.model.check import CheckDoc
from obs.model.finding import Severity

CHECK = FormatCheck(
    CheckDoc(
        code="OBS153",
        slug="wrong-case-type",
        category="format",
        severity=Severity.ERROR,
        summary="A TYPE line names a type in another case.",
        why=(
            "A Prometheus server drops the whole scrape because of it, so that every series of the target is "
            "lost. Types are written in lower case."
        ),
        bad=("# HELP acme_load Load.\n# TYPE acme_load Gauge\nacme_load 1\n"),
        good=("# HELP acme_load Load.\n# TYPE acme_load gauge\nacme_load 1\n"),
        remedy="Write the type in lower case.",
    )
)
