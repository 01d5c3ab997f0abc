"""OBS106: the body starts with a byte-order mark."""

from __future__ import annotations

from obs.checks.check import FormatCheck
from obs.model.check import CheckDoc
from obs.model.finding import Severity

CHECK = FormatCheck(
    CheckDoc(
        code="OBS106",
        slug="byte-order-mark",
        category="format",
        severity=Severity.ERROR,
        summary="The body starts with a UTF-8 byte-order mark.",
        why=(
            "A Prometheus server drops the whole scrape because of it, so that every series of the target is "
            "lost. Editors and shells on Windows put the mark in front; it becomes a part of the first line."
        ),
        bad=(
            "\ufeff# HELP acme_jobs_total Jobs done.\n"
            "# TYPE acme_jobs_total counter\n"
            'acme_jobs_total{kind="a"} 1\n'
        ),
        good=(
            '# HELP acme_jobs_total Jobs done.\n# TYPE acme_jobs_total counter\nacme_jobs_total{kind="a"} 1\n'
        ),
        remedy="Write UTF-8 without a byte-order mark.",
    )
)
