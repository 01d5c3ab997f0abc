"""OBS107: a byte is not UTF-8."""

from __future__ import annotations

from obs.checks.check import FormatCheck
from obs.model.check import CheckDoc
from obs.model.finding import Severity

CHECK = FormatCheck(
    CheckDoc(
        code="OBS107",
        slug="invalid-utf8",
        category="format",
        severity=Severity.ERROR,
        summary="The body holds a byte that is not UTF-8.",
        why=(
            "Both formats are UTF-8. A label value in Latin-1 or with binary data makes the body unreadable for "
            "some consumers, and its series unusable for all."
        ),
        bad=(
            "# HELP acme_jobs_total Jobs done.\n"
            "# TYPE acme_jobs_total counter\n"
            'acme_jobs_total{kind="caf\udce9"} 1\n'
        ),
        good=(
            '# HELP acme_jobs_total Jobs done.\n# TYPE acme_jobs_total counter\nacme_jobs_total{kind="a"} 1\n'
        ),
        remedy="Encode label values as UTF-8 before they are written.",
    )
)
