"""Laws of a simulation that hold for every ScaledObject, workload, load and fault."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from obs.sim.faults import Fault, FaultKind, Weather
from obs.sim.loads import Load, doubled
from obs.sim.run import Clocks, Scenario, _Run, simulate
from obs.sim.scaled_object import read
from obs.sim.workload import Victims, Workload
from tests.sim.fleets import BOTH, PENDING, document, external, trigger
from tests.sim.stepping import Stepper

QUERIES = (
    BOTH,
    PENDING,
    "sum(agent_pending_events) + sum(agent_inflight_reactions)",
    "sum(agent_saturation)",
    "max(agent_reaction_lag_ms) / 1000",
)

POLICIES = st.lists(
    st.fixed_dictionaries(
        {
            "type": st.sampled_from(["Pods", "Percent"]),
            "value": st.integers(1, 100),
            "periodSeconds": st.sampled_from([15, 30, 60, 100]),
        }
    ),
    min_size=1,
    max_size=2,
)
DIRECTION = st.fixed_dictionaries(
    {"policies": POLICIES, "stabilizationWindowSeconds": st.sampled_from([0, 30, 60, 120])},
    optional={"selectPolicy": st.sampled_from(["Max", "Min", "Disabled"])},
)
BEHAVIOR = st.none() | st.fixed_dictionaries({}, optional={"scaleUp": DIRECTION, "scaleDown": DIRECTION})

TRIGGERS = st.builds(
    trigger,
    st.sampled_from(QUERIES),
    st.sampled_from(["0.7", "1", "2", "5"]),
    activationThreshold=st.sampled_from(["0", "1"]),
    ignoreNullValues=st.sampled_from(["true", "false"]),
)

SPECS = st.fixed_dictionaries(
    {
        "minReplicaCount": st.integers(0, 2),
        "maxReplicaCount": st.integers(2, 12),
        "pollingInterval": st.sampled_from([5, 15, 30]),
        "cooldownPeriod": st.integers(0, 200),
    },
    optional={
        "initialCooldownPeriod": st.integers(0, 100),
        "fallback": st.fixed_dictionaries(
            {"failureThreshold": st.integers(1, 3), "replicas": st.integers(0, 3)},
            optional={"behavior": st.sampled_from(["currentReplicas", "currentReplicasIfHigher"])},
        ),
    },
)

ONE_TRIGGER = st.builds(
    lambda one, behavior, spec: read(document(one, behavior=behavior, **spec)), TRIGGERS, BEHAVIOR, SPECS
)
SCALED = ONE_TRIGGER | st.builds(
    lambda one, behavior, spec: read(document(one, external(), behavior=behavior, **spec)),
    TRIGGERS,
    BEHAVIOR,
    SPECS,
)

WORKLOADS = st.builds(
    Workload,
    work=st.integers(1, 90),
    capacity=st.integers(1, 3),
    spread=st.sampled_from([0.0, 0.5]),
    startup=st.integers(1, 40),
    drain=st.integers(1, 30),
    grace=st.sampled_from([0, 1, 10]),
    lease=st.integers(1, 60),
)
CROWDED = st.builds(replace, WORKLOADS, victims=st.sampled_from(Victims), room=st.integers(1, 4))

SOFT_FAULTS = st.builds(
    lambda kind, start, length: Fault(kind, start, start + length, 30),
    st.sampled_from([FaultKind.OUTAGE, FaultKind.EMPTY, FaultKind.FREEZE, FaultKind.SLOW_START]),
    st.integers(0, 600),
    st.integers(1, 800),
)
CRASHES = st.builds(
    lambda at, pods: Fault(FaultKind.CRASH, at, at + 1, pods),
    st.integers(0, 900),
    st.integers(1, 3),
)


def scenarios(
    faults: st.SearchStrategy[Fault], workloads: st.SearchStrategy[Workload] = WORKLOADS
) -> st.SearchStrategy[Scenario]:
    """Draw a quarter of an hour of arrivals and what happens meanwhile."""
    return st.builds(
        lambda arrivals, workload, faults, seed: Scenario(
            Load("drawn", 900, tuple(sorted(arrivals))),
            workload,
            Weather(tuple(sorted(faults, key=lambda fault: fault.start))),
            Clocks(15, 0, 0, 0) if seed % 2 else Clocks.seeded(seed),
            seed=seed,
            settle=600,
        ),
        st.lists(st.integers(0, 899), min_size=1, max_size=40)
        | st.lists(st.integers(0, 60), min_size=20, max_size=40),
        workloads,
        st.lists(faults, max_size=2),
        st.integers(0, 99),
    )


@settings(max_examples=300, deadline=None)
@given(ONE_TRIGGER, scenarios(SOFT_FAULTS))
def test_events_and_seconds_agree(scaled, scenario: Scenario) -> None:
    """The event queue gives what stepping through every second gives, to the last replica-second."""
    slow = Stepper(scaled, scenario)
    slow.run()
    fast = _Run(scaled, scenario, record=False)
    fast.through()
    assert [tuple(change[:3]) for change in fast.changes] == slow.changes
    assert fast.cluster.claimed_at == slow.claimed_at
    totals = fast.cluster.totals
    assert (totals.done, totals.interrupted) == (slow.done, slow.interrupted)
    assert totals.replica_seconds == slow.replica_seconds


@settings(max_examples=100, deadline=None)
@given(SCALED, scenarios(SOFT_FAULTS | CRASHES, WORKLOADS | CROWDED))
def test_items_are_conserved(scaled, scenario: Scenario) -> None:
    """Every item that arrived waits, is being worked on, or is done: in the end and in every row."""
    outcome = simulate(scaled, scenario)
    summary = outcome.summary
    assert summary.items == len(scenario.load.arrivals)
    assert summary.done + summary.in_flight + summary.left == summary.items
    for row in outcome.rows:
        arrived = sum(1 for at in scenario.load.arrivals if at <= row.time)
        assert row.pending + row.claimed <= arrived


@settings(max_examples=100, deadline=None)
@given(SCALED, scenarios(SOFT_FAULTS | CRASHES, WORKLOADS | CROWDED))
def test_replicas_stay_within_bounds_and_time_goes_on(scaled, scenario: Scenario) -> None:
    """No change leaves 0..max, none is without effect, none is before the one it follows from."""
    outcome = simulate(scaled, scenario)
    replicas = scaled.minimum
    assert [change.time for change in outcome.changes] == sorted(change.time for change in outcome.changes)
    for change in outcome.changes:
        assert change.before == replicas != change.after
        assert 0 <= change.after <= max(scaled.maximum, scaled.minimum)
        assert change.rule
        assert change.text
        replicas = change.after
    assert all(row.ready + row.starting == row.replicas for row in outcome.rows)
    room = scenario.workload.room
    assert not room or all(row.ready + row.draining <= max(room, scaled.minimum) for row in outcome.rows)
    times = [row.time for row in outcome.rows]
    assert times == sorted(set(times))


@settings(max_examples=40, deadline=None)
@given(SCALED, scenarios(SOFT_FAULTS | CRASHES))
def test_the_same_seed_gives_the_same_run(scaled, scenario: Scenario) -> None:
    """A run depends on nothing but its arguments, and recording does not change it."""
    outcome = simulate(scaled, scenario)
    assert outcome == simulate(scaled, scenario)
    assert outcome.summary == simulate(scaled, scenario, record=False).summary


@settings(max_examples=60, deadline=None)
@given(scenarios(SOFT_FAULTS), st.integers(1, 4))
def test_more_capacity_strands_nothing(scenario: Scenario, more: int) -> None:
    """What a fleet on the whole backlog finishes with small pods it also finishes with larger ones."""
    scaled = read(document(trigger(BOTH, "1")))
    calm = replace(scenario, settle=4 * 3600)
    larger = replace(calm, workload=replace(calm.workload, capacity=calm.workload.capacity + more))
    assert simulate(scaled, calm).summary.left == 0
    assert simulate(scaled, larger).summary.left == 0


@settings(max_examples=40, deadline=None)
@given(ONE_TRIGGER, scenarios(SOFT_FAULTS))
def test_waits_are_those_of_the_items(scaled, scenario: Scenario) -> None:
    """There is one wait an item, none is negative, and the summary's maximum is the longest."""
    outcome = simulate(scaled, scenario)
    waits = [wait.seconds for wait in outcome.waits]
    assert len(waits) == outcome.summary.items
    assert min(waits) >= 0
    assert max(waits) == outcome.summary.max_wait
    assert outcome.summary.p50_wait <= outcome.summary.p95_wait <= outcome.summary.max_wait


@given(st.lists(st.integers(0, 899), min_size=1, max_size=40))
def test_a_doubled_load_has_everything_twice(arrivals: list[int]) -> None:
    """Twice the load is the same seconds with twice the items."""
    load = Load("drawn", 900, tuple(sorted(arrivals)))
    assert doubled(load).arrivals[::2] == doubled(load).arrivals[1::2] == load.arrivals
