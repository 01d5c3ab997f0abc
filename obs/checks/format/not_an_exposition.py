"""OBS104: the body is JSON."""

from __future__ import annotations

from obs.checks.check import FormatCheck
from obs.model.check import CheckDoc
from obs.model.finding import Severity

CHECK = FormatCheck(
    CheckDoc(
        code="OBS104",
        slug="not-an-exposition",
        category="format",
        severity=Severity.ERROR,
        summary="The body is JSON, not metrics.",
        why="Somebody else answered, such as an API on the same port. Metrics are usually under /metrics.",
        bad='{"status": "ok"}\n',
        good=(
            '# HELP acme_jobs_total Jobs done.\n# TYPE acme_jobs_total counter\nacme_jobs_total{kind="a"} 1\n'
        ),
        remedy="Check the URL.",
    )
)
