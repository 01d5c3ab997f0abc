"""The HPA as a controller: what one reconcile does, and what it remembers."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from obs.sim.controller import Controller, Recommendations
from obs.sim.hpa import (
    Behavior,
    Bounds,
    Event,
    MetricKind,
    Policy,
    PolicyKind,
    Reason,
    Rules,
    Select,
    Target,
    changed_within,
    down_limit,
    limit_rate,
    up_limit,
)

ONE = (Target(1000),)
TWO = (Target(1000), Target(1000))
PODS_2 = Policy(PolicyKind.PODS, 2, 60)
HALF = Policy(PolicyKind.PERCENT, 50, 60)


def controller(minimum: int, maximum: int, targets: tuple[Target, ...] = ONE) -> Controller:
    """Return an HPA without a behavior."""
    return Controller(Bounds(minimum, maximum), targets)


def test_disabled_at_zero() -> None:
    """A workload scaled to zero is left alone, whatever its metrics say."""
    decision = controller(3, 5).sync(0, (9000,), spec=0, status=0, ready=0)
    assert (decision.replicas, decision.reason) == (0, Reason.SCALING_DISABLED)


def test_lifted_to_the_minimum_at_once() -> None:
    """Fewer replicas than the minimum are corrected without asking a metric."""
    decision = controller(3, 5).sync(0, (None,), spec=2, status=2, ready=2)
    assert (decision.replicas, decision.reason) == (3, Reason.BELOW_MIN)


def test_cut_to_the_maximum_at_once() -> None:
    """More replicas than the maximum are cut without stabilisation and without a rate."""
    decision = controller(3, 5).sync(0, (None,), spec=10, status=10, ready=10)
    assert (decision.replicas, decision.reason) == (5, Reason.ABOVE_MAX)


def test_one_failed_metric_still_scales_up() -> None:
    """A metric that cannot be read does not stop another one from adding replicas."""
    assert controller(1, 9, TWO).sync(0, (None, 4000), spec=3, status=3, ready=3).replicas == 4


def test_one_failed_metric_holds_against_scaling_down() -> None:
    """A metric that cannot be read might have asked for more, so that nothing is removed."""
    decision = controller(1, 9, TWO).sync(0, (3000, None), spec=5, status=5, ready=5)
    assert (decision.replicas, decision.reason) == (5, Reason.METRICS_FAILED)


def test_all_metrics_failed() -> None:
    """Without any metric nothing changes."""
    assert controller(1, 9).sync(0, (None,), spec=5, status=5, ready=5).replicas == 5


def test_behavior_is_not_its_defaults() -> None:
    """From one replica an HPA without a behavior reaches four in a sync, one with the defaults five."""
    plain = Controller(Bounds(1, 100), ONE)
    defaulted = Controller(Bounds(1, 100, Behavior()), ONE)
    assert plain.sync(0, (90_000,), spec=1, status=1, ready=1).replicas == 4
    assert defaulted.sync(0, (90_000,), spec=1, status=1, ready=1).replicas == 5


def test_the_least_of_several_policies() -> None:
    """With selectPolicy Min the policy that changes least wins, in both directions."""
    rules = Rules((PODS_2, HALF), Select.MIN)
    assert up_limit(rules, 1, (), (), 0) == 2
    assert down_limit(rules, 5, (), (), 0) == 3


def test_a_disabled_direction() -> None:
    """A selectPolicy of Disabled allows no change at all."""
    rules = Rules((PODS_2,), Select.DISABLED)
    assert up_limit(rules, 4, (), (), 0) == 4
    assert down_limit(rules, 4, (), (), 0) == 4


def test_two_pods_at_most_in_any_minute() -> None:
    """A policy counts the controller's own changes of its period, sync after sync."""
    hpa = Controller(Bounds(1, 100, Behavior(up=Rules((PODS_2,)))), ONE)
    replicas, seen = 4, []
    for now in range(0, 121, 15):
        replicas = hpa.sync(now, (90_000,), spec=replicas, status=replicas, ready=replicas).replicas
        seen.append(replicas)
    assert seen == [6, 6, 6, 6, 8, 8, 8, 8, 10]


def test_a_plain_recommendation_counts_for_five_minutes_and_a_behavior_one_a_sync_less() -> None:
    """A proposal exactly as old as the window holds the fleet up only where there is no behavior."""
    shrunk = {}
    for name, behavior in (("plain", None), ("behavior", Behavior())):
        hpa = Controller(Bounds(1, 100, behavior), ONE)
        hpa.sync(0, (8000,), spec=8, status=8, ready=8)
        replicas = [hpa.sync(now, (1000,), spec=8, status=8, ready=8).replicas for now in range(15, 331, 15)]
        shrunk[name] = 15 * (1 + next(i for i, n in enumerate(replicas) if n < 8))
    assert shrunk == {"plain": 315, "behavior": 300}


def test_no_pod_is_ready_yet() -> None:
    """A Value target multiplies by the ready pods, so that a cold fleet stays at its minimum."""
    hpa = Controller(Bounds(1, 100, Behavior()), (Target(1000, MetricKind.VALUE),))
    assert hpa.sync(0, (9000,), spec=1, status=1, ready=0).replicas == 1


RULES = st.builds(
    Rules,
    st.lists(
        st.builds(Policy, st.sampled_from(PolicyKind), st.integers(1, 200), st.integers(1, 300)),
        min_size=1,
        max_size=3,
    ).map(tuple),
    st.sampled_from(Select),
    st.integers(0, 600),
)
EVENTS = st.lists(st.builds(Event, st.integers(0, 999), st.integers(1, 20)), max_size=6).map(
    lambda rows: tuple(sorted(rows))
)


@given(
    st.builds(Behavior, RULES, RULES),
    EVENTS,
    EVENTS,
    st.tuples(st.integers(1, 60), st.integers(0, 200), st.integers(1, 60)),
)
def test_a_limit_never_leaves_the_bounds_nor_turns_round(
    behavior: Behavior, ups: tuple[Event, ...], downs: tuple[Event, ...], numbers: tuple[int, int, int]
) -> None:
    """Limited replicas lie between the present and the desired ones, and within min and max."""
    current, desired, maximum = numbers
    bounds = Bounds(1, max(maximum, current), behavior)
    replicas, _ = limit_rate(bounds, current, desired, ups=ups, downs=downs, now=1000)
    assert min(current, max(desired, 1)) <= replicas <= max(current, desired)
    assert bounds.minimum <= replicas <= bounds.maximum


@given(
    st.lists(st.tuples(st.integers(0, 50), st.integers(0, 9)), max_size=40),
    st.integers(0, 60),
    st.integers(0, 60),
)
def test_the_windows_agree_with_a_plain_search(rows: list[tuple[int, int]], up: int, down: int) -> None:
    """The extremes that are kept are those of all recommendations in the window."""
    rows.sort()
    now = rows[-1][0] if rows else 0
    kept = Recommendations(up, down, rows)
    assert kept.highest(now, -1) == max((n for t, n in rows if t > now - down), default=-1)
    assert kept.lowest(now, -1) == min((n for t, n in rows if t > now - up), default=-1)


@given(EVENTS, st.integers(1, 1200))
def test_events_of_a_period(events: tuple[Event, ...], period: int) -> None:
    """Exactly the changes younger than the period are counted."""
    assert changed_within(events, 1000, period) == sum(e.change for e in events if e.time > 1000 - period)
