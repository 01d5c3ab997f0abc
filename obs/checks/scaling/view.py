"""A ScaledObject as its author wrote it, typed: what is of the wrong type is absent here and reported by K037/K013.

Paths lead into the document, so that a flaw can name the line of the field it is about. A document that is only the
`spec`, or only one trigger, of a ScaledObject is read too: then `whole` is false and nothing is said about the rest.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from obs.documents.load import Document, Path
from obs.promql.shape import Shape, shape_of

PROMETHEUS = "prometheus"
EXTERNAL = frozenset({"external", "external-push"})
RESOURCE = frozenset({"cpu", "memory"})
"""Triggers whose numbers come from the pods themselves, through the HPA's own resource metrics."""


@dataclass(frozen=True, slots=True)
class Policy:
    """One policy of a direction; `period` is in seconds, `value` pods or percent."""

    kind: str | None
    value: int | None
    period: int | None
    path: Path


@dataclass(frozen=True, slots=True)
class Direction:
    """The behaviour of the HPA in one direction; `window` is in seconds. `given` says whether it is written at all."""

    given: bool
    window: int | None
    select: str | None
    policies: tuple[Policy, ...] | None
    tolerance: object
    path: Path


@dataclass(frozen=True, slots=True)
class Fallback:
    """What KEDA assumes when a trigger cannot be read."""

    failures: int | None
    replicas: int | None
    behavior: str
    path: Path


@dataclass(frozen=True, slots=True)
class Trigger:
    """One trigger. `metadata` is as written; `shape` is of its query, for a prometheus trigger that has one."""

    index: int
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


@dataclass(frozen=True, slots=True)
class Scaler:
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


def is_scaled_object(document: Document) -> bool:
    """Return whether a document is a ScaledObject or, without a kind, a part of one: a spec, or one trigger."""
    data = document.data
    if not isinstance(data, Mapping):
        return False
    if data.get("kind") == "ScaledObject":
        return str(data.get("apiVersion", "keda.sh/")).startswith("keda.sh/")
    return "kind" not in data and (isinstance(data.get("triggers"), list) or _is_trigger(data))


def _is_trigger(data: Mapping[str, Any]) -> bool:
    metadata = mapping(data.get("metadata"))
    return "query" in metadata or ("type" in data and "threshold" in metadata)


def unrolled(document: Document) -> Iterator[Document]:
    """Yield the items of a Kubernetes List (what `kubectl get -o yaml` prints), or the document itself."""
    data = document.data
    if not isinstance(data, Mapping) or data.get("kind") != "List" or not isinstance(data.get("items"), list):
        yield document
        return
    marks: dict[int, dict[Path, tuple[int, int]]] = {}
    for path, position in document.marks.items():
        if len(path) > 1 and path[0] == "items" and isinstance(path[1], int):
            marks.setdefault(path[1], {})[path[2:]] = position
    for index, item in enumerate(data["items"]):
        yield Document(document.source, item, marks.get(index, {}))


def view(document: Document) -> Scaler:
    """Return the ScaledObject of a document for which `is_scaled_object` holds."""
    data = mapping(document.data)
    whole = data.get("kind") == "ScaledObject"
    path: Path = ("spec",) if whole else ()
    spec = mapping(at(data, path))
    metadata = mapping(data.get("metadata")) if whole else {}
    target = mapping(spec.get("scaleTargetRef"))
    hpa = (*path, "advanced", "horizontalPodAutoscalerConfig", "behavior")
    return Scaler(
        document=document,
        spec=path,
        whole=whole,
        name=str(metadata.get("name", "")),
        namespace=str(metadata.get("namespace", "")),
        annotations=mapping(metadata.get("annotations")),
        target_kind=str(target.get("kind", "Deployment")),
        target_name=str(target.get("name", "")),
        minimum=whole_number(spec.get("minReplicaCount")) or 0,
        maximum=whole_number(spec.get("maxReplicaCount")),
        idle=whole_number(spec.get("idleReplicaCount")),
        polling=whole_number(spec.get("pollingInterval")),
        cooldown=whole_number(spec.get("cooldownPeriod")),
        initial_cooldown=whole_number(spec.get("initialCooldownPeriod")),
        fallback=_fallback(spec, (*path, "fallback")),
        up=_direction(data, (*hpa, "scaleUp")),
        down=_direction(data, (*hpa, "scaleDown")),
        triggers=tuple(_triggers(spec, path)),
        modified=bool(at(spec, ("advanced", "scalingModifiers", "formula"))),
    )


def _fallback(spec: Mapping[str, Any], path: Path) -> Fallback | None:
    data = spec.get("fallback")
    if not isinstance(data, Mapping):
        return None
    return Fallback(
        failures=whole_number(data.get("failureThreshold")),
        replicas=whole_number(data.get("replicas")),
        behavior=str(data.get("behavior", "static")),
        path=path,
    )


def _direction(data: Mapping[str, Any], path: Path) -> Direction:
    found = at(data, path)
    direction = mapping(found)
    policies = direction.get("policies")
    return Direction(
        given=isinstance(found, Mapping),
        window=whole_number(direction.get("stabilizationWindowSeconds")),
        select=str(direction["selectPolicy"]) if "selectPolicy" in direction else None,
        policies=tuple(
            Policy(
                kind=str(mapping(policy).get("type", "")),
                value=whole_number(mapping(policy).get("value")),
                period=whole_number(mapping(policy).get("periodSeconds")),
                path=(*path, "policies", index),
            )
            for index, policy in enumerate(policies)
        )
        if isinstance(policies, list)
        else None,
        tolerance=direction.get("tolerance"),
        path=path,
    )


def _triggers(spec: Mapping[str, Any], path: Path) -> Iterator[Trigger]:
    written = spec.get("triggers")
    if isinstance(written, list):
        for index, trigger in enumerate(written):
            yield _trigger(mapping(trigger), index, (*path, "triggers", index))
    elif not path and _is_trigger(spec):
        yield _trigger(spec, 0, ())


def _trigger(data: Mapping[str, Any], index: int, path: Path) -> Trigger:
    metadata = mapping(data.get("metadata"))
    kind = str(data.get("type", PROMETHEUS if "query" in metadata else ""))
    query = metadata.get("query")
    asks = kind == PROMETHEUS and isinstance(query, str)
    return Trigger(
        index=index,
        kind=kind,
        name=str(data.get("name", "")),
        metric_type=str(data.get("metricType", "AverageValue")),
        cached=data.get("useCachedMetrics") is True,
        metadata=metadata,
        authentication=bool(mapping(data.get("authenticationRef")).get("name")),
        path=path,
        shape=shape_of(str(query)) if asks else None,
    )
