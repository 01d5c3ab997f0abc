"""A scaled fleet as a ScaledObject, and where in obs.yaml each of its fields comes from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from obs.checks.scaling.across import PROFILE_ANNOTATION
from obs.checks.scaling.drain import DRAIN_ANNOTATION
from obs.checks.scaling.outage import KEEPS_REPLICAS
from obs.documents.load import Path
from obs.emit.base import object_metadata
from obs.emit.scaler_signals import Signal
from obs.model.config import Fleet, Mode, ScalerKind
from obs.specs.scaling import Knobs
from obs.specs.sources import Sources

SCALE_UP_PERIOD = 30
SCALE_DOWN_PERIOD = 60
"""Seconds over which the policies of registry/scaling.yaml count."""

INITIAL_COOLDOWN_SINCE = (2, 14)
FALLBACK_BEHAVIOR_SINCE = (2, 17)
"""The KEDA versions whose documentation first names `initialCooldownPeriod` and `fallback.behavior`."""

_TLS_PARAMETERS = {"caCert": "ca.crt", "tlsClientCert": "tls.crt", "tlsClientKey": "tls.key"}


class Built(NamedTuple):
    """A fleet's objects, the ScaledObject first. `origins` lead from its fields to those of obs.yaml."""

    fleet: Fleet
    objects: tuple[dict[str, Any], ...]
    origins: Mapping[Path, Path]
    signals: tuple[Signal, ...]


def build(sources: Sources, fleet: Fleet, knobs: Knobs, signals: tuple[Signal, ...]) -> Built:
    """Return the ScaledObject of a fleet that is scaled on `signals`, and the authentication it needs."""
    authentications = tuple(_authentications(sources, fleet, signals))
    spec: dict[str, Any] = {
        "scaleTargetRef": {
            "apiVersion": fleet.workload.api_version,
            "kind": fleet.workload.kind,
            "name": fleet.workload.name,
        },
        **_clocks(sources, fleet, knobs),
        "minReplicaCount": fleet.min_replicas,
    }
    if fleet.max_replicas is not None:
        spec["maxReplicaCount"] = fleet.max_replicas
    spec |= _fallback(sources, fleet, knobs, signals)
    spec["advanced"] = {
        "restoreToOriginalReplicaCount": False,
        "horizontalPodAutoscalerConfig": {"behavior": _behavior(knobs)},
    }
    spec["triggers"] = [_trigger(sources, fleet, knobs, signal) for signal in signals]
    metadata = object_metadata(sources, fleet.name, fleet.namespace)
    annotations = {PROFILE_ANNOTATION: str(fleet.mode), DRAIN_ANNOTATION: str(fleet.drain_timeout)}
    metadata["annotations"] = {**_mapping(metadata["annotations"]), **annotations}
    scaled = {"apiVersion": "keda.sh/v1alpha1", "kind": "ScaledObject", "metadata": metadata, "spec": spec}
    return Built(fleet, (scaled, *authentications), _origins(fleet, signals), signals)


def _mapping(value: object) -> dict[str, str]:
    return dict(value) if isinstance(value, dict) else {}


def _clocks(sources: Sources, fleet: Fleet, knobs: Knobs) -> dict[str, int]:
    """Return the times of the step between zero and one; with a replica always there they would do nothing."""
    sleeps = fleet.min_replicas == 0
    found: dict[str, int] = {}
    if sleeps:
        found["pollingInterval"] = knobs.polling_interval
        found["cooldownPeriod"] = knobs.cooldown
    known = sources.config.kubernetes.keda_version >= INITIAL_COOLDOWN_SINCE
    if sleeps and (known or "initial_cooldown" in fleet.overrides):
        found["initialCooldownPeriod"] = knobs.initial_cooldown
    return found


def _fallback(sources: Sources, fleet: Fleet, knobs: Knobs, signals: tuple[Signal, ...]) -> dict[str, Any]:
    """Return the fallback. An external trigger gets none unless it is asked for: KEDA would never start it."""
    asked = "fallback_replicas" in fleet.overrides or "fallback_failures" in fleet.overrides
    if any(signal.external for signal in signals) and not asked:
        return {}
    replicas = knobs.fallback_replicas
    if "fallback_replicas" not in fleet.overrides:
        replicas = min(max(replicas, fleet.min_replicas), fleet.max_replicas or replicas)
    fallback: dict[str, Any] = {"failureThreshold": knobs.fallback_failures, "replicas": replicas}
    if sources.config.kubernetes.keda_version >= FALLBACK_BEHAVIOR_SINCE:
        fallback["behavior"] = KEEPS_REPLICAS
    return {"fallback": fallback}


def _behavior(knobs: Knobs) -> dict[str, Any]:
    return {
        "scaleUp": {
            "stabilizationWindowSeconds": knobs.scale_up_window,
            "selectPolicy": "Max",
            "policies": _policies(knobs.scale_up_percent, knobs.scale_up_pods, SCALE_UP_PERIOD),
        },
        "scaleDown": {
            "stabilizationWindowSeconds": knobs.scale_down_window,
            "selectPolicy": "Min",
            "policies": _policies(knobs.scale_down_percent, knobs.scale_down_pods, SCALE_DOWN_PERIOD),
        },
    }


def _policies(percent: int, pods: int, period: int) -> list[dict[str, Any]]:
    return [
        {"type": "Percent", "value": percent, "periodSeconds": period},
        {"type": "Pods", "value": pods, "periodSeconds": period},
    ]


def _trigger(sources: Sources, fleet: Fleet, knobs: Knobs, signal: Signal) -> dict[str, Any]:
    metadata: dict[str, str] = {}
    if signal.external and fleet.external is not None:
        metadata["scalerAddress"] = fleet.external.address
        metadata["coordinationUrl"] = fleet.external.coordination_url
        metadata["signal"] = signal.expression
    else:
        metadata["serverAddress"] = sources.config.prometheus.address
        metadata["query"] = signal.expression
    metadata["threshold"] = number(signal.target)
    if fleet.min_replicas == 0:
        metadata["activationThreshold"] = number(knobs.activation)
    if not signal.external:
        metadata["ignoreNullValues"] = "false"
    trigger: dict[str, Any] = {
        "type": str(ScalerKind.EXTERNAL_PUSH if signal.external else ScalerKind.PROMETHEUS),
        "name": signal.name,
        "metricType": knobs.metric_type,
        "metadata": metadata,
    }
    name = _authentication_name(sources, fleet, external=signal.external)
    if name:
        if not signal.external:
            metadata["authModes"] = "bearer"
        trigger["authenticationRef"] = {"name": name}
    return trigger


def number(value: float) -> str:
    """Return a number as KEDA reads it: at most three decimals, and all of one that would round to 0."""
    rounded = f"{value:.3f}".rstrip("0").rstrip(".")
    return rounded if rounded != "0" or value == 0 else f"{value:g}"


def _authentication_name(sources: Sources, fleet: Fleet, *, external: bool) -> str:
    if external:
        return f"{fleet.name}-scaler" if fleet.external and fleet.external.authentication else ""
    return f"{fleet.name}-prometheus" if sources.config.prometheus.authentication else ""


def _authentications(sources: Sources, fleet: Fleet, signals: tuple[Signal, ...]) -> Iterator[dict[str, Any]]:
    for external in sorted({signal.external for signal in signals}):
        name = _authentication_name(sources, fleet, external=external)
        if not name:
            continue
        secret, parameters = sources.config.prometheus.authentication, {"bearerToken": "token"}
        if external and fleet.external is not None:
            secret, parameters = fleet.external.authentication, _TLS_PARAMETERS
        yield {
            "apiVersion": "keda.sh/v1alpha1",
            "kind": "TriggerAuthentication",
            "metadata": object_metadata(sources, name, fleet.namespace),
            "spec": {
                "secretTargetRef": [
                    {"parameter": parameter, "name": secret, "key": key}
                    for parameter, key in parameters.items()
                ]
            },
        }


def _origins(fleet: Fleet, signals: tuple[Signal, ...]) -> dict[Path, Path]:
    """Return which key of obs.yaml decides a field of the ScaledObject."""
    own = fleet.path
    scaling: Path = (*own, "scaling")
    behavior: Path = ("spec", "advanced", "horizontalPodAutoscalerConfig", "behavior")
    origins: dict[Path, Path] = {
        ("metadata", "name"): (*own, "name"),
        ("metadata", "annotations", DRAIN_ANNOTATION): (*own, "drain_timeout"),
        ("spec", "scaleTargetRef"): (*own, "workload"),
        ("spec", "scaleTargetRef", "kind"): (*own, "workload", "kind"),
        ("spec", "minReplicaCount"): (*own, "replicas", "min"),
        ("spec", "maxReplicaCount"): (*own, "replicas", "max"),
        ("spec", "pollingInterval"): (*scaling, "polling_interval"),
        ("spec", "cooldownPeriod"): (*scaling, "cooldown"),
        ("spec", "initialCooldownPeriod"): (*scaling, "initial_cooldown"),
        ("spec", "fallback"): (*scaling, "fallback_replicas"),
        (*behavior, "scaleUp", "stabilizationWindowSeconds"): (*scaling, "scale_up_window"),
        (*behavior, "scaleDown", "stabilizationWindowSeconds"): (*scaling, "scale_down_window"),
    }
    for index, signal in enumerate(signals):
        trigger: Path = ("spec", "triggers", index)
        metadata: Path = (*trigger, "metadata")
        origins[*trigger, "metricType"] = (*scaling, "metric_type")
        origins[*trigger, "type"] = (*own, "scaler")
        origins[*metadata, "serverAddress"] = ("prometheus", "address")
        origins[*metadata, "scalerAddress"] = (*own, "external", "address")
        origins[*metadata, "coordinationUrl"] = (*own, "external", "coordination_url")
        origins[*metadata, "activationThreshold"] = (*scaling, "activation")
        origins[*metadata, "query"] = origins[*metadata, "signal"] = signal.origin
        origins[*metadata, "threshold"] = (*scaling, signal.target_key)
    return origins


def origin(built: Built, path: Path) -> Path:
    """Return the key of obs.yaml that decides the field at `path` of the ScaledObject, or the fleet itself."""
    while path:
        if path in built.origins:
            return built.origins[path]
        path = path[:-1]
    return built.fleet.path


def profile_of(fleet: Fleet) -> str:
    """Return one sentence on how a fleet is scaled."""
    if fleet.mode is Mode.REACTIVE:
        return "on the work and the saturation its own pods report; never below one replica"
    if fleet.scaler is ScalerKind.EXTERNAL_PUSH:
        return "on the backlog, waiting and claimed, that an external scaler reports"
    return "on the backlog of its coordination server, waiting and claimed"
