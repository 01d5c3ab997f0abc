"""What one tick of model time does to one agent: a fold from state, conditions and chance to the next state."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from obs.model.config import Fleet, Mode
from obs.synth.agent import AgentState, Phase, born, dequeue, enqueue
from obs.synth.chance import Chance, Weights
from obs.synth.plan import RUN_SECONDS
from obs.synth.scenario import Conditions, Scenario

CALLS_PER_STEP = 2  # intelligence calls for a loop step, at most
STEPS_PER_SECOND = 0.4  # loop steps of one run
TOKENS_IN, TOKENS_OUT = 150, 28  # mean tokens of a call: few, as runs are shorter than in life
TOKEN_BUDGET = 5_000_000
MEMORY_BASE, MEMORY_PER_RUN = 38_000_000, 6_500_000  # bytes
MEMORY_LIMIT = 268_435_456  # bytes
MCP_SERVERS: Weights = (("tickets", 0.6), ("search", 0.3), ("files", 0.1))
SUBAGENT_ENDS: Weights = (("completed", 0.965), ("crashed", 0.005), ("cancelled", 0.02), ("deadline", 0.01))
DRAINED_SECONDS = 25.0  # a drained process stays until the next scrapes have seen it
CRASH_BACKOFF, CRASH_BACKOFF_MAX = 10.0, 60.0  # as the kubelet does: doubles up to a ceiling

_ENDS_BY_LIMIT = MappingProxyType(
    {"exhausted_steps": "steps", "exhausted_tokens": "tokens", "deadline": "deadline"}
)
_FAILED = frozenset({"stalled", "loop_detected", "crashed", "other"})
_KILLED = frozenset({"deadline", "cancelled"})


@dataclass(frozen=True, slots=True)
class Offer:
    """What the world offers an agent in one tick: events to queue, and claims it won and lost."""

    events: int = 0
    granted: int = 0
    lost: int = 0


@dataclass(frozen=True, slots=True)
class Moment:
    """The tick: when it ends, how long it is (model seconds), and what is the matter."""

    time: float
    length: float
    scenario: Scenario
    conditions: Conditions
    drain_now: bool = False


@dataclass(frozen=True, slots=True)
class Effects:
    """What a tick of an agent did to the shared backlog: items finished, given back, and lost with the process."""

    acked: int = 0
    released: int = 0
    abandoned: int = 0


class _Tally:
    """Counters while a tick lasts."""

    def __init__(self, counts: Mapping[tuple[str, str], int]) -> None:
        self.counts = dict(counts)

    def add(self, metric: str, many: int, value: str = "") -> None:
        """Count `many` events of a metric."""
        if many:
            key = (metric, value)
            self.counts[key] = self.counts.get(key, 0) + many


def step(
    state: AgentState, fleet: Fleet, moment: Moment, offer: Offer, chance: Chance
) -> tuple[AgentState, Effects]:
    """Return the agent one tick later, and what it did to the shared backlog."""
    if state.phase is Phase.DOWN:
        if moment.time < state.ends:
            return state, Effects()
        state = born(moment.time, state.starts + 1, state.generation, state.crashes)
    if moment.scenario is Scenario.CRASHLOOP and chance.happens(moment.length / 35.0):
        return _crash(state, moment, offer)
    tally = _Tally(state.counts)
    state = replace(state, intelligence=moment.conditions.intelligence)
    state = _take(state, fleet, moment, offer, tally)
    state, ended, failed = _work(state, fleet, moment, tally, chance)
    state = _subagents(state, moment, tally, chance)
    _trouble(fleet, moment, tally, chance)
    state, released = _drain(state, fleet, moment, tally)
    memory = MEMORY_BASE + MEMORY_PER_RUN * state.inflight + int(chance.share() * 3_000_000)
    effects = Effects(acked=ended, released=released + failed)
    if not moment.conditions.budget or state.tokens_spent >= TOKEN_BUDGET:
        spent = 0 if moment.conditions.budget else TOKEN_BUDGET  # who raises a budget starts it anew
        state = replace(state, tokens_spent=spent)
    state = replace(state, memory=memory, counts=MappingProxyType(tally.counts))
    if state.phase is Phase.DRAINED and moment.time >= state.ends:
        state = born(moment.time, state.starts + 1, state.generation)
    return state, effects


def _crash(state: AgentState, moment: Moment, offer: Offer) -> tuple[AgentState, Effects]:
    away = min(CRASH_BACKOFF_MAX, CRASH_BACKOFF * 2 ** min(state.crashes, 8))
    gone = replace(
        state,
        phase=Phase.DOWN,
        since=moment.time,
        ends=moment.time + away,
        crashes=state.crashes + 1,
        inflight=0,
        queue=(),
        subagents=0,
        counts=MappingProxyType({}),
    )
    return gone, Effects(abandoned=state.inflight + offer.granted)


def _take(state: AgentState, fleet: Fleet, moment: Moment, offer: Offer, tally: _Tally) -> AgentState:
    """Queue new events and start what there is capacity for; claimed items start at once."""
    state, shed = enqueue(state, moment.time, offer.events)
    tally.add("refusals", shed, "rate")
    tally.add("claims_granted", offer.granted)
    tally.add("claims_lost", offer.lost)
    if not state.ready:
        return state
    claims = fleet.mode is Mode.CLAIM
    free = state.pending if claims else max(0, fleet.capacity - state.inflight)
    routed = min(free, state.pending)
    started = offer.granted if claims else routed
    tally.add("reactions", routed)
    tally.add("runs_started", started)
    return replace(dequeue(state, routed), inflight=state.inflight + started)


def _work(
    state: AgentState, fleet: Fleet, moment: Moment, tally: _Tally, chance: Chance
) -> tuple[AgentState, int, int]:
    """Advance the runs in flight; return the state, how many ended, and how many failed so that others may try."""
    busy = state.inflight if moment.conditions.progress else 0
    steps = chance.count(busy * STEPS_PER_SECOND * moment.length)
    calls = steps + chance.of(steps, CALLS_PER_STEP - 1.3)
    if not moment.conditions.intelligence:
        calls = chance.count(0.8 * moment.length)  # probes
    failed = chance.of(calls, moment.conditions.intel_error_share)
    tally.add("loop_steps", steps)
    tally.add("intel_calls", calls)
    for _ in range(failed):
        tally.add("intel_errors", 1, chance.pick(moment.conditions.intel_errors))
    spent = _tokens((calls - failed) * moment.conditions.thirst, tally, chance)
    mean = RUN_SECONDS[fleet.task_length] if moment.conditions.intelligence else 4.0
    statuses = [
        chance.pick(moment.conditions.outcomes)
        for _ in range(chance.of(busy, 1 - math.exp(-moment.length / mean)))
    ]
    for status in statuses:
        _end_run(status, moment, tally, chance)
    given_back = sum(status == "crashed" for status in statuses) if fleet.mode is Mode.CLAIM else 0
    tally.add("claims_released", given_back)
    state = replace(state, inflight=state.inflight - len(statuses), tokens_spent=state.tokens_spent + spent)
    return state, len(statuses) - given_back, given_back


def _tokens(calls: float, tally: _Tally, chance: Chance) -> int:
    if calls <= 0:
        return 0
    sent = round(calls * TOKENS_IN * (0.7 + 0.6 * chance.share()))
    received = round(calls * TOKENS_OUT * (0.7 + 0.6 * chance.share()))
    tally.add("tokens", sent, "in")
    tally.add("tokens", received, "out")
    return sent + received


def _end_run(status: str, moment: Moment, tally: _Tally, chance: Chance) -> None:
    tally.add("runs", 1, status)
    if status in _ENDS_BY_LIMIT:
        limit = _ENDS_BY_LIMIT[status]
        if limit == "tokens" and moment.scenario is Scenario.BUDGET_EXHAUSTION:
            limit = "tree_tokens"
        tally.add("limit_exceeded", 1, limit)
    if status == "refused":
        tally.add("refusals", 1, chance.pick(moment.conditions.refusals))
    if status in _FAILED:
        tally.add("runs_failed", 1)
    if status in _KILLED:
        tally.add("runs_killed", 1)


def _subagents(state: AgentState, moment: Moment, tally: _Tally, chance: Chance) -> AgentState:
    """Spawn and end subagents: about three for two runs in flight."""
    if not moment.conditions.progress:
        return _kill_stuck(state, moment, tally, chance)
    wanted = round(state.inflight * 1.5)
    gone = (
        chance.of(state.subagents, 1 - math.exp(-moment.length / 8.0)) if state.inflight else state.subagents
    )
    spawned = max(0, chance.count((wanted - state.subagents + gone) * 0.7) if wanted else 0)
    for _ in range(gone):
        status = chance.pick(SUBAGENT_ENDS)
        tally.add("subagents_exited", 1, status)
        if status == "crashed" and chance.happens(0.6):
            tally.add("subagent_restarts", 1, "crashed")
    if chance.happens(0.002 * moment.length * bool(state.inflight)):
        tally.add("limit_exceeded", 1, "depth")
    tally.add("subagents_spawned", spawned)
    return replace(state, subagents=state.subagents - gone + spawned)


def _kill_stuck(state: AgentState, moment: Moment, tally: _Tally, chance: Chance) -> AgentState:
    """Stuck runs have subagents too. One is asked to stop, then killed, then started again: the number alive stays."""
    missing = max(0, round(state.inflight * 1.5) - state.subagents)
    tally.add("subagents_spawned", missing)
    state = replace(state, subagents=state.subagents + missing)
    for signal, mean in (("term", 25.0), ("kill", 60.0)):
        killed = min(state.subagents, chance.count(moment.length / mean))
        tally.add("subagent_stuck_kills", killed, signal)
        tally.add("subagents_exited", killed, "stalled")
        tally.add("subagents_spawned", killed)
        tally.add("subagent_restarts", killed, "stuck")
    return state


def _trouble(fleet: Fleet, moment: Moment, tally: _Tally, chance: Chance) -> None:
    """Count what goes wrong beside the runs."""
    length = moment.length
    if moment.scenario is Scenario.STUCK:
        tally.add("reactor_stalls", chance.count(length / 20.0))
    if moment.scenario is Scenario.BUDGET_EXHAUSTION:
        tally.add("refusals", chance.count(length * 0.3), "budget")
    if moment.scenario is Scenario.IDLE:
        return
    if fleet.mode is Mode.SHARD:
        tally.add("shard_skipped", chance.count(length * 0.02))
    for _ in range(chance.count(length * (0.05 if moment.scenario is Scenario.INTEL_OUTAGE else 0))):
        tally.add("mcp_connect_failures", 1, chance.pick(MCP_SERVERS))


def _drain(state: AgentState, fleet: Fleet, moment: Moment, tally: _Tally) -> tuple[AgentState, int]:
    """Begin, go on with or end a drain; return the state and how many claims were given back."""
    if state.phase is Phase.SERVING and moment.drain_now:
        tally.add("drains", 1, "started")
        return replace(state, phase=Phase.DRAINING, since=moment.time), 0
    if state.phase is not Phase.DRAINING:
        return state, 0
    late = moment.time - state.since >= fleet.drain_timeout
    if state.inflight and not late:
        return state, 0
    cut = state.inflight
    tally.add("drains", 1, "forced" if cut else "completed")
    tally.add("runs", cut, "cancelled")
    tally.add("runs_killed", cut)
    released = cut if fleet.mode is Mode.CLAIM else 0
    tally.add("claims_released", released)
    tally.add("subagents_exited", state.subagents, "cancelled")
    ends = moment.time + DRAINED_SECONDS
    done = replace(
        state, phase=Phase.DRAINED, since=moment.time, ends=ends, inflight=0, subagents=0, queue=()
    )
    return done, released
