"""OBS102: the body is compressed and nobody said so."""

from __future__ import annotations

from obs.checks.check import FormatCheck
from obs.model.check import CheckDoc
from obs.model.finding import Severity

CHECK = FormatCheck(
    CheckDoc(
        code="OBS102",
        slug="gzip-body",
        category="format",
        severity=Severity.ERROR,
        summary="The body is compressed and Content-Encoding does not say so.",
        why=(
            "A Prometheus server drops the whole scrape because of it, so that every series of the target is "
            "lost. A proxy that compresses twice or loses the header is the usual cause."
        ),
        bad="\x1f\udc8b\x08\x00\x00\x00\x00\x00\x00\x03",
        good=(
            '# HELP acme_jobs_total Jobs done.\n# TYPE acme_jobs_total counter\nacme_jobs_total{kind="a"} 1\n'
        ),
        remedy="Send Content-Encoding, compress once, or decompress the file first.",
    )
)
