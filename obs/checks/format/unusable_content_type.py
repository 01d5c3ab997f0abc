"""OBS109: the Content-Type is no exposition format."""

from __future__ import annotations

from obs.checks.check import FormatCheck
from obs.model.check import CheckDoc
from obs.model.finding import Severity

CHECK = FormatCheck(
    CheckDoc(
        code="OBS109",
        slug="unusable-content-type",
        category="format",
        severity=Severity.ERROR,
        summary="The Content-Type is blank or names no exposition format.",
        why=(
            "Prometheus 3 refuses a scrape whose Content-Type it does not know, unless the scrape configuration "
            "names a fallback. Earlier versions guessed."
        ),
        bad=(
            "$ obs lint --content-type text/html -\n"
            "# HELP acme_jobs_total Jobs done.\n"
            "# TYPE acme_jobs_total counter\n"
            'acme_jobs_total{kind="a"} 1\n'
        ),
        good=(
            "$ obs lint --content-type 'text/plain; version=0.0.4' -\n"
            "# HELP acme_jobs_total Jobs done.\n"
            "# TYPE acme_jobs_total counter\n"
            'acme_jobs_total{kind="a"} 1\n'
        ),
        remedy="Serve `text/plain; version=0.0.4; charset=utf-8`.",
    )
)
