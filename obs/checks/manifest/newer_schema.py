"""OBS511: the agent speaks a later minor of the metrics schema."""

from __future__ import annotations

from obs.model.check import CheckDoc
from obs.model.finding import Severity

DOC = CheckDoc(
    code="OBS511",
    slug="newer-schema-minor",
    category="manifest",
    severity=Severity.INFO,
    summary="The manifest names a later minor version of the metrics schema than the registry has.",
    why=(
        "A minor only adds (contract, law L3), so the agent is judged as a consumer judges it: what is not known is "
        "tolerated. What it adds is not checked, which is worth knowing."
    ),
    bad='{"contract_version": "2.0", "surfaces": {"metrics": "0.0.0.0:9090", "metrics_schema": "1.7"}}\n',
    good='{"contract_version": "2.0", "surfaces": {"metrics": "0.0.0.0:9090", "metrics_schema": "1.0"}}\n',
    remedy="Use the registry of that minor to check what it adds.",
)
