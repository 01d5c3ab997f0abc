"""OBS512: the manifest does not say what it must."""

from __future__ import annotations

from obs.model.check import CheckDoc
from obs.model.finding import Severity

DOC = CheckDoc(
    code="OBS512",
    slug="invalid-manifest",
    category="manifest",
    severity=Severity.ERROR,
    summary="The capabilities manifest is no JSON object, or a field that decides what is scraped has a wrong shape.",
    why=(
        "The manifest is where a consumer learns what is served (contract, section 3.1): `surfaces.metrics` is an "
        "address or false, `surfaces.metrics_schema` is major.minor. Where it says neither, the frozen registry is "
        "used, which is a guess."
    ),
    bad='{"contract_version": "2.0", "surfaces": {"metrics": true, "metrics_schema": 1}}\n',
    good='{"contract_version": "2.0", "surfaces": {"metrics": "0.0.0.0:9090", "metrics_schema": "1.0"}}\n',
    remedy="Write `metrics` as an address or false, and `metrics_schema` as a string such as 1.0.",
)
