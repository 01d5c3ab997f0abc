"""OBS137: something follows the sample."""

from __future__ import annotations

from obs.checks.check import FormatCheck
from obs.model.check import CheckDoc
from obs.model.finding import Severity

CHECK = FormatCheck(
    CheckDoc(
        code="OBS137",
        slug="unexpected-text",
        category="format",
        severity=Severity.ERROR,
        summary="Something that is no timestamp follows the value.",
        why=(
            "A Prometheus server drops the whole scrape because of it, so that every series of the target is "
            "lost. A unit or a comment at the end of a line is not part of the format."
        ),
        bad=(
            "# HELP acme_load Load.\n# TYPE acme_load gauge\nacme_load 1 1767225600000 (peak)\nacme_load 2\n"
        ),
        good=("# HELP acme_load Load.\n# TYPE acme_load gauge\nacme_load 2\n"),
        remedy="Remove it; comments have lines of their own.",
    )
)
