"""A registry as Python source: loading it needs no JSON, no YAML and no validation, which a linter's start feels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any

from obs.model.metric import Registry

_HEADER = '''"""The packaged registry and its semantics, read and joined already. Written by `make accept`: do not edit.

`FILES` are the checksums (CRC-32) of the files it was made from; it stands for them only while they are the same.
"""

from __future__ import annotations

from obs.model.metric import (
    Aggregation, Domain, DomainKind, Kind, Label, Metric, Presence, Registry, Semantics, SeriesRef, Status, Unit,
    ValueRule,
)

'''


def as_python(registry: Registry, checksums: Mapping[str, int]) -> str:
    """Return a module with `FILES` and `REGISTRY`; the same registry gives the same text."""
    names = {domain: f"_D{number}" for number, domain in enumerate(registry.domains)}
    lines = [_HEADER, f"FILES = {dict(sorted(checksums.items()))!r}\n"]
    lines += [f"{name} = {_spelled(domain, {})}\n" for domain, name in names.items()]
    lines += ["REGISTRY = Registry(\n"]
    for field in fields(registry):
        value = getattr(registry, field.name)
        lines.append(f"    {field.name}={_rows(value, names)},\n")
    return "".join([*lines, ")\n"])


def _rows(value: Any, names: Mapping[Any, str]) -> str:
    """Return a tuple of values one a line, anything else as it is."""
    if isinstance(value, tuple) and value and is_dataclass(value[0]):
        return "(\n" + "".join(f"        {_spelled(each, names)},\n" for each in value) + "    )"
    return _spelled(value, names)


def _spelled(value: Any, names: Mapping[Any, str]) -> str:
    if isinstance(value, Enum):
        return f"{type(value).__name__}.{value.name}"
    if isinstance(value, tuple):
        inner = ", ".join(_spelled(each, names) for each in value)
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    if is_dataclass(value) and not isinstance(value, type):
        if value in names:
            return names[value]
        inner = ", ".join(
            f"{field.name}={_spelled(getattr(value, field.name), names)}" for field in fields(value)
        )
        return f"{type(value).__name__}({inner})"
    return ascii(value)
