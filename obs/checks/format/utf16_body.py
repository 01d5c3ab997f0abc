"""OBS105: the body is UTF-16."""

from __future__ import annotations

from obs.checks.check import FormatCheck
from obs.model.check import CheckDoc
from obs.model.finding import Severity

CHECK = FormatCheck(
    CheckDoc(
        code="OBS105",
        slug="utf16-body",
        category="format",
        severity=Severity.ERROR,
        summary="The body is UTF-16 text.",
        why=(
            "A Prometheus server drops the whole scrape because of it, so that every series of the target is "
            "lost. Files written with `>` in older PowerShell versions are UTF-16."
        ),
        bad=("\udcff\udcfea\x00 \x001\x00\n\x00"),
        good=(
            '# HELP acme_jobs_total Jobs done.\n# TYPE acme_jobs_total counter\nacme_jobs_total{kind="a"} 1\n'
        ),
        remedy="Write UTF-8.",
    )
)
