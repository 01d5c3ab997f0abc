"""OBS174: a series stands twice."""

from __future__ import annotations

from obs.checks.check import FormatCheck
from obs.model.check import CheckDoc
from obs.model.finding import Severity

CHECK = FormatCheck(
    CheckDoc(
        code="OBS174",
        slug="duplicate-series",
        category="format",
        severity=Severity.ERROR,
        summary="Two samples have the same name and labels.",
        why=(
            "A server keeps one of them and counts the other as a duplicate. The order of labels and labels "
            "without a value make no difference."
        ),
        bad=(
            "# HELP acme_jobs_total Jobs done.\n"
            "# TYPE acme_jobs_total counter\n"
            'acme_jobs_total{kind="a",queue=""} 1\n'
            'acme_jobs_total{kind="a"} 2\n'
        ),
        good=(
            '# HELP acme_jobs_total Jobs done.\n# TYPE acme_jobs_total counter\nacme_jobs_total{kind="a"} 1\n'
        ),
        remedy="Register each collector once; add the label that tells the two apart.",
    )
)
