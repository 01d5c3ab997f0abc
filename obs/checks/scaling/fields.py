"""Rules about the shape of a ScaledObject: fields that exist, of the right type, in the KEDA version in use."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from obs.checks.scaling.examples import CLAIM, edited, without
from obs.checks.scaling.rule import Facts, Flaw, Rule, page
from obs.checks.scaling.view import PROMETHEUS, Scaler, at, mapping, whole_number
from obs.documents.load import Path
from obs.documents.suggest import did_you_mean
from obs.model.finding import Severity

API_VERSION = "keda.sh/v1alpha1"

_OUTSIDE = ("metricType", "useCachedMetrics", "authenticationRef")
_BEHAVIOR: Path = ("advanced", "horizontalPodAutoscalerConfig", "behavior")
_DIRECTION = ("stabilizationWindowSeconds", "selectPolicy", "policies", "tolerance")
_COUNTS = (
    "pollingInterval",
    "cooldownPeriod",
    "initialCooldownPeriod",
    "minReplicaCount",
    "maxReplicaCount",
    "idleReplicaCount",
)
_FIELDS: tuple[tuple[Path, tuple[str, ...]], ...] = (
    ((), ("scaleTargetRef", *_COUNTS, "fallback", "advanced", "triggers")),
    (("scaleTargetRef",), ("apiVersion", "kind", "name", "envSourceContainerName")),
    (("fallback",), ("failureThreshold", "replicas", "behavior")),
    (("advanced",), ("restoreToOriginalReplicaCount", "horizontalPodAutoscalerConfig", "scalingModifiers")),
    (("advanced", "horizontalPodAutoscalerConfig"), ("name", "behavior")),
    (("advanced", "scalingModifiers"), ("formula", "target", "activationTarget", "metricType")),
    (_BEHAVIOR, ("scaleUp", "scaleDown")),
    ((*_BEHAVIOR, "scaleUp"), _DIRECTION),
    ((*_BEHAVIOR, "scaleDown"), _DIRECTION),
)
_TRIGGER = ("type", "name", "metricType", "useCachedMetrics", "metadata", "authenticationRef")
_LEAST = {"pollingInterval": 1, "maxReplicaCount": 1}

_SINCE: tuple[tuple[Path, tuple[int, int]], ...] = (
    (("initialCooldownPeriod",), (2, 14)),
    (("fallback", "behavior"), (2, 17)),
    (("advanced", "scalingModifiers"), (2, 12)),
    ((*_BEHAVIOR, "scaleUp", "tolerance"), (2, 18)),
    ((*_BEHAVIOR, "scaleDown", "tolerance"), (2, 18)),
)
_METADATA_SINCE = {
    "activationThreshold": (2, 8),
    "ignoreNullValues": (2, 8),
    "unsafeSsl": (2, 9),
    "queryParameters": (2, 13),
    "enableTLS": (2, 17),
}
_ANNOTATION_SINCE = {
    "scaledobject.keda.sh/transfer-hpa-ownership": (2, 11),
    "autoscaling.keda.sh/paused-scale-in": (2, 18),
    "autoscaling.keda.sh/paused-scale-out": (2, 18),
    "autoscaling.keda.sh/force-activation": (2, 18),
}
"""The first KEDA version whose documentation names the field."""

_PAUSES = ("autoscaling.keda.sh/paused", "autoscaling.keda.sh/paused-replicas")


def _unknown(scaler: Scaler, facts: Facts) -> Iterator[Flaw]:
    del facts
    version = mapping(scaler.document.data).get("apiVersion")
    if version != API_VERSION:
        yield Flaw(("apiVersion",), f"`apiVersion` is `{version}`", f"write `apiVersion: {API_VERSION}`")
    yield from _misplaced(scaler)
    spec = scaler.data
    for path, known in _FIELDS:
        yield from _unknown_in(at(spec, path), (*scaler.spec, *path), known)
    triggers = spec.get("triggers")
    if not isinstance(triggers, list) or not triggers:
        yield Flaw((*scaler.spec, "triggers"), "there is no trigger", "add one on the backlog of the fleet")
        return
    for index, trigger in enumerate(triggers):
        yield from _unknown_in(trigger, (*scaler.spec, "triggers", index), _TRIGGER)
    yield from _wrong_types(scaler)


def _misplaced(scaler: Scaler) -> Iterator[Flaw]:
    for trigger in scaler.triggers:
        for key in _OUTSIDE if trigger.external or trigger.kind == PROMETHEUS else ():
            if key in trigger.metadata:
                yield Flaw(
                    trigger.at(key),
                    f"`{key}` in the metadata is ignored",
                    f"move `{key}` up, beside `metadata`",
                )


def _unknown_in(value: Any, path: Path, known: tuple[str, ...]) -> Iterator[Flaw]:
    if value is not None and not isinstance(value, Mapping):
        yield Flaw(path, f"`{path[-1]}` is not a mapping", f"it holds {', '.join(known)}")
    for key in mapping(value):
        if key not in known:
            yield Flaw((*path, key), f"a ScaledObject has no field `{key}` here", did_you_mean(key, known))


def _wrong_types(scaler: Scaler) -> Iterator[Flaw]:
    for key in _COUNTS:
        value = scaler.data.get(key)
        if value is None:
            continue
        number, least = whole_number(value), _LEAST.get(key, 0)
        if number is None:
            yield Flaw(
                (*scaler.spec, key), f"`{key}` is `{value}`, not a whole number", "write one, without quotes"
            )
        elif number < least and key != "maxReplicaCount":
            yield Flaw((*scaler.spec, key), f"`{key}` is {number}", f"use {least} or more")


def _version(scaler: Scaler, facts: Facts) -> Iterator[Flaw]:
    if facts.keda is None:
        return
    found: list[tuple[Path, tuple[int, int]]] = [
        ((*scaler.spec, *path), since) for path, since in _SINCE if at(scaler.data, path) is not None
    ]
    for trigger in scaler.triggers:
        found += [
            (trigger.at(key), since) for key, since in _METADATA_SINCE.items() if key in trigger.metadata
        ]
        if trigger.cached:
            found.append(((*trigger.path, "useCachedMetrics"), (2, 9)))
    found += [
        (("metadata", "annotations", name), since)
        for name, since in _ANNOTATION_SINCE.items()
        if name in scaler.annotations
    ]
    for path, since in found:
        if facts.keda < since:
            yield Flaw(
                path,
                f"`{path[-1]}` came with KEDA {since[0]}.{since[1]}; {facts.keda[0]}.{facts.keda[1]}"
                " ignores or refuses it",
                "upgrade KEDA or drop the field",
            )


def _paused(scaler: Scaler, facts: Facts) -> Iterator[Flaw]:
    del facts
    for name in _PAUSES:
        value = scaler.annotations.get(name)
        if value is not None and str(value).lower() != "false":
            yield Flaw(
                ("metadata", "annotations", name),
                f"`{name}: {value}` is left in: KEDA removes the HPA and nothing scales until it goes",
                "drop the annotation",
            )


RULES = (
    Rule(
        page(
            "K037",
            "malformed",
            Severity.ERROR,
            "A field does not exist or has the wrong type.",
            """A misspelt field is dropped by some clients and refused by others; either way the setting is
            not there. The most common is minReplicas, which belongs to an HPA.""",
            bad=edited(CLAIM, ("  maxReplicaCount: 50", "  maxReplicaCount: 50\n  minReplicas: 2")),
            good=CLAIM,
            remedy="Correct the name or the type.",
        ),
        _unknown,
    ),
    Rule(
        page(
            "K028",
            "keda-too-old",
            Severity.ERROR,
            "A field is newer than the KEDA in use.",
            """An older KEDA drops the field without a word, so the manifest promises what is not done. Judged
            only where the version is known (`kubernetes.keda_version` of obs.yaml); the examples are for 2.13.""",
            bad=CLAIM,
            good=edited(
                without(CLAIM, "  initialCooldownPeriod: 300"),
                ("\n    behavior: currentReplicasIfHigher", ""),
            ),
            remedy="Upgrade KEDA, or say the version that runs.",
        ),
        _version,
    ),
    Rule(
        page(
            "K041",
            "paused",
            Severity.INFO,
            "The ScaledObject is paused.",
            """A paused ScaledObject has no HPA at all. Any text but "false" pauses it, also "no" and the
            empty one.""",
            bad=edited(
                CLAIM,
                (
                    "  namespace: agents\n",
                    '  namespace: agents\n  annotations: {autoscaling.keda.sh/paused: "true"}\n',
                ),
            ),
            good=CLAIM,
            remedy="Drop the annotation when the reason is gone.",
        ),
        _paused,
    ),
)
