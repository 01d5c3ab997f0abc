"""What a capabilities manifest means for a scrape: is there something, by which version, how strictly.

Contract sections 2 (L2, L3, L6) and 3. Objects are open: what is not known is ignored.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from obs.checks.check import Profile
from obs.checks.manifest import invalid_manifest, newer_schema, unknown_schema
from obs.model.check import CheckDoc
from obs.model.finding import Finding, Location
from obs.model.metric import Registry

UNKNOWN = "unknown"
"""What is shown for a version that the manifest does not give."""

_VERSION = re.compile(r"(\d{1,4})\.(\d{1,4})")
_SHOWN = 60


class Stance(StrEnum):
    """What to do with a target."""

    SCRAPE = "scrape"
    OFF = "off"  # it serves no metrics, which is a state and not an error (law L2)
    REFUSE = "refuse"  # a major that is not known (law L3)


@dataclass(frozen=True, slots=True)
class Negotiation:
    """What was agreed on. `contract` and `schema` are `major.minor` or `unknown`; `profile` None: the configured."""

    stance: Stance = Stance.SCRAPE
    contract: str = UNKNOWN
    schema: str = UNKNOWN
    profile: Profile | None = None
    findings: tuple[Finding, ...] = ()


def negotiate(text: str, source: str, registry: Registry) -> Negotiation:
    """Return what the manifest in `text` means for a consumer that knows `registry`; raise nothing."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        return _invalid(source, "", f"the manifest is not JSON: {error}")
    if not isinstance(data, dict):
        return _invalid(source, "$", "the manifest is not a JSON object")
    contract = _version_of(data.get("contract_version"))
    surfaces = data.get("surfaces")
    if not isinstance(surfaces, dict):
        return _invalid(
            source, "$.surfaces", f"`surfaces` is {_shown(surfaces)}, it must be an object", contract
        )
    if surfaces.get("metrics", False) is False:
        return Negotiation(Stance.OFF, contract, _version_of(surfaces.get("metrics_schema")))
    return _agreed(surfaces, source, contract, registry)


def _agreed(surfaces: dict[str, Any], source: str, contract: str, registry: Registry) -> Negotiation:
    findings = list(_misshapen(surfaces, source))
    match = _match(surfaces.get("metrics_schema"))
    if match is None:
        return Negotiation(Stance.SCRAPE, contract, findings=tuple(findings))
    schema, major, minor = match[0], int(match[1]), int(match[2])
    known = registry.schema_version
    path = "$.surfaces.metrics_schema"
    if major != registry.version[0]:
        message = f"metrics_schema {schema}: major {major} is not known, the registry is {known}; not scraped"
        findings.append(_finding(unknown_schema.DOC, source, path, message))
        return Negotiation(Stance.REFUSE, contract, schema, None, tuple(findings))
    if minor > registry.version[1]:
        message = f"metrics_schema {schema} is later than the registry's {known}; what it adds is not checked"
        findings.append(_finding(newer_schema.DOC, source, path, message))
        return Negotiation(Stance.SCRAPE, contract, schema, Profile.CONSUMER, tuple(findings))
    return Negotiation(Stance.SCRAPE, contract, schema, None, tuple(findings))


def _misshapen(surfaces: dict[str, Any], source: str) -> Iterator[Finding]:
    address = surfaces["metrics"]
    if not isinstance(address, str):
        message = f"`surfaces.metrics` is {_shown(address)}, it must be an address or false"
        yield _finding(invalid_manifest.DOC, source, "$.surfaces.metrics", message)
    if _match(surfaces.get("metrics_schema")) is None:
        message = (
            f"`surfaces.metrics_schema` is {_shown(surfaces.get('metrics_schema'))}, it must be major.minor"
        )
        yield _finding(invalid_manifest.DOC, source, "$.surfaces.metrics_schema", message)


def _invalid(source: str, path: str, message: str, contract: str = UNKNOWN) -> Negotiation:
    return Negotiation(contract=contract, findings=(_finding(invalid_manifest.DOC, source, path, message),))


def unreadable(source: str, message: str) -> Negotiation:
    """Return what is left when there is a manifest and it cannot be read: the frozen registry, and a finding."""
    return _invalid(source, "", f"the manifest cannot be read: {message}")


def _finding(doc: CheckDoc, source: str, path: str, message: str) -> Finding:
    place = Location(source, path=path)
    return Finding(
        doc.code, doc.slug, doc.category, doc.severity, message, place, remedy=doc.remedy, subject="surfaces"
    )


def _match(value: Any) -> re.Match[str] | None:
    return _VERSION.fullmatch(value) if isinstance(value, str) else None


def _version_of(value: Any) -> str:
    match = _match(value)
    return match[0] if match else UNKNOWN


def _shown(value: Any) -> str:
    text = "absent" if value is None else f"`{value!r}`"
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "...`"
