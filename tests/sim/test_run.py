"""A whole run: what the clocks, the sources and the two scalers do to each other."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from obs.sim.faults import Fault, FaultKind
from obs.sim.keda import Pause, Rule
from obs.sim.run import Clocks, simulate
from tests.sim.fleets import bursts, external, fleet, scenario, trigger

if TYPE_CHECKING:
    from obs.sim.outcome import Outcome

# Everybody acts at once, once in fifteen seconds.
TOGETHER = Clocks(15, 0, 0, 0)
# Prometheus has just been there when somebody asks.
FRESH = Clocks(15, 0, 1, 2)


def first(outcome: Outcome) -> tuple[int, int, str]:
    """Return time, replicas and rule of the first change."""
    change = outcome.changes[0]
    return change.time, change.after, change.rule


@pytest.mark.parametrize(
    ("clocks", "woken"), [(TOGETHER, 15), (FRESH, 16), (Clocks(15, 14, 0, 0), 15), (Clocks(60, 59, 0, 0), 60)]
)
def test_a_signal_is_as_old_as_its_scrape(clocks: Clocks, woken: int) -> None:
    """An item of second 3 is seen at the first poll after the next scrape, not before."""
    assert first(simulate(fleet(), scenario((3,), 30, clocks=clocks)))[0] == woken


def test_a_push_wakes_at_once_and_a_poll_does_not() -> None:
    """An external-push scaler wakes the fleet in the second of the arrival; a polled one at the next poll."""
    clocks = Clocks(15, 0, 14, 0)
    load = scenario((20,), 30, clocks=clocks)
    assert first(simulate(fleet({**external(), "type": "external-push"}), load)) == (20, 1, Rule.PUSHED)
    assert first(simulate(fleet(external()), load)) == (29, 1, Rule.ACTIVATED)


def test_a_push_wakes_to_the_minimum_and_not_while_its_scaler_is_away() -> None:
    """A push does what an activation does, and an unreachable scaler pushes nothing."""
    push = {**external(), "type": "external-push"}
    load = scenario((20,), 30, clocks=Clocks(15, 0, 14, 0))
    assert first(simulate(fleet(push, minReplicaCount=3, idleReplicaCount=0), replace(load, initial=0)))[
        :2
    ] == (20, 3)
    away = scenario((20,), 30, clocks=Clocks(15, 0, 14, 0), faults="scaler-outage:0-60")
    assert first(simulate(fleet(push), away))[0] == 74


def test_a_push_is_as_strict_as_a_poll() -> None:
    """One item does not exceed an activation of one, however it is reported; two do."""
    push = {**external(), "type": "external-push"}
    push["metadata"] = {**push["metadata"], "activationThreshold": "1"}
    assert simulate(fleet(push), scenario((20,), 30)).changes == ()
    assert first(simulate(fleet(push), scenario((20, 40), 30))) == (40, 1, Rule.PUSHED)


def test_idle_replicas() -> None:
    """Between bursts an idle fleet rests below its minimum, and wakes to it."""
    scaled = fleet(minReplicaCount=4, idleReplicaCount=0, cooldownPeriod=60)
    outcome = simulate(scaled, scenario(bursts(600, each=5), 30))
    levels = [change.after for change in outcome.changes]
    assert levels[0] == 0
    assert levels[1] == 4
    assert levels[-1] == 0
    assert outcome.summary.left == 0


@pytest.mark.parametrize(("cooldown", "zeroed"), [(0, 15), (300, 315)])
def test_the_initial_cooldown(cooldown: int, zeroed: int) -> None:
    """A fresh fleet that nobody needs is zeroed at its first poll, or after initialCooldownPeriod."""
    idle = replace(scenario((3000,), 30, clocks=TOGETHER), initial=5)
    assert first(simulate(fleet(initialCooldownPeriod=cooldown), idle))[:2] == (zeroed, 0)


def test_cached_metrics_are_those_of_the_last_poll() -> None:
    """With useCachedMetrics the HPA acts on what the last poll saw: up to a pollingInterval later."""
    load = scenario(bursts(100, each=40, over=1), 300, clocks=FRESH, spread=0.0)

    def grows(**fields: Any) -> int:
        outcome = simulate(fleet({**trigger(), **fields}, pollingInterval=60, minReplicaCount=1), load)
        return next(change.time for change in outcome.changes if change.after > 1)

    assert grows() == 107
    assert grows(useCachedMetrics=True) == 122


def test_pauses() -> None:
    """A pause freezes the fleet, paused-replicas holds it there, and each direction can be stopped alone."""
    load = scenario(bursts(600, each=100), 60, capacity=2)

    def levels(pause: Pause, start: int = 3) -> set[int]:
        outcome = simulate(replace(fleet(), pause=pause), replace(load, initial=start))
        return {start, *(change.after for change in outcome.changes)}

    assert levels(Pause(paused=True)) == {3}
    assert levels(Pause(replicas=5)) == {3, 5}
    assert min(levels(Pause(scale_in=True))) == 3
    assert max(levels(Pause(scale_in=True))) > 3
    assert levels(Pause(scale_out=True)) == {3, 0}
    assert min(levels(Pause(force_activation=True))) == 1


def test_frozen_scrapes_keep_the_last_values_for_five_minutes() -> None:
    """While scrapes fail KEDA sees the last sample, then nothing; an empty result as an error holds the fleet."""
    load = scenario((10, 900), 30, faults="freeze:100-1500", clocks=TOGETHER, settle=600)
    outcome = simulate(fleet(fallback={"failureThreshold": 3, "replicas": 2}), load)
    by_time = {row.time: row.metrics for row in outcome.rows}
    fallback = [change for change in outcome.changes if "fallback" in change.text]
    assert fallback[0].time > 90 + 300
    assert fallback[0].after == 1
    assert by_time[900] == (8.0,)  # the fallback's two replicas times the target
    assert outcome.summary.fallback_seconds > 900
    assert outcome.summary.max_wait == 30


def test_a_freeze_from_the_start_keeps_what_was_known_before() -> None:
    """Prometheus knew the fleet before the run: its last sample is an empty queue, not an error."""
    load = scenario((0, 3), 30, faults="freeze:0-100", clocks=TOGETHER)
    assert first(simulate(fleet(fallback={"failureThreshold": 1, "replicas": 9}), load)) == (
        105,
        1,
        Rule.ACTIVATED,
    )


def test_the_fallback_trips_sooner_when_two_loops_count() -> None:
    """Above zero KEDA's poll and the HPA's sync both count failures; at zero only the poll does."""
    fallback = {"failureThreshold": 3, "replicas": 6}
    outage = scenario((10, 3000), 30, faults="outage:1000-2500", clocks=FRESH)
    asleep = simulate(fleet(fallback=fallback), outage)
    awake = simulate(fleet(fallback=fallback, minReplicaCount=1), outage)
    trips = {
        name: next(change.time for change in outcome.changes if change.time > 1000)
        for name, outcome in {"asleep": asleep, "awake": awake}.items()
    }
    assert trips == {"asleep": 1051, "awake": 1022}


def test_slow_starts_make_work_wait() -> None:
    """Pods that need two minutes more make the burst wait two minutes more."""

    def longest(faults: str) -> int:
        load = scenario(bursts(600, each=20), 60, drain=240, faults=faults)
        return max(wait.seconds for wait in simulate(fleet(), load).waits if wait.arrived < 620)

    assert longest("slow-start:0-3600:120") == longest("") + 120


def test_a_crash_costs_what_was_running() -> None:
    """Crashed pods lose their tasks; everything is done in the end all the same."""
    load = scenario(bursts(600, each=20), 120, capacity=4, spread=0.0)
    crash = replace(load, weather=replace(load.weather, faults=(Fault(FaultKind.CRASH, 800, 801, 2),)))
    assert simulate(fleet(minReplicaCount=3), load).summary.interrupted == 0
    crashed = simulate(fleet(minReplicaCount=3), crash).summary
    assert crashed.interrupted > 0
    assert (crashed.left, crashed.in_flight, crashed.done) == (0, 0, 20)


def test_every_row_says_what_the_hpa_saw() -> None:
    """While asleep the HPA sees nothing; awake each row has the value of the trigger, in the trigger's unit."""
    outcome = simulate(
        fleet(trigger(), trigger("sum(agent_saturation) or vector(0)", "0.7")), scenario((100,), 300)
    )
    asleep = [row for row in outcome.rows if row.replicas == 0]
    awake = [row for row in outcome.rows if row.ready and row.claimed]
    assert asleep
    assert all(row.metrics == (None, None) and row.reason == "ScalingDisabled" for row in asleep)
    assert awake
    assert all(row.metrics[0] == 1.0 for row in awake)
    assert {row.metrics[1] for row in awake} <= {0.0, 1.0}


def test_the_reason_names_the_trigger_that_asked_for_most() -> None:
    """Of several metrics the highest proposal wins, and the log names it."""
    load = scenario(bursts(600, each=60), 120, capacity=2)
    outcome = simulate(
        fleet({**trigger(threshold="1000"), "name": "calm"}, {**trigger(), "name": "eager"}), load
    )
    grown = [
        change for change in outcome.changes if change.rule.startswith("hpa") and change.after > change.before
    ]
    assert grown
    assert all(change.text.startswith("`eager` is ") for change in grown)
