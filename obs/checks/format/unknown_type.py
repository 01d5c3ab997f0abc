"""OBS152: a TYPE line names no type."""

from __future__ import annotations

from obs.checks.check import FormatCheck
from obs.model.check import CheckDoc
from obs.model.finding import Severity

CHECK = FormatCheck(
    CheckDoc(
        code="OBS152",
        slug="unknown-type",
        category="format",
        severity=Severity.ERROR,
        summary="A TYPE line names a type that the format does not have.",
        why=(
            "A Prometheus server drops the whole scrape because of it, so that every series of the target is "
            "lost. Text 0.0.4 has counter, gauge, histogram, summary and untyped."
        ),
        bad=("# HELP acme_load Load.\n# TYPE acme_load level\nacme_load 1\n"),
        good=("# HELP acme_load Load.\n# TYPE acme_load gauge\nacme_load 1\n"),
        remedy="Use a type of the format.",
    )
)
