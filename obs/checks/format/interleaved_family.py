"""OBS170: the samples of a metric are scattered."""

from __future__ import annotations

from obs.checks.check import FormatCheck
from obs.model.check import CheckDoc
from obs.model.finding import Severity

CHECK = FormatCheck(
    CheckDoc(
        code="OBS170",
        slug="interleaved-family",
        category="format",
        severity=Severity.ERROR,
        summary="Samples of a metric continue after those of another.",
        why=(
            "The format wants all lines of a metric in one group. Servers pay for the disorder with memory, "
            "strict parsers refuse it."
        ),
        bad=(
            "# HELP acme_load Load.\n"
            "# TYPE acme_load gauge\n"
            'acme_load{cpu="0"} 1\n'
            "# HELP acme_jobs_total Jobs done.\n"
            "# TYPE acme_jobs_total counter\n"
            'acme_jobs_total{kind="a"} 1\n'
            'acme_load{cpu="1"} 2\n'
        ),
        good=(
            "# HELP acme_load Load.\n"
            "# TYPE acme_load gauge\n"
            'acme_load{cpu="0"} 1\n'
            'acme_load{cpu="1"} 2\n'
            "# HELP acme_jobs_total Jobs done.\n"
            "# TYPE acme_jobs_total counter\n"
            'acme_jobs_total{kind="a"} 1\n'
        ),
        remedy="Write all lines of a metric together.",
    )
)
