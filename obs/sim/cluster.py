"""The simulated fleet: a queue, the pods that claim from it, and their life between control decisions.

An event queue in whole seconds. In one second, first what was due happens (tasks end, pods become ready,
drains end, leases run out), then returned items join the head of the queue and new ones its tail, then pods
claim. The state is mutable because a week has hundreds of thousands of events; one `Cluster` belongs to one
run.
"""

from __future__ import annotations

import heapq
from collections import deque
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import TYPE_CHECKING

from obs.sim.workload import Victims, Workload

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from obs.sim.faults import Weather


class Phase(Enum):
    """The life of a pod; it is starting from its creation on, wherever it waits."""

    STARTING = auto()
    READY = auto()
    DRAINING = auto()
    GONE = auto()


class _Kind(Enum):
    """What an entry of the event queue is."""

    DONE = auto()
    READY = auto()
    DRAINED = auto()
    LEASE = auto()


@dataclass(slots=True, eq=False)
class Pod:
    """One pod; `held` maps the items it works on to the second it claimed them."""

    number: int
    phase: Phase = Phase.STARTING
    held: dict[int, int] = field(default_factory=dict)


@dataclass(slots=True)
class Totals:
    """What adds up over a run; seconds are integrals over time."""

    replica_seconds: int = 0
    busy_pod_seconds: int = 0
    wasted_seconds: int = 0
    interrupted: int = 0
    done: int = 0
    at_zero_longest: int = 0


class Cluster:
    """Queue and pods. `advance` moves time; `scale` is what a write to spec.replicas does."""

    def __init__(
        self, workload: Workload, arrivals: Sequence[int], service: Sequence[int], weather: Weather
    ) -> None:
        self.workload = workload
        self.weather = weather
        self.now = 0
        self.spec = 0
        self.pending: deque[int] = deque()
        self.claimed = 0
        self.totals = Totals()
        self.claimed_at: list[int] = [-1] * len(arrivals)
        self.on_arrival_at_zero: Callable[[int], None] | None = None
        self._arrivals = arrivals
        self._service = service
        self._next = 0
        self._attempt: list[int] = [0] * len(arrivals)
        self._events: list[tuple[int, int, _Kind, Pod | None, int, int]] = []
        self._sequence = 0
        self._pods = 0
        self._existing = 0
        self._busy = 0
        self.unplaced: deque[Pod] = deque()
        self.starting: list[Pod] = []
        self.ready: list[Pod] = []
        self.draining: list[Pod] = []
        self._returned: list[int] = []
        self._stranded_since = -1

    @property
    def arrived(self) -> int:
        """Return how many items have come so far."""
        return self._next

    def loads(self) -> tuple[int, ...]:
        """Return the tasks in flight of every pod that exposes metrics."""
        return tuple([len(pod.held) for pod in self.ready] + [len(pod.held) for pod in self.draining])

    def oldest_age(self) -> int:
        """Return for how many seconds the oldest waiting item has been waiting."""
        return self.now - self._arrivals[self.pending[0]] if self.pending else 0

    def advance(self, until: int) -> None:
        """Let everything happen up to and including second `until`, second by second that has something."""
        events, arrivals = self._events, self._arrivals
        count = len(arrivals)
        while True:
            time = events[0][0] if events else until + 1
            if self._next < count and arrivals[self._next] < time:
                time = arrivals[self._next]
            if time > until:
                break
            self._elapse(time)
            while events and events[0][0] == time:
                _, _, kind, pod, item, attempt = heapq.heappop(events)
                self._happen(kind, pod, item, attempt)
            self._queue_up(time)
        self._elapse(until)

    def scale(self, replicas: int) -> None:
        """Set spec.replicas: create pods, or remove some, unready ones first."""
        self.spec = replicas
        missing = replicas - len(self.unplaced) - len(self.starting) - len(self.ready)
        if missing > 0:
            for _ in range(missing):
                self._create()
            self._place()
        elif missing < 0:
            self._remove(-missing)
        self._note_stranding()

    def settle(self) -> None:
        """Make every starting pod ready now: the pods that a run begins with have been there for long."""
        for pod in self.starting:
            pod.phase = Phase.READY
        self.ready += self.starting
        self.starting = []

    def crash(self, pods: int) -> None:
        """Kill the newest ready pods without warning; the ReplicaSet replaces them at once."""
        for pod in self.ready[len(self.ready) - min(pods, len(self.ready)) :]:
            self.ready.remove(pod)
            self._kill(pod)
        self.scale(self.spec)

    def finish(self) -> None:
        """Close what is still open at the end of a run."""
        self._note_stranding(closing=True)

    def _elapse(self, time: int) -> None:
        """Add the time since the last event to the integrals."""
        passed = time - self.now
        if passed:
            totals = self.totals
            totals.replica_seconds += passed * self._existing
            totals.busy_pod_seconds += passed * self._busy
            self.now = time

    def _happen(self, kind: _Kind, pod: Pod | None, item: int, attempt: int) -> None:
        if kind is _Kind.LEASE:
            self._return((item,))
        elif pod is None or pod.phase is Phase.GONE:
            return
        elif kind is _Kind.DONE:
            if self._attempt[item] == attempt:
                self._complete(pod, item)
        elif kind is _Kind.READY:
            self._become_ready(pod)
        elif self.workload.killed_after <= self.workload.drain:
            self.draining.remove(pod)
            self._kill(pod)
        else:
            self._release(pod)

    def _become_ready(self, pod: Pod) -> None:
        if pod.phase is Phase.STARTING:
            self.starting.remove(pod)
            pod.phase = Phase.READY
            self.ready.append(pod)

    def _queue_up(self, time: int) -> None:
        """Put back what was returned, in its order of arrival, add what arrives, and let pods claim."""
        pending, arrivals = self.pending, self._arrivals
        if self._returned:
            pending.extendleft(sorted(self._returned, reverse=True))
            self._returned.clear()
        first = self._next
        while self._next < len(arrivals) and arrivals[self._next] == time:
            pending.append(self._next)
            self._next += 1
        if pending:
            self._claim()
        if self.spec == 0:
            self._note_stranding()
            if self._next > first and self.on_arrival_at_zero is not None:
                self.on_arrival_at_zero(time)

    def _claim(self) -> None:
        """Let the least loaded ready pod claim the first item while there are both; elder pods win ties."""
        pending, ready, capacity = self.pending, self.ready, self.workload.capacity
        while pending:
            best, least = None, capacity
            for pod in ready:
                load = len(pod.held)
                if load < least:
                    best, least = pod, load
                    if not load:
                        break
            if best is None:
                return
            item = pending.popleft()
            if not least:
                self._busy += 1
            best.held[item] = self.now
            self.claimed += 1
            self.claimed_at[item] = self.now
            self._schedule(self.now + self._service[item], _Kind.DONE, best, item, self._attempt[item])

    def _complete(self, pod: Pod, item: int) -> None:
        del pod.held[item]
        self.totals.done += 1
        self.claimed -= 1
        if not pod.held:
            self._busy -= 1
            if pod.phase is Phase.DRAINING:
                self.draining.remove(pod)
                self._gone(pod)

    def _create(self) -> None:
        self.unplaced.append(Pod(self._pods))
        self._pods += 1

    def _place(self) -> None:
        """Let pods start, the eldest first, as far as the nodes have room for them."""
        room = self.workload.room
        delay = self.workload.startup + self.weather.slow(self.now)
        while self.unplaced and (not room or self._existing < room):
            pod = self.unplaced.popleft()
            self._existing += 1
            self.starting.append(pod)
            self._schedule(self.now + delay, _Kind.READY, pod)

    def _remove(self, count: int) -> None:
        """Remove pods: unplaced and starting ones first, newest first, then ready ones as the workload says."""
        while self.unplaced and count:
            self.unplaced.pop()
            count -= 1
        for _ in range(min(count, len(self.starting))):
            self._gone(self.starting.pop())
            count -= 1
        if not count:
            return
        order = list(reversed(self.ready))
        if self.workload.victims is Victims.IDLEST:
            order.sort(key=lambda pod: len(pod.held))
        for pod in order[:count]:
            self.ready.remove(pod)
            self._drain(pod)

    def _drain(self, pod: Pod) -> None:
        if not pod.held:
            self._gone(pod)
            return
        pod.phase = Phase.DRAINING
        self.draining.append(pod)
        limit = min(self.workload.drain, self.workload.killed_after)
        self._schedule(self.now + limit, _Kind.DRAINED, pod)

    def _release(self, pod: Pod) -> None:
        """End a drain in order: the pod gives its tasks back and leaves."""
        self.draining.remove(pod)
        self._return(self._interrupt(pod))
        self._gone(pod)

    def _kill(self, pod: Pod) -> None:
        """End a pod without a word: its tasks stay claimed until their leases run out."""
        for item in self._interrupt(pod):
            self._schedule(self.now + self.workload.lease, _Kind.LEASE, None, item)
        self._gone(pod)

    def _interrupt(self, pod: Pod) -> tuple[int, ...]:
        """Take everything from a pod; what was done on it so far is wasted."""
        items = tuple(pod.held)
        if items:
            self._busy -= 1
        for item, since in pod.held.items():
            self.totals.wasted_seconds += self.now - since
            self._attempt[item] += 1
        self.totals.interrupted += len(items)
        pod.held.clear()
        return items

    def _return(self, items: tuple[int, ...]) -> None:
        """Take items out of the claimed ones; they join the queue before this second's arrivals."""
        self.claimed -= len(items)
        for item in items:
            self.claimed_at[item] = -1
        self._returned += items

    def _gone(self, pod: Pod) -> None:
        pod.phase = Phase.GONE
        self._existing -= 1
        if self.unplaced:
            self._place()

    def _note_stranding(self, *, closing: bool = False) -> None:
        """Follow for how long work waits while no replica is wanted."""
        stranded = self.spec == 0 and bool(self.pending)
        if self._stranded_since >= 0 and (closing or not stranded):
            self.totals.at_zero_longest = max(self.totals.at_zero_longest, self.now - self._stranded_since)
            self._stranded_since = -1
        elif stranded and self._stranded_since < 0:
            self._stranded_since = self.now

    def _schedule(self, time: int, kind: _Kind, pod: Pod | None, item: int = -1, attempt: int = 0) -> None:
        self._sequence += 1
        heapq.heappush(self._events, (time, self._sequence, kind, pod, item, attempt))
