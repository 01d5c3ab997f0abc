"""OBS510: the agent speaks a version of the metrics schema that is not known here."""

from __future__ import annotations

from obs.model.check import CheckDoc
from obs.model.finding import Severity

DOC = CheckDoc(
    code="OBS510",
    slug="unknown-schema-major",
    category="manifest",
    severity=Severity.ERROR,
    summary="The manifest names a major version of the metrics schema that is not the registry's.",
    why=(
        "Another major may mean anything by the same names, so the target is refused and not scraped (contract, law "
        "L3). Judging it by this registry would produce findings, and worse, passes, that say nothing."
    ),
    bad='{"contract_version": "3.0", "surfaces": {"metrics": "0.0.0.0:9090", "metrics_schema": "2.0"}}\n',
    good='{"contract_version": "2.0", "surfaces": {"metrics": "0.0.0.0:9090", "metrics_schema": "1.0"}}\n',
    remedy="Use a version of obs, or a --registry, of the same major as the agent.",
)
