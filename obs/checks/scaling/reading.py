"""From a document to the typed view of its ScaledObject; a Kubernetes List is read item by item."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from obs.checks.scaling.view import (
    PROMETHEUS,
    Direction,
    Fallback,
    Policy,
    Scaler,
    Trigger,
    at,
    mapping,
    whole_number,
)
from obs.documents.load import Document, Path
from obs.promql.shape import shape_of


def is_scaled_object(document: Document) -> bool:
    """Return whether a document is a ScaledObject or, without a kind, a part of one: a spec, or one trigger."""
    data = document.data
    if not isinstance(data, Mapping):
        return False
    if data.get("kind") == "ScaledObject":
        return True
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
        position=index,
        kind=kind,
        name=str(data.get("name", "")),
        metric_type=str(data.get("metricType", "AverageValue")),
        cached=data.get("useCachedMetrics") is True,
        metadata=metadata,
        authentication=bool(mapping(data.get("authenticationRef")).get("name")),
        path=path,
        shape=shape_of(str(query)) if asks else None,
    )
