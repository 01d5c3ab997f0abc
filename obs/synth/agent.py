"""One agent: its state, and what a tick of model time does to it.

The laws the state keeps (the tests hold it to them): runs started = runs ended + runs in flight; subagents spawned =
subagents exited + subagents alive; a limit or refusal that ends a run is counted with the run; intelligence errors
are at most as many as calls. A process that starts over counts from zero.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from types import MappingProxyType

Counts = Mapping[tuple[str, str], int]
"""Counters by metric (neutral name without prefix and `_total`) and label value (empty: no label)."""


class Phase(StrEnum):
    """Where a process is in its life."""

    SERVING = "serving"
    DRAINING = "draining"  # not ready, finishing what it has
    DRAINED = "drained"  # not ready, idle, about to exit
    DOWN = "down"  # no process: the target does not answer


@dataclass(frozen=True, slots=True)
class AgentState:
    """An agent at one moment. Times are model seconds.

    `starts` counts process starts; `since` is when the phase began, `ends` when it ends by itself; `queue` holds
    events not yet routed as (arrival, how many), oldest first; `crashes` counts those of this pod.
    """

    starts: int = 1
    born: float = 0.0
    phase: Phase = Phase.SERVING
    since: float = 0.0
    ends: float = float("inf")
    crashes: int = 0
    queue: tuple[tuple[float, int], ...] = ()
    inflight: int = 0
    subagents: int = 0
    generation: int = 1
    memory: int = 40_000_000
    tokens_spent: int = 0
    intelligence: bool = True
    paused: bool = False
    counts: Counts = field(default_factory=lambda: MappingProxyType({}))

    @property
    def up(self) -> bool:
        """Return whether there is a process that answers a scrape."""
        return self.phase is not Phase.DOWN

    @property
    def ready(self) -> bool:
        """Return whether it takes new work (contract section 6.3: a drain and a full outage clear readiness)."""
        return self.phase is Phase.SERVING and self.intelligence

    @property
    def pending(self) -> int:
        """Return how many events wait to be routed."""
        return sum(many for _, many in self.queue)

    def lag(self, time: float) -> float:
        """Return the age in seconds of the oldest event that waits; 0 when none does."""
        return time - self.queue[0][0] if self.queue else 0.0

    def total(self, metric: str, value: str | None = None) -> int:
        """Return a counter, summed over its label values unless one is named."""
        if value is not None:
            return self.counts.get((metric, value), 0)
        return sum(count for (name, _), count in self.counts.items() if name == metric)


BREAKER_CRASHES = 5


def born(time: float, starts: int, generation: int, crashes: int = 0) -> AgentState:
    """Return a process that has just started, has read its configuration and knows how often it was restarted.

    Restarts are the one counter that does not start over with the process: its supervisor counts them. From the fifth
    on the breaker trips.
    """
    trips = max(0, crashes - BREAKER_CRASHES + 1)
    counts = {
        ("config_reload", "applied"): 1,
        ("restarts", ""): crashes,
        ("restarts_tripped", ""): trips,
        ("limit_exceeded", "restart_storm"): trips,
    }
    return AgentState(
        starts=starts,
        born=time,
        since=time,
        generation=generation,
        crashes=crashes,
        counts=MappingProxyType(counts),
    )


MAX_QUEUE = 5_000
"""Events an agent holds; later ones are refused with reason `rate`."""

_QUEUE_STEPS = 120  # arrivals kept apart; more are merged with the newest


def enqueue(state: AgentState, time: float, many: int) -> tuple[AgentState, int]:
    """Return the state with `many` new events, and how many found no room."""
    room = max(0, MAX_QUEUE - state.pending)
    taken = min(room, many)
    if taken == 0:
        return state, many
    queue = state.queue
    if len(queue) >= _QUEUE_STEPS:
        arrived, held = queue[-1]
        queue = (*queue[:-1], (arrived, held + taken))
    else:
        queue = (*queue, (time, taken))
    return replace(state, queue=queue), many - taken


def dequeue(state: AgentState, many: int) -> AgentState:
    """Return the state after the oldest `many` events were routed."""
    left = many
    queue = list(state.queue)
    while left > 0 and queue:
        arrived, held = queue[0]
        taken = min(held, left)
        left -= taken
        if taken == held:
            queue.pop(0)
        else:
            queue[0] = (arrived, held - taken)
    return replace(state, queue=tuple(queue))
