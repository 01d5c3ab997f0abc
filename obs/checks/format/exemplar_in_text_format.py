"""OBS140: an exemplar in text 0.0.4."""

from __future__ import annotations

from obs.checks.check import FormatCheck
from obs.model.check import CheckDoc
from obs.model.finding import Severity

CHECK = FormatCheck(
    CheckDoc(
        code="OBS140",
        slug="exemplar-in-text-format",
        category="format",
        severity=Severity.ERROR,
        summary="A sample in text 0.0.4 has an exemplar.",
        why=(
            "A Prometheus server drops the whole scrape because of it, so that every series of the target is "
            "lost. Exemplars are a part of OpenMetrics. The exporter writes them whatever the scraper accepts."
        ),
        bad=(
            "# HELP acme_jobs_total Jobs done.\n"
            "# TYPE acme_jobs_total counter\n"
            'acme_jobs_total{kind="a"} 1 # {trace_id="6c10"} 1\n'
            'acme_jobs_total{kind="b"} 1\n'
        ),
        good=(
            "# HELP acme_jobs_total Jobs done.\n"
            "# TYPE acme_jobs_total counter\n"
            'acme_jobs_total{kind="a"} 1\n'
            'acme_jobs_total{kind="b"} 1\n'
        ),
        remedy="Negotiate OpenMetrics, or leave exemplars out.",
    )
)
