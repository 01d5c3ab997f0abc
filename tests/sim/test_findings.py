"""Field faults of scaled objects, reproduced: what a simulation must be able to show."""

from __future__ import annotations

from typing import Any

import pytest

from obs.sim.keda import Rule
from obs.sim.run import Clocks, simulate
from tests.sim.fleets import BOTH, PENDING, SLOW_DOWN, bursts, external, fleet, scenario, trigger

SEEDS = (1, 2, 3, 4, 5)
FALLBACK = {"failureThreshold": 3, "replicas": 6, "behavior": "currentReplicasIfHigher"}


def interrupted(query: str, seed: int, **spec: Any) -> int:
    """Return the tasks that are lost in four hours with two bursts of four-minute tasks."""
    load = scenario(
        bursts(1800, 9000), work=240, duration=4 * 3600, capacity=2, seed=seed, clocks=Clocks.seeded(seed)
    )
    return simulate(fleet(trigger(query, "2"), **spec), load, record=False).summary.interrupted


@pytest.mark.parametrize("seed", SEEDS)
def test_pending_alone_kills_running_work(seed: int) -> None:
    """Claimed items leave `pending`: the fleet shrinks under its tasks and loses far more of them."""
    blind = interrupted(PENDING, seed)
    seeing = interrupted(BOTH, seed)
    assert blind > 100
    assert blind >= 3 * seeing


@pytest.mark.parametrize("seed", SEEDS)
def test_the_ladder_of_remedies(seed: int) -> None:
    """Each remedy loses less: in-flight work in the query, a slow scale-down, a drain beyond the task."""
    plain = interrupted(BOTH, seed)
    slow = interrupted(BOTH, seed, behavior=SLOW_DOWN)
    load = scenario(
        bursts(1800, 9000), 240, 4 * 3600, capacity=2, seed=seed, clocks=Clocks.seeded(seed), drain=960
    )
    drained = simulate(fleet(trigger(BOTH, "2"), behavior=SLOW_DOWN), load, record=False).summary.interrupted
    assert plain > slow > drained == 0


def test_activation_one_strands_one_item_for_ever() -> None:
    """One item is not more than one: an activation of 1 leaves it alone, 0 serves it within a minute."""
    one = scenario((10,), work=30, duration=60, settle=3440)
    stranded = simulate(fleet(trigger(activationThreshold="1")), one).summary
    served = simulate(fleet(trigger(activationThreshold="0")), one).summary
    assert (stranded.left, stranded.peak_replicas, stranded.stranded) == (1, 0, 3490)
    assert (served.left, served.done) == (0, 1)
    assert served.max_wait <= 60


def test_a_fallback_does_not_rescue_an_external_scaler_at_zero() -> None:
    """While its external scaler is away a sleeping fleet sleeps on, fallback or not."""
    outage = scenario(bursts(600, each=120), 60, faults="outage:500-2800", capacity=2)
    waits = {
        name: simulate(scaled, outage).summary
        for name, scaled in {
            "external": fleet(external()),
            "external with fallback": fleet(external(), fallback=FALLBACK),
            "prometheus": fleet(trigger()),
            "prometheus with fallback": fleet(trigger(), fallback=FALLBACK),
        }.items()
    }
    assert waits["external with fallback"] == waits["external"]
    assert waits["external with fallback"].p50_wait > 1800
    assert waits["external with fallback"].fallback_seconds == 0
    assert waits["prometheus"].p50_wait > 1800
    assert waits["prometheus with fallback"].p50_wait < 600
    assert waits["prometheus with fallback"].fallback_seconds > 2000


def test_an_external_scaler_breaks_the_trigger_beside_it() -> None:
    """An unreachable external scaler spoils every metric: awake at one, the fleet cannot grow."""
    outage = scenario(bursts(600, each=120), 60, faults="scaler-outage:500-3600", capacity=2)
    mixed = simulate(fleet(external(), trigger()), outage)
    alone = simulate(fleet(trigger()), outage)
    assert max(change.after for change in mixed.changes if change.time < 3600) == 1
    assert alone.summary.peak_replicas > 10


def test_cooldown_jumps_to_zero_past_the_behavior() -> None:
    """A slow scale-down does not slow the cooldown, which takes every replica in one step."""
    load = scenario(bursts(600, each=160), work=900, spread=0.0, capacity=4, settle=7200)
    slow = {**SLOW_DOWN, "scaleDown": {**SLOW_DOWN["scaleDown"], "stabilizationWindowSeconds": 600}}
    blind = simulate(fleet(trigger(PENDING), behavior=slow, cooldownPeriod=300), load)
    seeing = simulate(fleet(trigger(BOTH), behavior=slow, cooldownPeriod=300), load)
    jump = next(change for change in blind.changes if change.rule == Rule.COOLDOWN)
    assert jump.before > 10
    assert jump.after == 0
    assert blind.summary.interrupted > 50
    assert "the HPA's behavior does not apply; 40 tasks were claimed" in jump.text
    assert seeing.summary.interrupted == 0


def test_avg_of_saturation_never_exceeds_two_replicas() -> None:
    """An average is divided by the replicas once more: the fleet stays at two however long the queue is."""
    load = scenario(bursts(600, each=850, over=3000), 60, 4 * 3600, capacity=2, initial=1)
    averaged = simulate(fleet(trigger("avg(agent_saturation)", "0.7"), minReplicaCount=1), load).summary
    summed = simulate(fleet(trigger("sum(agent_saturation)", "0.7"), minReplicaCount=1), load).summary
    assert averaged.peak_replicas <= 2
    assert averaged.slo_misses > 700
    assert summed.peak_replicas > 10
    assert summed.slo_misses < averaged.slo_misses / 3


def test_a_sum_of_saturation_as_a_value_runs_away_to_the_maximum() -> None:
    """A total held to a Value target grows with every replica that it adds, until the maximum."""
    runaway = trigger("sum(agent_saturation)", "0.7")
    runaway["metricType"] = "Value"
    load = scenario(bursts(600, each=850, over=3000), 60, 4 * 3600, capacity=2)
    assert simulate(fleet(runaway, minReplicaCount=1), load).summary.peak_replicas == 50


def test_a_per_pod_signal_cannot_wake_a_fleet() -> None:
    """With no pods there is no series of a pod: a fleet that sleeps on its own metrics serves nothing."""
    load = scenario(bursts(600), 60)
    asleep = simulate(fleet(trigger("sum(agent_pending_events)", ignoreNullValues="true")), load).summary
    assert (asleep.done, asleep.left) == (0, 150)


def test_an_empty_result_that_counts_as_zero_puts_a_busy_fleet_to_sleep() -> None:
    """A lost scrape is 0 by default: KEDA zeroes a fleet in the middle of its work; as an error it holds."""
    load = scenario(bursts(600, each=300, over=2400), 120, faults="empty:1500-2400", capacity=2)
    zeroed = simulate(fleet(trigger(ignoreNullValues="true")), load)
    held = simulate(fleet(trigger(ignoreNullValues="false")), load)
    assert any(change.rule == Rule.COOLDOWN and change.time < 2400 for change in zeroed.changes)
    assert not any(change.rule == Rule.COOLDOWN and change.time < 2400 for change in held.changes)
