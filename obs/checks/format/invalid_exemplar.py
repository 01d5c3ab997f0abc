"""OBS141: an exemplar is malformed."""

from __future__ import annotations

from obs.checks.check import FormatCheck
from obs.model.check import CheckDoc
from obs.model.finding import Severity

CHECK = FormatCheck(
    CheckDoc(
        code="OBS141",
        slug="invalid-exemplar",
        category="format",
        severity=Severity.ERROR,
        summary="An exemplar is malformed or longer than 128 characters.",
        why=(
            "A Prometheus server drops the whole scrape because of it, so that every series of the target is "
            "lost. The labels of an exemplar are a trace id and little more."
        ),
        bad=(
            "# HELP acme_jobs Jobs done.\n"
            "# TYPE acme_jobs counter\n"
            'acme_jobs_total{kind="a"} 1 # trace_id="6c10" 1\n'
            'acme_jobs_total{kind="b"} 1\n'
            "# EOF\n"
        ),
        good=(
            "# HELP acme_jobs Jobs done.\n"
            "# TYPE acme_jobs counter\n"
            'acme_jobs_total{kind="a"} 1 # {trace_id="6c10"} 1\n'
            "# EOF\n"
        ),
        remedy='Write ` # {label="value"} VALUE [SECONDS]`.',
    )
)
