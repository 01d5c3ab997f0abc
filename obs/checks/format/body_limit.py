"""OBS110: the body is larger than the limit."""

from __future__ import annotations

from obs.checks.check import FormatCheck
from obs.model.check import CheckDoc
from obs.model.finding import Severity

CHECK = FormatCheck(
    CheckDoc(
        code="OBS110",
        slug="body-limit",
        category="format",
        severity=Severity.ERROR,
        summary="The body is larger than the limit and was not read.",
        why=(
            "A body of this size takes a server seconds to read, at each scrape. Nothing was judged: raise the "
            "limit if it is meant to be so large."
        ),
        bad=(
            "$ obs lint --max-bytes 32 -\n"
            "# HELP acme_jobs_total Jobs done.\n"
            "# TYPE acme_jobs_total counter\n"
            'acme_jobs_total{kind="a"} 1\n'
        ),
        good=(
            '# HELP acme_jobs_total Jobs done.\n# TYPE acme_jobs_total counter\nacme_jobs_total{kind="a"} 1\n'
        ),
        remedy="Expose fewer series, or raise --max-bytes.",
    )
)
