"""OBS188: an info metric is not 1."""

from __future__ import annotations

from obs.checks.check import FormatCheck
from obs.model.check import CheckDoc
from obs.model.finding import Severity

CHECK = FormatCheck(
    CheckDoc(
        code="OBS188",
        slug="invalid-info-value",
        category="format",
        severity=Severity.ERROR,
        summary="A sample of an OpenMetrics info metric is not 1.",
        why=(
            "An info metric says something with its labels; its value is always 1, so that it can be multiplied "
            "with other series."
        ),
        bad=('# HELP acme_build Build.\n# TYPE acme_build info\nacme_build_info{edition="full"} 2\n# EOF\n'),
        good=('# HELP acme_build Build.\n# TYPE acme_build info\nacme_build_info{edition="full"} 1\n# EOF\n'),
        remedy="Write 1.",
    )
)
