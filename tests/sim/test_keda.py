"""KEDA's own loop: activation, cooldown, idle replicas, pauses, errors and fallback."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from obs.sim.hpa import MetricKind, Select
from obs.sim.keda import (
    Failure,
    Fallback,
    Hold,
    Observation,
    Pause,
    Rule,
    ScaledObject,
    Source,
    Trigger,
    decide,
    fallback_milli,
    milli,
    observe,
)
from obs.sim.signal import Constant

TRIGGER = Trigger("backlog", Source.PROMETHEUS, Constant(0.0), threshold=10)
ACTIVE = Observation(1000, active=True, error=False, fallback=False, failures=0)
QUIET = Observation(0, active=False, error=False, fallback=False, failures=0)
BROKEN = Observation(None, active=False, error=True, fallback=False, failures=1)


def scaled(**fields: object) -> ScaledObject:
    """Return a ScaledObject with one trigger."""
    return ScaledObject("fleet", (TRIGGER,), **fields)  # type: ignore[arg-type]


def polled(
    of: ScaledObject, current: int, *seen: Observation, now: int = 1000, last: int | None = None
) -> int:
    """Return the replicas after a poll."""
    return decide(of, now, current, seen, last).replicas


def test_a_fresh_inactive_workload_is_zeroed() -> None:
    """Ten replicas of a ScaledObject that was never active are removed by its first poll."""
    assert polled(scaled(minimum=0), 10, QUIET, now=1) == 0


def test_the_initial_cooldown_protects_a_fresh_workload() -> None:
    """Nothing is zeroed before initialCooldownPeriod is over."""
    assert polled(scaled(minimum=0, initial_cooldown=300), 10, QUIET, now=300) == 10
    assert polled(scaled(minimum=0, initial_cooldown=300), 10, QUIET, now=301) == 0


def test_an_inactive_workload_is_lifted_to_its_minimum() -> None:
    """One replica of at least five becomes five."""
    assert polled(scaled(minimum=5), 1, QUIET) == 5


def test_activity_wakes_to_one() -> None:
    """From zero with minimum zero the first step is one replica."""
    decision = decide(scaled(minimum=0), 70, 0, (ACTIVE,), None)
    assert (decision.replicas, decision.last_active, decision.rule) == (1, 70, Rule.ACTIVATED)


@pytest.mark.parametrize("current", [0, 2])
def test_activity_leaves_the_idle_replicas(current: int) -> None:
    """From its idle replicas, or anything below the minimum, a workload wakes to its minimum."""
    assert polled(scaled(minimum=5, idle=0), current, ACTIVE) == 5


def test_inactivity_returns_to_the_idle_replicas() -> None:
    """An inactive workload goes from ten straight to its idle replicas, below the minimum."""
    assert polled(scaled(minimum=5, idle=0), 10, QUIET) == 0


def test_a_pause_of_scaling_in_holds() -> None:
    """With paused-scale-in an inactive workload keeps its replicas, and its HPA may not shrink it either."""
    paused = scaled(minimum=0, pause=Pause(scale_in=True))
    assert polled(paused, 10, QUIET) == 10
    assert paused.bounds.behavior is not None
    assert paused.bounds.behavior.down.select is Select.DISABLED


def test_a_pause_of_scaling_out_does_not_wake() -> None:
    """With paused-scale-out work does not wake a workload that sleeps."""
    assert polled(scaled(minimum=0, pause=Pause(scale_out=True)), 0, ACTIVE) == 0


def test_a_full_pause_does_nothing_and_paused_replicas_win() -> None:
    """A pause freezes the replicas; paused-replicas sets them first."""
    assert polled(scaled(pause=Pause(paused=True)), 7, QUIET) == 7
    assert polled(scaled(pause=Pause(paused=True, replicas=3)), 7, QUIET) == 3


def test_forced_activation_wakes_without_work() -> None:
    """The annotation force-activation counts as an active trigger."""
    assert polled(scaled(pause=Pause(force_activation=True)), 0, QUIET) == 1


def test_cooldown_is_counted_from_the_last_activity() -> None:
    """A workload sleeps only once more than cooldownPeriod has passed since a trigger was active."""
    assert polled(scaled(cooldown=300), 8, QUIET, now=1300, last=1000) == 8
    assert polled(scaled(cooldown=300), 8, QUIET, now=1301, last=1000) == 0


def test_activity_beside_an_error_is_not_remembered() -> None:
    """One failing trigger keeps another one's activity from restarting the cooldown."""
    assert decide(scaled(), 500, 3, (ACTIVE, BROKEN), 100).last_active == 100
    assert decide(scaled(), 500, 3, (ACTIVE, QUIET), 100).last_active == 500


def test_an_error_alone_never_zeroes() -> None:
    """Without a fallback, or with one that holds replicas, a blind workload keeps what it has."""
    assert polled(scaled(), 8, BROKEN) == 8
    assert polled(scaled(fallback=Fallback(3, 2)), 8, BROKEN) == 8


def test_a_fallback_of_zero_replicas_falls_through_to_zero() -> None:
    """With fallback.replicas 0 an error does not protect the workload from the cooldown."""
    assert polled(scaled(fallback=Fallback(3, 0)), 8, BROKEN) == 0


@pytest.mark.parametrize(
    ("fallback", "current", "expected"),
    [
        (Fallback(3, 10), 3, 100_000),
        (Fallback(3, 10, Hold.IF_HIGHER), 3, 100_000),
        (Fallback(3, 10, Hold.IF_HIGHER), 14, 140_000),
        (Fallback(3, 10, Hold.CURRENT), 6, 60_000),
        (Fallback(3, 10, Hold.IF_LOWER), 6, 60_000),
    ],
)
def test_the_fourth_failure_trips_a_threshold_of_three(
    fallback: Fallback, current: int, expected: int
) -> None:
    """Three failures are errors; the next one is active and asks for the fallback's replicas."""
    failures = 0
    for _ in range(3):
        seen = observe(
            TRIGGER, Failure.VALUE, failures=failures, fallback=fallback, current=current, ready=current
        )
        assert (seen.milli, seen.error, seen.active) == (None, True, False)
        failures = seen.failures
    seen = observe(
        TRIGGER, Failure.VALUE, failures=failures, fallback=fallback, current=current, ready=current
    )
    assert (seen.milli, seen.error, seen.active, seen.fallback) == (expected, False, True, True)


def test_a_success_resets_the_count() -> None:
    """The failures of a fallback are consecutive ones."""
    assert observe(TRIGGER, 5, failures=3, fallback=Fallback(3, 1), current=1, ready=1).failures == 0


def test_a_missing_description_is_never_counted() -> None:
    """A metric that cannot even be described does not bring the fallback nearer."""
    seen = observe(TRIGGER, Failure.SPEC, failures=3, fallback=Fallback(3, 9), current=0, ready=0)
    assert (seen.error, seen.fallback, seen.failures) == (True, False, 3)


def test_a_value_fallback_needs_a_ready_pod() -> None:
    """A Value target's fallback divides by the ready pods, and fails where there are none."""
    trigger = replace(TRIGGER, kind=MetricKind.VALUE)
    assert fallback_milli(trigger, Fallback(3, 10), 6, 4) == 25_000
    assert fallback_milli(trigger, Fallback(3, 10), 6, 0) is None


def test_activation_is_strict() -> None:
    """A value that equals its activation does not wake anything."""
    trigger = replace(TRIGGER, activation=1.0)
    assert not observe(trigger, 1, failures=0, fallback=None, current=0, ready=0).active
    assert observe(trigger, 1.001, failures=0, fallback=None, current=0, ready=0).active


@pytest.mark.parametrize(
    ("amount", "expected"),
    [
        (7, 7000),
        (0.7, 700),
        (1.0005, 1000),
        (0.0004, 0),
        (-3, 0),
        (-0.5, 0),
        (float("nan"), 0),
        (float("inf"), 0),
    ],
)
def test_thousandths(amount: float, expected: int) -> None:
    """Values have three decimals; what is negative or not finite is zero."""
    assert milli(amount) == expected


SCALED = st.builds(
    scaled,
    minimum=st.integers(0, 5),
    maximum=st.integers(6, 20),
    idle=st.sampled_from([None, 0]),
    cooldown=st.integers(0, 600),
    initial_cooldown=st.integers(0, 600),
    fallback=st.sampled_from([None, Fallback(3, 2), Fallback(3, 0)]),
)


@given(
    SCALED,
    st.integers(0, 20),
    st.lists(st.sampled_from([ACTIVE, QUIET, BROKEN]), min_size=1, max_size=3),
    st.integers(0, 2000),
    st.sampled_from([None, 0, 500]),
)
def test_a_poll_only_wakes_sleeps_or_restores_the_minimum(
    of: ScaledObject, current: int, seen: list[Observation], now: int, last: int | None
) -> None:
    """Whatever is seen, KEDA sets nothing but idle replicas, zero, one or the minimum."""
    replicas = decide(of, now, current, seen, last).replicas
    assert replicas == current or replicas in {0, max(1, of.minimum), of.minimum}


@given(SCALED, st.integers(1, 20), st.integers(0, 2000), st.sampled_from([None, 0, 500]))
def test_work_never_shrinks_a_workload(of: ScaledObject, current: int, now: int, last: int | None) -> None:
    """An active trigger never removes a replica."""
    assert polled(of, current, ACTIVE, now=now, last=last) >= current
