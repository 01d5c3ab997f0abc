"""OBS111: the body has more series than the limit."""

from __future__ import annotations

from obs.checks.check import FormatCheck
from obs.model.check import CheckDoc
from obs.model.finding import Severity

CHECK = FormatCheck(
    CheckDoc(
        code="OBS111",
        slug="series-limit",
        category="format",
        severity=Severity.ERROR,
        summary="The body has more series than the limit; the rest was not read.",
        why=(
            "Reading goes on no further than the limit, so that one broken target cannot use up the memory of the "
            "checker."
        ),
        bad=(
            "$ obs lint --max-series 1 -\n"
            "# HELP acme_jobs_total Jobs done.\n"
            "# TYPE acme_jobs_total counter\n"
            'acme_jobs_total{kind="a"} 1\n'
            'acme_jobs_total{kind="b"} 1\n'
        ),
        good=(
            "$ obs lint --max-series 2 -\n"
            "# HELP acme_jobs_total Jobs done.\n"
            "# TYPE acme_jobs_total counter\n"
            'acme_jobs_total{kind="a"} 1\n'
            'acme_jobs_total{kind="b"} 1\n'
        ),
        remedy="Expose fewer series, or raise --max-series.",
    )
)
