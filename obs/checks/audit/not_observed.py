"""OBS520: an instance is configured and nothing of it can be judged."""

from __future__ import annotations

from obs.model.check import CheckDoc
from obs.model.finding import Severity

DOC = CheckDoc(
    code="OBS520",
    slug="instance-not-observed",
    category="audit",
    severity=Severity.ERROR,
    summary="The server scrapes an instance and has no sample of the registry from it.",
    why=(
        "An instance that is down, or whose body the server drops because of one bad line, looks the same to every "
        "board: it is not there. Nothing about it was judged, which must not pass as clean."
    ),
    bad='up{job="agents", instance="10.1.2.3:9090"}: 0\n',
    good='up{job="agents", instance="10.1.2.3:9090"}: 1\n',
    remedy="Look at the target's page in the server for the error; judge the body itself with obs check URL.",
)
