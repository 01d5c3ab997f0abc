"""An agent's state as the families of its exposition: every metric the registry expects, and no other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from obs.exposition import MetricType, SampleFamily, Series
from obs.model.metric import (
    OVERFLOW,
    DomainKind,
    Kind,
    Metric,
    Presence,
    Registry,
    Status,
    ValueRule,
)
from obs.registry.semantics import NEUTRAL_PREFIX, local_name
from obs.synth.agent import AgentState
from obs.synth.body import Body, changed
from obs.synth.generic import Activity, points
from obs.synth.step import MEMORY_LIMIT, TOKEN_BUDGET
from obs.synth.world import World

Values = Mapping[str, Mapping[str, float]]
"""Values by metric (neutral name without prefix), then by label value (empty: no label)."""

COUNTERS = frozenset(
    {
        "runs", "loop_steps", "tokens", "intel_calls", "refusals", "limit_exceeded", "subagents_spawned",
        "subagents_exited", "subagent_restarts", "subagent_stuck_kills", "intel_errors", "mcp_connect_failures",
        "drains", "restarts", "reactor_stalls", "config_reload", "shard_skipped", "claims_lost", "claims_granted",
        "claims_released", "runs_started", "runs_failed", "runs_killed", "reactions", "restarts_tripped",
    }
)  # fmt: skip
"""The counters the model keeps, by neutral name without prefix and `_total`."""


@dataclass(frozen=True, slots=True)
class Options:
    """What an implementer may choose: cgroup figures or not, HELP and TYPE of provisional metrics or not."""

    conditional: bool = True
    declare_provisional: bool = False


def agent_body(world: World, agent: int, registry: Registry, options: Options) -> Body:
    """Return what the agent with this number exposes now, families in the order of the registry.

    The agent must be up: a process that is away exposes nothing at all.
    """
    state = world.agents[agent]
    known = _values(world, agent)
    activity = Activity(
        world.plan.agents[agent].pod, state.total("runs") + state.total("loop_steps"), world.time
    )
    families = [
        family
        for metric in registry.metrics
        if (family := _family(metric, known, registry.prefix, activity, options)) is not None
    ]
    return _equalised(families, registry)


def _values(world: World, agent: int) -> Values:
    state, fleet = world.agents[agent], world.plan.fleet_of(agent)
    found: dict[str, dict[str, float]] = {f"{name}_total": {} for name in COUNTERS}
    for (name, value), count in state.counts.items():
        found[f"{name}_total"][value] = float(count)
    found["runs_completed_total"] = {"": state.total("runs", "completed")}
    found["tokens_input_total"] = {"": state.total("tokens", "in")}
    found["tokens_output_total"] = {"": state.total("tokens", "out")}
    for name, level in _levels(state, fleet.capacity, world.time).items():
        found[name] = {"": level}
    return found


def _levels(state: AgentState, capacity: int, time: float) -> dict[str, float]:
    """Return the gauges. A level that follows from another is worked out from it, so that they cannot disagree."""
    busy = state.inflight > 0
    return {
        "up": 1,
        "ready": state.ready,
        "paused": state.paused,
        "intel_up": state.intelligence,
        "intel_all_down": not state.intelligence,
        "active_subagents": state.subagents,
        "tree_depth": 1 + (state.subagents > 0) + (state.subagents > 4) if busy else 0,
        "tree_breadth": min(state.subagents, 4),
        "config_generation": state.generation,
        "pending_events": state.pending,
        "inflight_reactions": state.inflight,
        "subscriptions_active": 0 if state.phase.value == "drained" else 3,
        "reaction_lag_ms": 1000 * state.lag(time),
        "saturation": min(1.0, state.inflight / capacity),
        "memory_max_bytes": MEMORY_LIMIT,
        "memory_current_bytes": state.memory,
        "budget_tokens_remaining": max(0, TOKEN_BUDGET - state.tokens_spent),
    }


def _family(
    metric: Metric, known: Values, prefix: str, activity: Activity, options: Options
) -> SampleFamily | None:
    """Return one family; None when this agent has nothing to say about the metric."""
    bare = SampleFamily(metric.name, MetricType(metric.kind), metric.help)
    presence = metric.semantics.presence
    if presence is Presence.UNBUILT or metric.status is Status.PROVISIONAL:
        return bare if options.declare_provisional else None
    if presence is Presence.CONDITIONAL and not options.conditional:
        return None
    values = known.get(local_name(metric.name, prefix).removeprefix(NEUTRAL_PREFIX))
    if values is None or len(metric.labels) > 1 or metric.kind is Kind.HISTOGRAM:
        found = tuple(points(metric, activity))
    else:
        found = tuple(_known(metric, values))
    if metric.kind is Kind.HISTOGRAM:  # its samples are counts, whatever the unit of what is measured
        return replace(bare, samples=found) if found else None
    family = changed(
        replace(bare, samples=found),
        lambda sample: replace(sample, value=fit(metric.semantics.values, sample.value)),
    )
    return family if family.samples else None


def _known(metric: Metric, values: Mapping[str, float]) -> Iterator[Series]:
    """Yield the samples of a metric the model keeps, with no label or one."""
    lazy = metric.semantics.presence is Presence.LAZY
    if not metric.labels:
        total = sum(values.values())
        if total or not lazy:
            yield Series(metric.name, (), total)
        return
    label = metric.labels[0]
    held = dict(values)
    if label.domain.kind is DomainKind.CLOSED:
        held = dict.fromkeys(label.domain.values, 0.0)
        for value, count in values.items():
            held[_slot(value, label.domain.values)] += count
    for value, count in held.items():
        if count or not lazy:
            yield Series(metric.name, ((label.key, value or OVERFLOW),), count)


def _slot(value: str, domain: tuple[str, ...]) -> str:
    """Return the value of a closed domain that counts `value`: itself, the overflow, or the last one."""
    if value in domain:
        return value
    return OVERFLOW if OVERFLOW in domain else domain[-1]


def fit(rule: ValueRule, value: float) -> float:
    """Return the value nearest to `value` that the rule allows."""
    match rule:
        case ValueRule.COUNT:
            return float(max(0, round(value)))
        case ValueRule.FLAG:
            return 1.0 if value >= 0.5 else 0.0
        case ValueRule.RATIO:
            return round(min(1.0, max(0.0, value)), 4)  # basis points (contract section 6.3)
        case ValueRule.NUMBER:
            return max(0.0, value)


def _equalised(families: list[SampleFamily], registry: Registry) -> Body:
    """Give each series that must equal another one the other's value (semantics `equals`)."""
    held = {(one.name, frozenset(one.labels)): one.value for family in families for one in family.samples}

    def same(family: SampleFamily) -> SampleFamily:
        reference = registry.by_name[family.name].semantics.equals
        if reference is None:
            return family
        value = held.get((reference.metric, frozenset(reference.labels)))
        return family if value is None else changed(family, lambda one: replace(one, value=value))

    return tuple(same(family) for family in families)
