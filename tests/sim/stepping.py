"""The simulator again, the slow way: second by second, plain lists, a search where the product is clever.

It shares the arithmetic of a single decision (proved by tables of its own) and nothing of the event queue,
the window of recommendations, the integrals or the scheduling.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from obs.sim.faults import FaultKind
from obs.sim.hpa import SYNC_PERIOD, Event, average_value, limit_plain, limit_rate, stabilize
from obs.sim.keda import Failure, ScaledObject, decide, observe
from obs.sim.signal import Bad, View, evaluate

if TYPE_CHECKING:
    from obs.sim.run import Scenario


@dataclass(eq=False)
class SlowPod:
    """A pod, and the second at which each of its tasks ends."""

    ready_at: int
    held: list[tuple[int, int]] = field(default_factory=list)
    doomed_at: int = -1


class Stepper:
    """Runs a ScaledObject with one Prometheus trigger through a scenario without crashes."""

    def __init__(self, scaled: ScaledObject, scenario: Scenario) -> None:
        self.scaled, self.scenario = scaled, scenario
        load, self.work = scenario.load, scenario.workload
        self.arrivals = list(load.arrivals)
        self.service = self.work.service_times(len(self.arrivals), scenario.seed)
        self.queue: list[int] = []
        self.claimed_at = [-1] * len(self.arrivals)
        self.orphans: list[tuple[int, int]] = []
        self.pods = [SlowPod(-1) for _ in range(scaled.minimum)]
        self.leaving: list[SlowPod] = []
        self.spec = scaled.minimum
        self.done = self.interrupted = self.replica_seconds = self.failures = self.scraped_at = 0
        self.last_active: int | None = None
        self.recommended: list[tuple[int, int]] = []
        self.ups: list[Event] = []
        self.downs: list[Event] = []
        self.changes: list[tuple[int, int, int]] = []

    def ready(self, now: int) -> list[SlowPod]:
        """Return the pods that take work, in the order in which they became ready."""
        return sorted((pod for pod in self.pods if pod.ready_at <= now), key=lambda pod: pod.ready_at)

    def view(self, now: int) -> View:
        """Return what a scrape sees."""
        working = self.ready(now) + self.leaving
        claimed = len(self.orphans) + sum(len(pod.held) for pod in working)
        lag = (now - self.arrivals[self.queue[0]]) * 1000 if self.queue else 0
        return View(
            len(self.queue), claimed, tuple(len(pod.held) for pod in working), self.work.capacity, lag
        )

    def run(self) -> None:
        """Step through every second."""
        clocks = self.scenario.clocks
        self.sample = evaluate(self.scaled.triggers[0].signal, self.view(0))
        for now in range(self.scenario.end + 1):
            if now:
                self.replica_seconds += len(self.pods) + len(self.leaving)
            self.fleet(now)
            scrapes = now >= clocks.scrape_phase and (now - clocks.scrape_phase) % clocks.scrape == 0
            if scrapes and not self.on(FaultKind.FREEZE, now):
                self.sample, self.scraped_at = (
                    evaluate(self.scaled.triggers[0].signal, self.view(now)),
                    now,
                )
            if now >= clocks.poll_phase and (now - clocks.poll_phase) % self.scaled.polling == 0:
                self.poll(now)
            if now >= clocks.sync_phase and (now - clocks.sync_phase) % SYNC_PERIOD == 0:
                self.sync(now)

    def on(self, kind: FaultKind, now: int) -> bool:
        """Say whether a fault is on."""
        return self.scenario.weather.active(kind, now)

    def fleet(self, now: int) -> None:
        """Do everything that happens to queue and pods in one second, in the documented order."""
        returned: list[int] = []
        for pod in self.pods + self.leaving:
            ended = [item for item, end in pod.held if end == now]
            self.done += len(ended)
            pod.held = [(item, end) for item, end in pod.held if end != now]
        self.leaving = [pod for pod in self.leaving if pod.held]
        for pod in [pod for pod in self.leaving if pod.doomed_at == now]:
            self.leaving.remove(pod)
            items = sorted(item for item, _ in pod.held)
            self.interrupted += len(items)
            if self.work.killed_after <= self.work.drain:
                self.orphans += [(item, now + self.work.lease) for item in items]
            else:
                returned += items
        returned += [item for item, end in self.orphans if end == now]
        self.orphans = [(item, end) for item, end in self.orphans if end != now]
        self.requeue(sorted(returned))
        self.queue += [item for item, at in enumerate(self.arrivals) if at == now]
        while self.queue:
            open_pods = [pod for pod in self.ready(now) if len(pod.held) < self.work.capacity]
            if not open_pods:
                break
            pod = min(open_pods, key=lambda pod: len(pod.held))
            item = self.queue.pop(0)
            self.claimed_at[item] = now
            pod.held.append((item, now + self.service[item]))

    def requeue(self, items: list[int]) -> None:
        """Put items back before all others."""
        for item in items:
            self.claimed_at[item] = -1
        self.queue = items + self.queue

    def reading(self, now: int) -> float | Failure:
        """Return what KEDA gets from Prometheus."""
        if self.on(FaultKind.OUTAGE, now):
            return Failure.VALUE
        gone = self.on(FaultKind.EMPTY, now) or now - self.scraped_at > 300
        result = Bad.EMPTY if gone else self.sample
        if not isinstance(result, Bad):
            return result
        ignored = result is Bad.EMPTY and self.scaled.triggers[0].ignore_null
        return 0.0 if ignored else Failure.VALUE

    def poll(self, now: int) -> None:
        """Do KEDA's loop."""
        seen = self.observed(now)
        poll = decide(self.scaled, now, self.spec, (seen,), self.last_active)
        self.last_active = poll.last_active
        self.scale(now, poll.replicas)

    def observed(self, now: int):
        """Read and judge, and count failures."""
        seen = observe(
            self.scaled.triggers[0],
            self.reading(now),
            failures=self.failures,
            fallback=self.scaled.fallback,
            current=self.spec,
            ready=len(self.ready(now)),
        )
        self.failures = seen.failures
        return seen

    def sync(self, now: int) -> None:
        """Do the HPA's reconcile for one AverageValue metric."""
        spec, bounds = self.spec, self.scaled.bounds
        if not self.recommended:
            self.recommended.append((now, spec))
        if spec == 0:
            return
        if not bounds.minimum <= spec <= bounds.maximum:
            self.hpa_scale(now, min(max(spec, bounds.minimum), bounds.maximum))
            return
        seen = self.observed(now)
        if seen.milli is None:
            return
        desired = average_value((seen.milli,), self.scaled.triggers[0].target.milli, spec).replicas
        if bounds.behavior is None:
            highest = max([desired] + [n for at, n in self.recommended if at >= now - 300])
            replicas = limit_plain(spec, highest, bounds.minimum, bounds.maximum).replicas
        else:
            up, down = bounds.behavior.up.window, bounds.behavior.down.window
            lowest = min([desired] + [n for at, n in self.recommended if at > now - up])
            highest = max([desired] + [n for at, n in self.recommended if at > now - down])
            stable = stabilize(spec, desired, lowest, highest).replicas
            replicas = limit_rate(bounds, spec, stable, ups=self.ups, downs=self.downs, now=now).replicas
        self.recommended.append((now, desired))
        self.hpa_scale(now, replicas)

    def hpa_scale(self, now: int, replicas: int) -> None:
        """Write the replicas as the HPA does, with an event."""
        if replicas != self.spec:
            (self.ups if replicas > self.spec else self.downs).append(Event(now, abs(replicas - self.spec)))
        self.scale(now, replicas)

    def scale(self, now: int, replicas: int) -> None:
        """Create or remove pods: unready ones first, then the newest ready ones."""
        if replicas == self.spec:
            return
        self.changes.append((now, self.spec, replicas))
        self.spec = replicas
        delay = self.work.startup + self.scenario.weather.slow(now)
        self.pods += [SlowPod(now + delay) for _ in range(replicas - len(self.pods))]
        while len(self.pods) > replicas:
            starting = [pod for pod in self.pods if pod.ready_at > now]
            pod = starting[-1] if starting else self.ready(now)[-1]
            self.pods.remove(pod)
            if pod.held:
                pod.doomed_at = now + min(self.work.drain, self.work.killed_after)
                self.leaving.append(pod)
