"""What a fleet is scaled on: each signal with its query and its target for one pod."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from obs import signals as expressions
from obs.documents.load import Path
from obs.model.config import Fleet, Mode, ScalerKind
from obs.model.metric import Kind, Metric, Status, Unit
from obs.promql.build import Matcher, aggregate, equal, selector
from obs.specs.resolve import LeftOutError
from obs.specs.scaling import Knobs
from obs.specs.sources import Sources

PENDING = "agent_pending_events"
IN_FLIGHT = "agent_inflight_reactions"
SATURATION = "agent_saturation"

_BOTH = "pending+claimed"
_ONLY_WAITING = "pending"


class Signal(NamedTuple):
    """One trigger: its query (or what an external scaler is asked for) and what one pod may have of it.

    `origin` is the key of obs.yaml that decides the query, `target_key` the one under `scaling:` that decides the
    target.
    """

    name: str
    expression: str
    target: float
    origin: Path
    external: bool = False
    target_key: str = "target"


def signals_of(
    sources: Sources, fleet: Fleet, knobs: Knobs, also: tuple[Matcher, ...] = ()
) -> tuple[Signal, ...]:
    """Return what a scaled fleet is scaled on, in a stable order: KEDA names metrics by the index of the trigger.

    A board that shows the same signals passes `also`, its own matchers, which the agents' series then carry too.
    Raise LeftOutError when the registry in use has nothing to scale the fleet on, UnknownNameError when `signals:`
    names what no registry has.
    """
    if knobs.query:
        found: tuple[Signal, ...] = (_own_query(fleet, knobs),)
    elif fleet.mode is Mode.CLAIM and fleet.scaler is ScalerKind.PROMETHEUS:
        found = (_backlog(fleet, knobs),)
    elif fleet.mode is Mode.CLAIM:
        found = ()
    else:
        found = tuple(_in_pod(sources, fleet, knobs, also))
    if fleet.scaler is ScalerKind.EXTERNAL_PUSH:
        found = (_external(fleet, knobs), *found)
    return found


def _scaling(fleet: Fleet, *keys: str) -> Path:
    """Return the path of the first of `keys` that the operator set under `scaling:`, or the fleet's own."""
    key = next((key for key in keys if key in fleet.overrides), "")
    return (*fleet.path, "scaling", key) if key else fleet.path


def _target(fleet: Fleet, knobs: Knobs) -> float:
    return knobs.target or knobs.target_per_capacity * fleet.capacity


def _own_query(fleet: Fleet, knobs: Knobs) -> Signal:
    return Signal("backlog", knobs.query, _target(fleet, knobs), _scaling(fleet, "query"))


def _backlog(fleet: Fleet, knobs: Knobs) -> Signal:
    matchers = equal(fleet.backlog.matchers) if fleet.backlog else ()
    query = expressions.backlog_for_scaler(matchers, pending_only=knobs.pending_only)
    origin = _scaling(fleet, "pending_only") if knobs.pending_only else (*fleet.path, "backlog")
    return Signal("backlog", query, _target(fleet, knobs), origin)


def _external(fleet: Fleet, knobs: Knobs) -> Signal:
    asked = _ONLY_WAITING if knobs.pending_only else _BOTH
    return Signal("push", asked, _target(fleet, knobs), _scaling(fleet, "pending_only"), external=True)


def _in_pod(sources: Sources, fleet: Fleet, knobs: Knobs, also: tuple[Matcher, ...]) -> Iterator[Signal]:
    """Yield the work that pods report, as one signal, and then each ratio by itself."""
    metrics = _chosen(sources, knobs)
    matchers = (*also, *equal({"fleet": fleet.name, "namespace": fleet.namespace}))
    work = [metric for metric in metrics if metric.unit is not Unit.RATIO]
    if work:
        query = expressions.work_for_scaler(work, matchers)
        yield Signal("work", query, _target(fleet, knobs), _scaling(fleet, "signals", "pending_only"))
    for metric in metrics:
        if metric.unit is Unit.RATIO:
            yield Signal(
                metric.name.removeprefix(sources.registry.prefix),
                _ratio(metric, knobs, matchers),
                knobs.saturation_target or sources.thresholds["saturation_target"].value,
                _scaling(fleet, "saturation_aggregation", "signals"),
                target_key="saturation_target",
            )


def _ratio(metric: Metric, knobs: Knobs, matchers: tuple[Matcher, ...]) -> str:
    if knobs.saturation_aggregation:
        return aggregate(knobs.saturation_aggregation, selector(metric.name, matchers))
    return expressions.for_scaler(metric, matchers)


def _chosen(sources: Sources, knobs: Knobs) -> tuple[Metric, ...]:
    if knobs.signals:
        return tuple(sources.resolver.metric(name) for name in knobs.signals)
    # Both or neither: waiting work without running work would shrink the fleet under what it is doing.
    work = _all_or_none(sources, (PENDING,) if knobs.pending_only else (PENDING, IN_FLIGHT))
    found = (*work, *_all_or_none(sources, (SATURATION,)))
    return found or _of_registry(sources)


def _all_or_none(sources: Sources, names: tuple[str, ...]) -> tuple[Metric, ...]:
    """Return the stable metrics that sources call `names`, or none when the registry lacks one of them."""
    try:
        found = tuple(sources.resolver.metric(name) for name in names)
    except LeftOutError:
        return ()
    return found if all(metric.status is Status.STABLE for metric in found) else ()


def _of_registry(sources: Sources) -> tuple[Metric, ...]:
    """Return the gauges that a registry of others marks as signals, for what it lacks of the known ones."""
    found = tuple(
        metric
        for metric in sources.registry.metrics
        if metric.autoscaling_signal
        and metric.kind is Kind.GAUGE
        and metric.status is Status.STABLE
        and metric.unit in (Unit.ONE, Unit.RATIO)
    )
    if not found:
        raise LeftOutError("the registry has no stable gauge that is marked as an autoscaling signal")
    return found
