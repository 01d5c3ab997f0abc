"""Rules about names, the target and how many replicas there may be."""

from __future__ import annotations

from collections.abc import Iterator

from obs.checks.scaling.examples import CLAIM, REACTIVE, edited, without
from obs.checks.scaling.rule import Facts, Flaw, Rule, page
from obs.checks.scaling.view import Scaler, at
from obs.model.finding import Severity

MAX_NAME = 54
"""KEDA names the HPA `keda-hpa-<name>`, and a Kubernetes label value, which that becomes, has at most 63 characters."""

KEDA_MAX_REPLICAS = 100

_NOT_SCALABLE = ("Job", "CronJob", "DaemonSet", "Pod")


def _maximum(scaler: Scaler, facts: Facts) -> Iterator[Flaw]:
    del facts
    if not scaler.has("maxReplicaCount"):
        yield Flaw(
            (*scaler.spec, "maxReplicaCount"),
            f"`maxReplicaCount` is not set: KEDA takes {KEDA_MAX_REPLICAS}, a bill that nobody decided on",
            "say how many replicas there may be",
        )


def _name(scaler: Scaler, facts: Facts) -> Iterator[Flaw]:
    del facts
    hpa = (*scaler.spec, "advanced", "horizontalPodAutoscalerConfig", "name")
    given = at(scaler.document.data, hpa)
    if len(scaler.name) > MAX_NAME and not given:
        yield Flaw(
            ("metadata", "name"),
            f"`{scaler.name}` has {len(scaler.name)} characters; with `keda-hpa-` before it the name of the HPA is"
            " longer than the 63 that Kubernetes allows",
            f"shorten it to {MAX_NAME}, or set `advanced.horizontalPodAutoscalerConfig.name`",
        )
    elif given and len(str(given)) > 63:
        yield Flaw(hpa, f"the HPA's name has {len(str(given))} characters; 63 are allowed", "shorten it")


def _bounds(scaler: Scaler, facts: Facts) -> Iterator[Flaw]:
    del facts
    minimum, maximum = scaler.minimum, scaler.maximum
    if maximum is not None and maximum < 1:
        yield Flaw(
            (*scaler.spec, "maxReplicaCount"), f"`maxReplicaCount` is {maximum}", "set it to 1 or more"
        )
    elif maximum is not None and minimum > maximum:
        yield Flaw(
            (*scaler.spec, "minReplicaCount"),
            f"`minReplicaCount` {minimum} is above `maxReplicaCount` {maximum}",
            "lower the one or raise the other",
        )
    if scaler.idle is not None and (scaler.idle != 0 or scaler.idle >= minimum):
        yield Flaw(
            (*scaler.spec, "idleReplicaCount"),
            f"`idleReplicaCount` is {scaler.idle}: KEDA supports only 0, below a `minReplicaCount` of 1 or more",
            "set it to 0 and `minReplicaCount` to 1 or more, or drop it",
        )


def _target(scaler: Scaler, facts: Facts) -> Iterator[Flaw]:
    del facts
    where = (*scaler.spec, "scaleTargetRef")
    if not scaler.target_name:
        yield Flaw(
            where, "`scaleTargetRef` names no workload", "give its apiVersion, kind and name", Severity.ERROR
        )
        return
    missing = [key for key in ("apiVersion", "kind") if not at(scaler.data, ("scaleTargetRef", key))]
    if missing:
        yield Flaw(
            where,
            f"`scaleTargetRef` leaves out {' and '.join(missing)}; KEDA assumes an apps/v1 Deployment",
            "write both, so that two scalers of one workload can be told",
        )


def _scalable(scaler: Scaler, facts: Facts) -> Iterator[Flaw]:
    del facts
    if scaler.target_kind in _NOT_SCALABLE:
        yield Flaw(
            (*scaler.spec, "scaleTargetRef", "kind"),
            f"a {scaler.target_kind} has no scale subresource: KEDA cannot set its replicas",
            "target a Deployment or StatefulSet, or use a ScaledJob",
        )


def _inert(scaler: Scaler, facts: Facts) -> Iterator[Flaw]:
    del facts
    if scaler.minimum == 0 or scaler.idle is not None:
        return
    if scaler.has("cooldownPeriod"):
        yield Flaw(
            (*scaler.spec, "cooldownPeriod"),
            f"`cooldownPeriod` does nothing while `minReplicaCount` is {scaler.minimum}: it only delays the step to 0",
            "drop it; `scaleDown.stabilizationWindowSeconds` is what delays scaling down",
        )
    if scaler.has("pollingInterval") and not any(trigger.cached for trigger in scaler.triggers):
        yield Flaw(
            (*scaler.spec, "pollingInterval"),
            f"`pollingInterval` does nothing while `minReplicaCount` is {scaler.minimum}: the HPA asks every 15 s",
            "drop it",
        )


RULES = (
    Rule(
        page(
            "K045",
            "target-not-scalable",
            Severity.ERROR,
            "The target cannot be scaled.",
            """KEDA writes to the scale subresource. A Job, a CronJob, a DaemonSet and a Pod have none; what
            runs once or on a schedule is not a number of replicas.""",
            bad=edited(CLAIM, ("kind: Deployment", "kind: CronJob")),
            good=CLAIM,
            remedy="Target a Deployment or a StatefulSet.",
        ),
        _scalable,
    ),
    Rule(
        page(
            "K004",
            "no-maximum",
            Severity.ERROR,
            "`maxReplicaCount` is not written.",
            "KEDA then allows 100 replicas. How much a burst may cost is a decision, so it has to be written down.",
            bad=without(CLAIM, "  maxReplicaCount: 50"),
            good=CLAIM,
            remedy="Write maxReplicaCount.",
        ),
        _maximum,
    ),
    Rule(
        page(
            "K014",
            "name-too-long",
            Severity.ERROR,
            "The name leaves no room for the name of the HPA.",
            """KEDA creates an HPA called `keda-hpa-` and the name. Beyond 63 characters its creation fails:
            the ScaledObject is there and nothing scales.""",
            bad=edited(CLAIM, ("name: inbox-workers", f"name: {'inbox-' * 9}workers")),
            good=CLAIM,
            remedy="Use at most 54 characters, or name the HPA yourself.",
        ),
        _name,
    ),
    Rule(
        page(
            "K025",
            "impossible-bounds",
            Severity.ERROR,
            "The bounds on replicas contradict each other.",
            "KEDA refuses a minimum above the maximum, and supports no idle count but 0, below the minimum.",
            bad=edited(REACTIVE, ("minReplicaCount: 2", "minReplicaCount: 40")),
            good=REACTIVE,
            remedy="Order them: idle 0 < min <= max.",
        ),
        _bounds,
    ),
    Rule(
        page(
            "K036",
            "target-unclear",
            Severity.INFO,
            "`scaleTargetRef` does not name its workload in full.",
            """KEDA assumes an apps/v1 Deployment for what is left out. Written in full, people and tools can
            tell that two scalers have the same target.""",
            bad=without(CLAIM, "    apiVersion: apps/v1"),
            good=CLAIM,
            remedy="Write apiVersion, kind and name.",
        ),
        _target,
    ),
    Rule(
        page(
            "K032",
            "setting-without-effect",
            Severity.INFO,
            "A setting has no effect while a replica is always there.",
            """Above zero the HPA decides, every 15 seconds. `cooldownPeriod` and `pollingInterval` belong to
            the step between zero and one; who sets them on a fleet that never sleeps usually expects
            something else of them.""",
            bad=edited(REACTIVE, ("  minReplicaCount: 2", "  cooldownPeriod: 60\n  minReplicaCount: 2")),
            good=REACTIVE,
            remedy="Drop the setting; use the scaleDown behaviour to delay scaling down.",
        ),
        _inert,
    ),
)
