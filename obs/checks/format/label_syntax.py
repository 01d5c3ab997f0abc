"""OBS127: the labels are malformed."""

from __future__ import annotations

from obs.checks.check import FormatCheck
from obs.model.check import CheckDoc
from obs.model.finding import Severity

CHECK = FormatCheck(
    CheckDoc(
        code="OBS127",
        slug="label-syntax",
        category="format",
        severity=Severity.ERROR,
        summary="The part between the braces is not a list of labels.",
        why=(
            "A Prometheus server drops the whole scrape because of it, so that every series of the target is "
            "lost. The body was put together by hand, without a client library."
        ),
        bad=(
            "# HELP acme_jobs_total Jobs done.\n"
            "# TYPE acme_jobs_total counter\n"
            "acme_jobs_total{kind} 1\n"
            'acme_jobs_total{kind="c"} 1\n'
        ),
        good=(
            '# HELP acme_jobs_total Jobs done.\n# TYPE acme_jobs_total counter\nacme_jobs_total{kind="a"} 1\n'
        ),
        remedy='Write labels as `{name="value",...}`.',
    )
)
