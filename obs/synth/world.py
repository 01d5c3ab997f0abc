"""The whole synthetic fleet as a fold: a world, and the world one tick later.

A world is a pure function of its plan and of what was switched when: no clock is read here. The one who serves it says
how much model time has passed (`advance`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from obs.model.config import Fleet, Mode
from obs.synth.agent import AgentState, Phase, born
from obs.synth.chance import Chance
from obs.synth.plan import RUN_SECONDS, AgentPlan, Plan
from obs.synth.scenario import Conditions, Scenario, conditions
from obs.synth.step import MCP_SERVERS, Effects, Moment, Offer, step

UTILISATION = 0.6
"""Share of a fleet's capacity that normal demand fills."""

RELOAD_EVERY = 600.0  # seconds between configuration changes
DRAIN_TURN = 40.0  # seconds each agent has before the next one drains
WARM_UP = 300.0  # seconds a fleet has worked before it is first looked at
ACK_SHARE_DEAD = 0.002  # share of the items that end as dead letters


@dataclass(frozen=True, slots=True)
class Backlog:
    """The coordination server of a claim fleet. Law: submitted = acked + deadletter + pending + claimed."""

    pending: int = 0
    claimed: int = 0
    deadletter: int = 0
    counts: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))

    def plus(self, *, pending: int = 0, claimed: int = 0, deadletter: int = 0, **counts: int) -> Backlog:
        """Return the backlog with levels and counters moved by so much."""
        merged = dict(self.counts)
        for name, many in counts.items():
            merged[name] = merged.get(name, 0) + many
        return Backlog(
            self.pending + pending,
            self.claimed + claimed,
            self.deadletter + deadletter,
            MappingProxyType(merged),
        )


@dataclass(frozen=True, slots=True)
class World:
    """Everything at one moment. `scenarios` holds what each agent goes through, by its number."""

    plan: Plan
    ticks: int
    agents: tuple[AgentState, ...]
    backlogs: tuple[Backlog, ...]
    scenarios: tuple[Scenario, ...]

    @property
    def time(self) -> float:
        """Return the model time in seconds."""
        return self.ticks * self.plan.tick

    def members(self, fleet: int) -> tuple[AgentState, ...]:
        """Return the agents of a fleet."""
        return tuple(self.agents[agent.index] for agent in self.plan.members[fleet])


def make_world(plan: Plan, scenario: Scenario, warm_up: float = WARM_UP) -> World:
    """Return a world with a history of `warm_up` model seconds, the last minute of it in `scenario`.

    An idle world has never had work, so that its counters are zero.
    """
    start = World(
        plan,
        0,
        tuple(_first(agent, scenario) for agent in plan.agents),
        tuple(Backlog() for _ in plan.fleets),
        (scenario if scenario is Scenario.IDLE else Scenario.STEADY,) * len(plan.agents),
    )
    lately = min(60.0, warm_up)
    return advance(switch(advance(start, warm_up - lately), scenario), lately)


def _first(agent: AgentPlan, scenario: Scenario) -> AgentState:
    """Return a fresh process; every third one of a fleet at work failed once to reach a server as it started."""
    state = born(0.0, 1, 1)
    if scenario is Scenario.IDLE or agent.place % 3:
        return state
    failed = {("mcp_connect_failures", MCP_SERVERS[agent.place % len(MCP_SERVERS)][0]): 1}
    return replace(state, counts=MappingProxyType({**state.counts, **failed}))


def advance(world: World, seconds: float) -> World:
    """Return the world after as many whole ticks as fit into `seconds`."""
    for _ in range(int(seconds / world.plan.tick + 1e-9)):
        world = _tick(world)
    return world


def switch(world: World, scenario: Scenario, agents: Iterable[int] | None = None) -> World:
    """Return the world in which `agents` (default: all) go through `scenario` from now on."""
    chosen = None if agents is None else frozenset(agents)
    scenarios = tuple(
        scenario if chosen is None or index in chosen else now for index, now in enumerate(world.scenarios)
    )
    return replace(world, scenarios=scenarios)


def _tick(world: World) -> World:
    ticks = world.ticks + 1
    agents = list(world.agents)
    backlogs = []
    for index, fleet in enumerate(world.plan.fleets):
        backlogs.append(_tick_fleet(world, index, fleet, ticks, agents))
    return replace(world, ticks=ticks, agents=tuple(agents), backlogs=tuple(backlogs))


@dataclass(frozen=True, slots=True)
class _Tick:
    """One tick of one fleet: the fleet and how many agents it has, when the tick ends and how long it is (seconds)."""

    fleet: Fleet
    size: int
    time: float
    length: float


def _tick_fleet(world: World, index: int, fleet: Fleet, ticks: int, agents: list[AgentState]) -> Backlog:
    """Advance the agents of one fleet in `agents` and return its backlog."""
    plan, members = world.plan, world.plan.members[index]
    tick = _Tick(fleet, len(members), ticks * plan.tick, plan.tick)
    demands = [conditions(world.scenarios[member.index], tick.time) for member in members]
    backlog = world.backlogs[index]
    if fleet.mode is Mode.CLAIM:
        backlog = _submit(backlog, tick, demands, Chance(plan.seed, "fleet", index, ticks))
    for member, condition in _rotated(list(zip(members, demands, strict=True)), ticks % len(members)):
        scenario, dice = world.scenarios[member.index], Chance(plan.seed, member.index, ticks)
        offer, backlog = _offer(agents[member.index], backlog, condition, tick, dice)
        moment = Moment(tick.time, tick.length, scenario, condition, _drains(scenario, member, tick))
        state, effects = step(agents[member.index], fleet, moment, offer, dice)
        agents[member.index] = _reload(state, member, tick.time)
        backlog = _settle(backlog, effects, dice) if fleet.mode is Mode.CLAIM else backlog
    return backlog


def _rotated(items: list[tuple[AgentPlan, Conditions]], by: int) -> list[tuple[AgentPlan, Conditions]]:
    """Let another agent be first each tick, as no replica wins every claim."""
    return items[by:] + items[:by]


def normal_rate(fleet: Fleet, agents: int, time: float, tick: float) -> float:
    """Return the items or events a second that fill `UTILISATION` of the fleet, in a slow wave of a quarter.

    A place that a run leaves is taken again in the next tick, so the longer the tick the less a fleet can do.
    """
    wave = 1 + 0.25 * math.sin(2 * math.pi * time / 900.0)
    ends = (1 - math.exp(-tick / RUN_SECONDS[fleet.task_length])) / tick  # of one busy place, each second
    return UTILISATION * wave * fleet.capacity * agents * ends


def _submit(backlog: Backlog, tick: _Tick, demands: list[Conditions], chance: Chance) -> Backlog:
    demand = sum(condition.demand for condition in demands) / len(demands)
    new = chance.count(normal_rate(tick.fleet, tick.size, tick.time, tick.length) * demand * tick.length)
    return backlog.plus(pending=new, submitted=new, claims_deduped=chance.of(new, 0.01))


def _offer(
    state: AgentState, backlog: Backlog, condition: Conditions, tick: _Tick, chance: Chance
) -> tuple[Offer, Backlog]:
    """Return what an agent is offered in a tick: claims from the backlog, or events of its own."""
    if state.phase in {Phase.DOWN, Phase.DRAINED}:
        return Offer(), backlog
    if tick.fleet.mode is not Mode.CLAIM:
        rate = normal_rate(tick.fleet, 1, tick.time, tick.length) * condition.demand
        return Offer(events=chance.count(rate * tick.length)), backlog
    free = tick.fleet.capacity - state.inflight if state.ready and condition.intelligence else 0
    granted = max(0, min(free, backlog.pending))
    lost = chance.count(granted * condition.lost_per_claim)
    events = chance.count(0.1 * tick.length * condition.demand)
    renewed = chance.count(state.inflight * tick.length / 20.0)
    moved = backlog.plus(
        pending=-granted, claimed=granted, claims_granted=granted, claims_contended=lost, renewed=renewed
    )
    return Offer(events, granted, lost), moved


def _settle(backlog: Backlog, effects: Effects, chance: Chance) -> Backlog:
    """Book what an agent did with the items it held."""
    dead = chance.of(effects.acked, ACK_SHARE_DEAD)
    back = effects.released + effects.abandoned
    return backlog.plus(
        pending=back,
        claimed=-effects.acked - back,
        deadletter=dead,
        acked=effects.acked - dead,
        claims_deadlettered=dead,
        released=effects.released,
        expired=effects.abandoned,
    )


def _drains(scenario: Scenario, member: AgentPlan, tick: _Tick) -> bool:
    """Return whether it is this agent's turn to drain: one after the other, as in a rolling update."""
    if scenario is not Scenario.DRAINING:
        return False
    turn = int(tick.time / DRAIN_TURN)
    return turn % max(2, tick.size) == member.place and tick.time - turn * DRAIN_TURN < tick.length


def _reload(state: AgentState, member: AgentPlan, time: float) -> AgentState:
    """Apply a configuration that is out; agents follow a few seconds one after the other."""
    generation = 1 + int(time / RELOAD_EVERY)
    due = time % RELOAD_EVERY >= 2.0 * (member.place % 8) or generation - state.generation > 1
    if not state.up or state.generation >= generation or not due:
        return state
    counts = dict(state.counts)
    key = ("config_reload", "applied")
    counts[key] = counts.get(key, 0) + generation - state.generation
    return replace(state, generation=generation, counts=MappingProxyType(counts))
