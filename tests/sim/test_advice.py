"""Hints name the reason for what went wrong, and are silent where nothing did."""

from __future__ import annotations

from typing import TYPE_CHECKING

from obs.sim.advice import advice
from obs.sim.run import Scenario, simulate
from tests.sim.fleets import PENDING, bursts, fleet, scenario, trigger

if TYPE_CHECKING:
    from obs.sim.keda import ScaledObject


def hints(scaled: ScaledObject, load: Scenario) -> str:
    """Return the hints of a run, one a line."""
    return "\n".join(advice(scaled, load, simulate(scaled, load, record=False).summary))


def test_nothing_to_say() -> None:
    """A run without losses has no hints."""
    assert hints(fleet(), scenario(bursts(600, each=30), 30, capacity=4, drain=120)) == ""


def test_a_drain_that_is_too_short() -> None:
    """Tasks that were cut off point at the drain, and at a query without work in progress where that is so."""
    load = scenario(bursts(600, 2400), 240, capacity=2)
    assert "a removed pod has 45s, the longest task takes 16m" in hints(fleet(trigger(PENDING, "2")), load)
    assert "no trigger counts work in progress" in hints(fleet(trigger(PENDING, "2")), load)
    assert "no trigger counts work in progress" not in hints(fleet(trigger(threshold="2")), load)


def test_items_that_nobody_wakes_for() -> None:
    """Stranded items point at the activation, or at signals that no pod can send while there is none."""
    assert "activationThreshold 1 to wake" in hints(
        fleet(trigger(activationThreshold="1")), scenario((9,), 30)
    )
    asleep = fleet(trigger("sum(agent_pending_events)", ignoreNullValues="true"))
    assert "every trigger reads what pods expose" in hints(asleep, scenario((9,), 30))


def test_a_fleet_at_its_maximum() -> None:
    """Waits at the maximum point at the maximum."""
    load = scenario(bursts(600, each=300), 240, drain=960)
    assert "at maxReplicaCount 5 for" in hints(fleet(maxReplicaCount=5), load)
