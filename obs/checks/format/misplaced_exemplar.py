"""OBS142: an exemplar where none may be."""

from __future__ import annotations

from obs.checks.check import FormatCheck
from obs.model.check import CheckDoc
from obs.model.finding import Severity

CHECK = FormatCheck(
    CheckDoc(
        code="OBS142",
        slug="misplaced-exemplar",
        category="format",
        severity=Severity.ERROR,
        summary="An exemplar is on a sample that may not have one.",
        why=(
            "Only the `_total` of a counter and the buckets of a histogram have exemplars. Servers ignore others "
            "or refuse the body."
        ),
        bad=('# HELP acme_load Load.\n# TYPE acme_load gauge\nacme_load 1 # {trace_id="6c10"} 1\n# EOF\n'),
        good=("# HELP acme_load Load.\n# TYPE acme_load gauge\nacme_load 1\n# EOF\n"),
        remedy="Attach it to a counter or to a bucket.",
    )
)
