"""A ScaledObject as its author wrote it, typed: what is of the wrong type is absent here and reported by K037/K013.

Paths lead into the document, so that a flaw can name the line of the field it is about. A document that is only the
`spec`, or only one trigger, of a ScaledObject is read too: then `whole` is false and nothing is said about the rest.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from obs.documents.load import Document, Path
from obs.promql.shape import Shape

PROMETHEUS = "prometheus"
EXTERNAL = frozenset({"external", "external-push"})
RESOURCE = frozenset({"cpu", "memory"})
"""Triggers whose numbers come from the pods themselves, through the HPA's own resource metrics."""


class Policy(NamedTuple):
    """One policy of a direction; `period` is in seconds, `value` pods or percent."""

    kind: str | None
    value: int | None
    period: int | None
    path: Path


class Direction(NamedTuple):
    """The behaviour of the HPA in one direction; `window` is in seconds. `given` says whether it is written at all."""

    given: bool
    window: int | None
    select: str | None
    policies: tuple[Policy, ...] | None
    tolerance: object
    path: Path


class Fallback(NamedTuple):
    """What KEDA assumes when a trigger cannot be read."""

    failures: int | None
    replicas: int | None
    behavior: str
    path: Path


class Trigger(NamedTuple):
    """One trigger. `metadata` is as written; `shape` is of its query, for a prometheus trigger that has one."""

    position: int
    kind: str
    name: str
    metric_type: str
    cached: bool
    metadata: Mapping[str, Any]
    authentication: bool
    path: Path
    shape: Shape | None = None

    @property
    def external(self) -> bool:
        """Return whether KEDA asks an external scaler over gRPC."""
        return self.kind in EXTERNAL

    def at(self, key: str) -> Path:
        """Return the path of a metadata entry."""
        return (*self.path, "metadata", key)

    def text(self, key: str, default: str = "") -> str:
        """Return a metadata entry as text, numbers and booleans as KEDA would want them written."""
        value = self.metadata.get(key, default)
        return str(value).lower() if isinstance(value, bool) else str(value)

    def number(self, key: str) -> float | None:
        """Return a metadata entry as a number, or None when it is absent or not one."""
        try:
            return float(self.text(key)) if key in self.metadata else None
        except ValueError:
            return None


class Scaler(NamedTuple):
    """One ScaledObject. Times are in seconds; None means: not written (KEDA's default holds)."""

    document: Document
    spec: Path
    whole: bool
    name: str
    namespace: str
    annotations: Mapping[str, Any]
    target_kind: str
    target_name: str
    minimum: int
    maximum: int | None
    idle: int | None
    polling: int | None
    cooldown: int | None
    initial_cooldown: int | None
    fallback: Fallback | None
    up: Direction
    down: Direction
    triggers: tuple[Trigger, ...]
    modified: bool

    @property
    def data(self) -> Mapping[str, Any]:
        """Return the spec as written."""
        return mapping(at(self.document.data, self.spec))

    def has(self, key: str) -> bool:
        """Return whether the spec has a field."""
        return key in self.data

    @property
    def prometheus(self) -> tuple[Trigger, ...]:
        """Return the triggers that ask Prometheus."""
        return tuple(trigger for trigger in self.triggers if trigger.kind == PROMETHEUS)

    def values(self) -> Iterator[tuple[Trigger, Shape]]:
        """Yield the prometheus triggers whose query parses, with its shape."""
        for trigger in self.prometheus:
            if trigger.shape is not None and not trigger.shape.error:
                yield trigger, trigger.shape


def at(data: Any, path: Path) -> Any:
    """Return what is at `path`, or None."""
    for step in path:
        if isinstance(data, Mapping) and isinstance(step, str):
            data = data.get(step)
        elif isinstance(data, list) and isinstance(step, int) and step < len(data):
            data = data[step]
        else:
            return None
    return data


def mapping(value: Any) -> Mapping[str, Any]:
    """Return a mapping as it is and an empty one for anything else."""
    return value if isinstance(value, Mapping) else {}


def whole_number(value: Any) -> int | None:
    """Return an integer as it is and None for anything else, booleans included."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None
