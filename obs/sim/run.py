"""One simulated run: a ScaledObject, a workload and a load, from second 0 to the end.

Between two control decisions the fleet runs by itself (`obs.sim.cluster`); three clocks interrupt it:
Prometheus scrapes, KEDA polls, the HPA syncs. In one second they act in this order.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from typing import TYPE_CHECKING

from obs.sim.cluster import Cluster
from obs.sim.controller import Controller
from obs.sim.faults import FaultKind, Weather
from obs.sim.hpa import SYNC_PERIOD, Reason
from obs.sim.keda import Failure, Observation, Poll, Rule, ScaledObject, Source, decide, observe
from obs.sim.outcome import Change, Outcome, Row, Summary, Wait, flaps, percentile, seconds_at
from obs.sim.signal import Bad, View, evaluate, reads_pods
from obs.sim.why import activation_text, cooldown_text, hpa_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from obs.sim.loads import Load
    from obs.sim.workload import Workload

# Prometheus looks back five minutes for a sample before it takes a series for gone (--query.lookback-delta).
LOOKBACK = 300

CALM = Weather()


@dataclass(frozen=True, slots=True)
class Clocks:
    """Periods and phases of what is not in the ScaledObject, in seconds."""

    scrape: int = 15
    scrape_phase: int = 7
    poll_phase: int = 0
    sync_phase: int = 11

    @classmethod
    def seeded(cls, seed: int, *, scrape: int = 15) -> Clocks:
        """Return clocks whose phases come from `seed`: nobody chooses how they meet in a real cluster."""
        draw = random.Random(f"clocks:{seed}").randrange  # noqa: S311 - a simulation, not a secret
        return cls(scrape, draw(scrape), draw(SYNC_PERIOD), draw(SYNC_PERIOD))


@dataclass(frozen=True, slots=True)
class Scenario:
    """What a ScaledObject is put through. `slo` is the longest acceptable wait in seconds.

    `price` is what one replica costs an hour; `settle` is how long the run goes on after the load, so that
    it is seen whether everything is finished and the fleet sleeps again.
    """

    load: Load
    workload: Workload
    weather: Weather = CALM
    clocks: Clocks = Clocks()
    seed: int = 0
    slo: int = 60
    price: float = 1.0
    settle: int = 3600
    initial: int | None = None

    @property
    def end(self) -> int:
        """Return the last second of the run."""
        return self.load.duration + self.settle


def simulate(scaled: ScaledObject, scenario: Scenario, *, record: bool = True) -> Outcome:
    """Run `scaled` through `scenario`; with `record`, keep the timeline and every wait."""
    run = _Run(scaled, scenario, record=record)
    run.through()
    return run.outcome()


class _Run:
    """The state of one run: the cluster, the HPA, what KEDA remembers, and the log."""

    def __init__(self, scaled: ScaledObject, scenario: Scenario, *, record: bool) -> None:
        self.scaled = scaled
        self.scenario = scenario
        self.weather = scenario.weather
        load, workload = scenario.load, scenario.workload
        service = load.work or workload.service_times(len(load.arrivals), scenario.seed)
        self.cluster = Cluster(workload, load.arrivals, service, scenario.weather)
        self.hpa = Controller(scaled.bounds, tuple(trigger.target for trigger in scaled.triggers))
        self.failures = [0] * len(scaled.triggers)
        self.scraped: list[float | Bad] = [Bad.EMPTY] * len(scaled.triggers)
        self.scraped_at = 0
        self.polled: list[float | Failure] = [Failure.VALUE] * len(scaled.triggers)
        self.last_active: int | None = None
        self.changes: list[Change] = []
        self.rows: list[Row] = []
        self.record = record
        self.needs_loads = any(reads_pods(trigger.signal) for trigger in scaled.triggers)
        self.coupled = any(trigger.source is not Source.PROMETHEUS for trigger in scaled.triggers)
        self.fallback_since = -1
        self.fallback_seconds = 0
        self.initial = scaled.minimum if scenario.initial is None else scenario.initial
        if any(trigger.source is Source.EXTERNAL_PUSH for trigger in scaled.triggers):
            self.cluster.on_arrival_at_zero = self.push

    def through(self) -> None:
        """Let the clocks tick until the end."""
        cluster, clocks, end = self.cluster, self.scenario.clocks, self.scenario.end
        cluster.scale(self.initial)
        cluster.settle()
        self.sample(0)  # Prometheus knew the fleet before the run began
        self.polled = [self.read(index, 0) for index in range(len(self.scaled.triggers))]
        scrape, poll, sync = clocks.scrape_phase, clocks.poll_phase, clocks.sync_phase
        crashes = [*self.weather.crashes()]
        while True:
            crash = crashes[0].start if crashes else end + 1
            now = min(scrape, poll, sync, crash)
            if now > end:
                break
            cluster.advance(now)
            if now == crash:
                cluster.crash(crashes.pop(0).amount)
            if now == scrape:
                self.scrape(now)
                scrape += clocks.scrape
            if now == poll:
                self.poll(now)
                poll += self.scaled.polling
            if now == sync:
                self.sync(now)
                sync += SYNC_PERIOD
        cluster.advance(end)
        cluster.finish()

    def scrape(self, now: int) -> None:
        """Take what Prometheus takes; while scrapes fail, the old samples stay."""
        if not self.weather.active(FaultKind.FREEZE, now):
            self.sample(now)

    def sample(self, now: int) -> None:
        """Note what the triggers' queries would return from now on."""
        view = self.view()
        self.scraped = [evaluate(trigger.signal, view) for trigger in self.scaled.triggers]
        self.scraped_at = now

    def poll(self, now: int) -> None:
        """Do what KEDA's loop does at every pollingInterval."""
        cluster = self.cluster
        triggers = self.scaled.triggers
        self.polled = [self.read(index, now) for index in range(len(triggers))]
        seen = [self.observed(index, reading) for index, reading in enumerate(self.polled)]
        self.note_fallback(now, seen)
        before = cluster.spec
        decision = decide(self.scaled, now, before, seen, self.last_active)
        if decision.replicas != before:
            self.change(now, decision.replicas, decision.rule, self.keda_text(now, decision, seen))
        self.last_active = decision.last_active

    def push(self, now: int) -> None:
        """Let an external-push scaler wake the fleet at once, which is all that it can do."""
        for trigger in self.scaled.triggers:
            if trigger.source is not Source.EXTERNAL_PUSH or self.scaler_down(now):
                continue
            value = evaluate(trigger.signal, self.view())
            if not isinstance(value, Bad) and value > trigger.activation and not self.scaled.pause.paused:
                self.last_active = now
                replicas = max(1, self.scaled.minimum)
                self.change(now, replicas, Rule.PUSHED, activation_text(trigger, value, replicas))
                return

    def sync(self, now: int) -> None:
        """Let the HPA reconcile; KEDA deletes the HPA of a paused ScaledObject."""
        if self.scaled.pause.paused or self.scaled.pause.replicas is not None:
            return
        cluster = self.cluster
        before = cluster.spec
        seen = self.metrics(now) if before else []
        usages = [one.milli for one in seen] if before else [None] * len(self.scaled.triggers)
        decision = self.hpa.sync(now, usages, spec=before, status=before, ready=len(cluster.ready))
        if decision.replicas != before:
            self.change(
                now,
                decision.replicas,
                f"hpa-{decision.reason}",
                hpa_text(self.scaled, decision, usages, before),
            )
        if self.record:
            self.note(now, usages, decision.reason)

    def metrics(self, now: int) -> list[Observation]:
        """Return what KEDA's metrics server answers the HPA.

        One external scaler whose description cannot be had spoils the answer for every metric
        (kedacore/keda#5914).
        """
        triggers = self.scaled.triggers
        readings = [
            self.polled[index] if trigger.cached else self.read(index, now)
            for index, trigger in enumerate(triggers)
        ]
        if self.coupled and self.scaler_down(now):
            readings = [Failure.SPEC] * len(triggers)
        seen = [self.observed(index, reading) for index, reading in enumerate(readings)]
        self.note_fallback(now, seen)
        return seen

    def read(self, index: int, now: int) -> float | Failure:
        """Ask the source of a trigger, as KEDA does."""
        trigger, weather = self.scaled.triggers[index], self.weather
        if trigger.source is not Source.PROMETHEUS:
            if self.scaler_down(now):
                return Failure.SPEC
            result = evaluate(trigger.signal, self.view())
        elif weather.faults and weather.active(FaultKind.OUTAGE, now):
            return Failure.VALUE
        elif now - self.scraped_at > LOOKBACK or (weather.faults and weather.active(FaultKind.EMPTY, now)):
            result = Bad.EMPTY
        else:
            result = self.scraped[index]
        if result is Bad.MANY:
            return Failure.VALUE
        if isinstance(result, Bad) or not math.isfinite(result):
            return 0.0 if trigger.ignore_null else Failure.VALUE
        return result

    def scaler_down(self, now: int) -> bool:
        """Say whether the external scaler cannot be reached."""
        return bool(self.weather.faults) and (
            self.weather.active(FaultKind.OUTAGE, now) or self.weather.active(FaultKind.SCALER_OUTAGE, now)
        )

    def observed(self, index: int, reading: float | Failure) -> Observation:
        """Judge a reading and keep its count of failures."""
        cluster = self.cluster
        trigger, fallback = self.scaled.triggers[index], self.scaled.fallback
        seen = observe(
            trigger,
            reading,
            failures=self.failures[index],
            fallback=fallback,
            current=cluster.spec,
            ready=len(cluster.ready),
        )
        self.failures[index] = seen.failures
        return seen

    def view(self) -> View:
        """Return the fleet as its metrics show it now."""
        cluster = self.cluster
        loads = cluster.loads() if self.needs_loads else ()
        lag = cluster.oldest_age() * 1000 if self.needs_loads else 0
        return View(len(cluster.pending), cluster.claimed, loads, cluster.workload.capacity, lag)

    def change(self, now: int, replicas: int, rule: str, text: str) -> None:
        """Write spec.replicas, and why."""
        self.changes.append(Change(now, self.cluster.spec, replicas, rule, text))
        self.cluster.scale(replicas)

    def note(self, now: int, usages: Sequence[int | None], reason: Reason) -> None:
        """Add a row to the timeline."""
        cluster = self.cluster
        self.rows.append(
            Row(
                now,
                cluster.spec,
                len(cluster.ready),
                len(cluster.starting) + len(cluster.unplaced),
                len(cluster.draining),
                len(cluster.pending),
                cluster.claimed,
                cluster.oldest_age(),
                tuple([None if usage is None else usage / 1000 for usage in usages]),
                reason,
            )
        )

    def note_fallback(self, now: int, seen: Sequence[Observation]) -> None:
        """Follow for how long a fallback stands in for a metric."""
        active = any(one.fallback for one in seen)
        if active and self.fallback_since < 0:
            self.fallback_since = now
        elif not active and self.fallback_since >= 0:
            self.fallback_seconds += now - self.fallback_since
            self.fallback_since = -1

    def keda_text(self, now: int, decision: Poll, seen: Sequence[Observation]) -> str:
        """Say in words what KEDA's loop did."""
        scaled = self.scaled
        if decision.rule is Rule.ACTIVATED:
            for trigger, one in zip(scaled.triggers, seen, strict=True):
                if one.active and one.milli is not None:
                    return activation_text(
                        trigger, one.milli / 1000, decision.replicas, fallback=one.fallback
                    )
        if decision.rule is Rule.COOLDOWN:
            return cooldown_text(scaled, now, self.last_active, self.cluster.spec, self.cluster.claimed)
        if decision.rule is Rule.PAUSED:
            return "the annotation autoscaling.keda.sh/paused-replicas sets the replicas"
        return f"below minReplicaCount {scaled.minimum}"

    def outcome(self) -> Outcome:
        """Sum the run up."""
        cluster, scenario = self.cluster, self.scenario
        end, changes = scenario.end, tuple(self.changes)
        arrivals = scenario.load.arrivals
        waits = [
            (end if claimed < 0 else claimed) - arrived
            for arrived, claimed in zip(arrivals, cluster.claimed_at, strict=True)
        ]
        if self.fallback_since >= 0:
            self.fallback_seconds += end - self.fallback_since
        detail: tuple[Wait, ...] = ()
        if self.record:
            detail = tuple(
                Wait(arrived, wait, claimed >= 0)
                for arrived, wait, claimed in zip(arrivals, waits, cluster.claimed_at, strict=True)
            )
        return Outcome(self.summary(sorted(waits), changes), changes, tuple(self.rows), detail)

    def summary(self, waits: Sequence[int], changes: Sequence[Change]) -> Summary:
        """Return the figures; `waits` are sorted."""
        cluster, scenario, totals = self.cluster, self.scenario, self.cluster.totals
        return Summary(
            duration=scenario.end,
            items=cluster.arrived,
            done=totals.done,
            in_flight=cluster.claimed,
            left=len(cluster.pending),
            p50_wait=percentile(waits, 0.50),
            p95_wait=percentile(waits, 0.95),
            p99_wait=percentile(waits, 0.99),
            max_wait=percentile(waits, 1.0),
            slo_misses=sum(1 for wait in waits if wait > scenario.slo),
            cold_starts=sum(1 for change in changes if change.before == 0),
            stranded=totals.at_zero_longest,
            interrupted=totals.interrupted,
            wasted=totals.wasted_seconds,
            flaps=flaps(changes),
            changes=len(changes),
            peak_replicas=max([self.initial, *(change.after for change in changes)]),
            at_max=seconds_at(changes, self.initial, self.scaled.maximum, scenario.end),
            replica_seconds=totals.replica_seconds,
            idle_replica_seconds=totals.replica_seconds - totals.busy_pod_seconds,
            fallback_seconds=self.fallback_seconds,
            cost=round(scenario.price * totals.replica_seconds / 3600, 6),
        )
