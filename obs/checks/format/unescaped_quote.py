"""OBS123: a quote inside a label value is not escaped."""

from __future__ import annotations

from obs.checks.check import FormatCheck
from obs.model.check import CheckDoc
from obs.model.finding import Severity

CHECK = FormatCheck(
    CheckDoc(
        code="OBS123",
        slug="unescaped-quote",
        category="format",
        severity=Severity.ERROR,
        summary="A label value holds a double quote that is not escaped.",
        why=(
            "A Prometheus server drops the whole scrape because of it, so that every series of the target is "
            "lost. One user-chosen name with a quote in it is enough. It was printed without escaping."
        ),
        bad=(
            "# HELP acme_jobs_total Jobs done.\n"
            "# TYPE acme_jobs_total counter\n"
            'acme_jobs_total{kind="a"b"} 1\n'
            'acme_jobs_total{kind="c"} 1\n'
        ),
        good=(
            "# HELP acme_jobs_total Jobs done.\n"
            "# TYPE acme_jobs_total counter\n"
            'acme_jobs_total{kind="a\\"b"} 1\n'
            'acme_jobs_total{kind="c"} 1\n'
        ),
        remedy='Escape it as `\\"`, a backslash as `\\\\` and a line feed as `\\n`.',
    )
)
