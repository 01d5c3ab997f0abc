"""What surrounds the agents of a cluster: coordination servers, autoscalers and kube-state-metrics, as bodies.

Names and labels are those of `registry/platform.yaml`; values follow from the same world as the agents'.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from obs.exposition import MetricType, SampleFamily, Series
from obs.model.config import Fleet, Mode
from obs.synth.agent import Phase
from obs.synth.body import Body, Labels
from obs.synth.world import World

POLL_SECONDS = 15.0  # KEDA's polling of a trigger, here only to count reads
SATURATION_TARGET = 0.7
EVERY_RESTARTED = 5  # every fifth pod has restarted once before the model began, as pods have


def coordination_body(world: World, fleet: int) -> Body:
    """Return what the coordination server of a claim fleet exposes."""
    backlog = world.backlogs[fleet]
    counters = (
        ("submitted", "Items put into the backlog."),
        ("claims_granted", "Claims that were granted."),
        ("claims_contended", "Claims refused because another agent held the item."),
        ("claims_deduped", "Items that were already there."),
        ("claims_deadlettered", "Items given up after too many attempts."),
        ("renewed", "Claims that were renewed."),
        ("acked", "Items that were finished."),
        ("released", "Claims that were given back."),
        ("expired", "Claims whose holder went away."),
    )
    levels = (
        ("pending", "Items that wait.", backlog.pending),
        ("claimed", "Items that agents hold.", backlog.claimed),
        ("deadletter", "Items that were given up.", backlog.deadletter),
    )
    return (
        *(_single(f"agentctl_coordination_{name}", "gauge", text, value) for name, text, value in levels),
        *(
            _single(f"agentctl_coordination_{name}_total", "counter", text, backlog.counts.get(name, 0))
            for name, text in counters
        ),
    )


def scaler_body(world: World, fleet: int) -> Body:
    """Return what the control plane's external scaler exposes about one fleet."""
    reads = int(world.time / POLL_SECONDS)
    return (
        _single("agentctl_scaler_stats_reads_total", "counter", "Reads of a backlog.", reads),
        _single("agentctl_scaler_stats_errors_total", "counter", "Reads of a backlog that failed.", 0),
        _single("agentctl_scaler_last_backlog", "gauge", "The backlog last read.", _demand(world, fleet)),
    )


def _single(name: str, kind: str, text: str, value: float) -> SampleFamily:
    return SampleFamily(name, MetricType(kind), text, samples=(Series(name, (), value),))


@dataclass(frozen=True, slots=True)
class Scaling:
    """How an autoscaler sees one fleet: replicas as they are, as wanted, and their bounds."""

    current: int
    ready: int
    desired: int
    minimum: int
    maximum: int
    metric: float
    target: float


def scaling(world: World, fleet: int) -> Scaling:
    """Return the autoscaler's view: what the backlog (or the load) would need, within the bounds of the fleet."""
    spec = world.plan.fleets[fleet]
    members = world.members(fleet)
    current = len(members)
    maximum = max(spec.max_replicas or current, current)
    target = _target(spec)
    need = math.ceil(_demand(world, fleet) / target) if target else current
    desired = min(maximum, max(spec.min_replicas, need))
    ready = sum(state.ready for state in members)
    return Scaling(current, ready, desired, spec.min_replicas, maximum, _demand(world, fleet), target)


def _target(fleet: Fleet) -> float:
    return float(fleet.capacity) if fleet.mode is Mode.CLAIM else SATURATION_TARGET


def _demand(world: World, fleet: int) -> float:
    spec = world.plan.fleets[fleet]
    if spec.mode is Mode.CLAIM:
        return float(world.backlogs[fleet].pending + world.backlogs[fleet].claimed)
    shares = (min(1.0, state.inflight / spec.capacity) for state in world.members(fleet) if state.up)
    return round(sum(shares), 4)


Row = tuple[str, str, Labels, float]  # name, kind, labels, value


def kubernetes_body(world: World) -> Body:
    """Return the kube-state-metrics series of every fleet and pod; labels hold the object's namespace."""
    rows = [row for index in range(len(world.plan.fleets)) for row in _fleet_rows(world, index)]
    rows += [row for index in range(len(world.agents)) for row in _pod_rows(world, index)]
    return _grouped(rows)


def keda_body(world: World) -> Body:
    """Return KEDA's series of every fleet it scales."""
    rows: list[Row] = []
    for index, fleet in enumerate(world.plan.fleets):
        if fleet.mode is Mode.SHARD:
            continue
        own: Labels = (("exported_namespace", fleet.namespace), ("scaledObject", fleet.workload.name))
        trigger: Labels = (
            *own,
            ("metric", _metric_name(fleet)),
            ("scaler", "prometheusScaler"),
            ("triggerIndex", "0"),
        )
        demand = _demand(world, index)
        rows += [
            ("keda_scaler_active", "gauge", trigger, float(demand > 0)),
            ("keda_scaler_metrics_value", "gauge", trigger, demand),
            ("keda_scaler_detail_errors_total", "counter", trigger, 0),
            ("keda_scaled_object_errors_total", "counter", own, 0),
            (
                "keda_scaler_empty_upstream_responses_total",
                "counter",
                (*own, ("triggerName", "backlog")),
                0,
            ),
        ]
    return _grouped(rows)


def _metric_name(fleet: Fleet) -> str:
    return f"s0-prometheus-{fleet.workload.name}"


def _fleet_rows(world: World, index: int) -> Iterator[Row]:
    fleet, view = world.plan.fleets[index], scaling(world, index)
    name, space = fleet.workload.name, ("namespace", fleet.namespace)
    if fleet.workload.kind == "StatefulSet":
        yield "kube_statefulset_replicas", "gauge", (space, ("statefulset", name)), view.current
        yield "kube_statefulset_status_replicas_ready", "gauge", (space, ("statefulset", name)), view.ready
    else:
        yield "kube_deployment_spec_replicas", "gauge", (space, ("deployment", name)), view.current
        yield "kube_deployment_status_replicas_ready", "gauge", (space, ("deployment", name)), view.ready
    if fleet.mode is Mode.SHARD:
        return
    hpa: Labels = (space, ("horizontalpodautoscaler", f"keda-hpa-{name}"))
    prefix = "kube_horizontalpodautoscaler"
    target: Labels = (("scaletargetref_kind", fleet.workload.kind), ("scaletargetref_name", name))
    yield f"{prefix}_info", "gauge", (*hpa, *target), 1
    yield f"{prefix}_spec_max_replicas", "gauge", hpa, view.maximum
    yield f"{prefix}_spec_min_replicas", "gauge", hpa, max(1, view.minimum)
    yield f"{prefix}_status_current_replicas", "gauge", hpa, view.current
    yield f"{prefix}_status_desired_replicas", "gauge", hpa, max(1, view.desired)
    measured: Labels = (("metric_name", _metric_name(fleet)), ("metric_target_type", "average"))
    yield f"{prefix}_spec_target_metric", "gauge", (*hpa, *measured), view.target
    for condition, holds in (
        ("ScalingActive", True),
        ("AbleToScale", True),
        ("ScalingLimited", view.desired >= view.maximum),
    ):
        for status, value in (("true", holds), ("false", not holds), ("unknown", False)):
            labels: Labels = (*hpa, ("condition", condition), ("status", status))
            yield f"{prefix}_status_condition", "gauge", labels, float(value)


def _pod_rows(world: World, index: int) -> Iterator[Row]:
    plan, state = world.plan.agents[index], world.agents[index]
    fleet = world.plan.fleet_of(index)
    address = f"10.{index // 62_500}.{index // 250 % 250}.{index % 250 + 1}"
    node = f"node-{index % 3 + 1}"
    pod: Labels = (
        ("namespace", fleet.namespace),
        ("pod", plan.pod),
        ("uid", f"00000000-0000-4000-8000-{index:012d}"),
    )
    container: Labels = (*pod, ("container", "agent"))
    yield (
        "kube_pod_info",
        "gauge",
        (
            *pod,
            ("node", node),
            ("created_by_kind", fleet.workload.kind),
            ("created_by_name", fleet.workload.name),
            ("host_ip", f"10.255.0.{index % 3 + 1}"),
            ("pod_ip", address),
        ),
        1,
    )
    yield "kube_pod_labels", "gauge", (*pod, ("label_agentctl_dev_agent", fleet.name)), 1
    earlier = plan.place % EVERY_RESTARTED == 0
    restarts = state.crashes + earlier  # what drains is replaced, and a new pod counts from zero
    yield "kube_pod_container_status_restarts_total", "counter", container, restarts
    limit: Labels = (*container, ("resource", "memory"), ("unit", "byte"), ("node", node))
    yield "kube_pod_container_resource_limits", "gauge", limit, 268_435_456
    if restarts or state.phase is Phase.DOWN:
        crashed = state.crashes > 0
        reason = "Error" if crashed else "Completed"
        yield (
            "kube_pod_container_status_last_terminated_reason",
            "gauge",
            (*container, ("reason", reason)),
            1,
        )
        code = 1 if crashed else 0
        yield "kube_pod_container_status_last_terminated_exitcode", "gauge", container, code


def _grouped(rows: list[Row]) -> Body:
    found: dict[str, list[Series]] = {}
    kinds: dict[str, str] = {}
    for name, kind, labels, value in rows:
        kinds[name] = kind
        found.setdefault(name, []).append(Series(name, tuple(sorted(labels)), value))
    return tuple(
        SampleFamily(
            name, MetricType(kinds[name]), f"As {name.split('_')[0]} exposes it.", samples=tuple(found[name])
        )
        for name in sorted(found)
    )
