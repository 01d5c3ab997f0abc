"""The laws of the workload model: whatever the scenario and the seed, the figures of a fleet agree with each other."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from obs.model.config import Mode
from obs.model.metric import DomainKind, Kind, Presence, ValueRule
from obs.synth.agent import AgentState
from obs.synth.scenario import Scenario
from obs.synth.world import World, advance, switch
from tests.synth.worlds import bodies, formats, parsed, registry, scenarios, seeds, values, world

few = settings(max_examples=30, deadline=None)


@few
@given(scenario=scenarios, seed=seeds, form=formats)
def test_every_body_is_read_without_a_complaint(scenario, seed, form):
    """Every scenario, seed and format makes bodies in which the strict parser finds nothing wrong."""
    for _, body in bodies(world(scenario, seed)):
        scrape = parsed(body, form)
        assert scrape.diagnoses == ()
        assert scrape.sample_count == sum(len(family.samples) for family in body)


@few
@given(scenario=scenarios, seed=seeds)
def test_values_obey_the_rules_of_the_registry(scenario, seed):
    """Counts are whole and not negative, flags 0 or 1, ratios within 0 and 1."""
    for _, body in bodies(world(scenario, seed)):
        for family in body:
            rule = registry().by_name[family.name].semantics.values
            for one in family.samples:
                assert one.value >= 0
                assert rule is not ValueRule.FLAG or one.value in {0, 1}
                assert rule is not ValueRule.RATIO or one.value <= 1
                assert rule is not ValueRule.COUNT or one.value == int(one.value)


@few
@given(scenario=scenarios, seed=seeds)
def test_what_must_be_there_is_there_and_nothing_else(scenario, seed):
    """Metrics that are always present are complete to the last value of a domain; provisional ones are absent."""
    for _, body in bodies(world(scenario, seed)):
        found = values(body)
        for metric in registry().metrics:
            own = [labels for name, labels in found if name == metric.name]
            if metric.semantics.presence is Presence.UNBUILT:
                assert own == []
            elif metric.semantics.presence is Presence.ALWAYS:
                assert len(own) == metric.series_per_instance
            for labels in own:
                assert tuple(key for key, _ in labels) == metric.label_keys
                for label, (_, value) in zip(metric.labels, labels, strict=True):
                    assert label.domain.kind is not DomainKind.CLOSED or value in label.domain.values
        assert {name for name, _ in found} <= set(registry().by_name)


@few
@given(scenario=scenarios, seed=seeds)
def test_series_that_must_be_equal_are_equal(scenario, seed):
    """A legacy series has the value of the stable one it repeats."""
    for _, body in bodies(world(scenario, seed)):
        found = values(body)
        for metric in registry().metrics:
            if same := metric.semantics.equals:
                assert found[metric.name, ()] == found[same.metric, same.labels]


def _assert_books_balance(of: World) -> None:
    for index, state in enumerate(of.agents):
        if not state.up:
            continue
        assert state.total("runs_started") == state.total("runs") + state.inflight
        assert state.total("subagents_spawned") == state.total("subagents_exited") + state.subagents
        assert state.total("intel_errors") <= state.total("intel_calls")
        assert state.total("limit_exceeded", "steps") == state.total("runs", "exhausted_steps")
        assert state.inflight <= of.plan.fleet_of(index).capacity
        assert state.total("config_reload", "applied") >= 1
    for index, fleet in enumerate(of.plan.fleets):
        backlog = of.backlogs[index]
        if fleet.mode is Mode.CLAIM:
            held = backlog.pending + backlog.claimed + backlog.deadletter
            assert backlog.counts.get("submitted", 0) == backlog.counts.get("acked", 0) + held
            assert backlog.claimed == sum(state.inflight for state in of.members(index))


@few
@given(history=st.lists(st.tuples(scenarios, st.integers(1, 40)), max_size=6), seed=seeds)
def test_the_books_balance_through_any_history(history, seed):
    """Runs, subagents, claims and the backlog add up after any sequence of scenarios."""
    now = world(Scenario.STEADY, seed, agents=5, warm_up=30)
    for scenario, seconds in history:
        now = advance(switch(now, scenario), seconds)
        _assert_books_balance(now)


def _same_process(before: AgentState, after: AgentState) -> bool:
    return before.up and after.up and before.starts == after.starts


@few
@given(history=st.lists(st.tuples(scenarios, st.integers(1, 60)), min_size=1, max_size=6), seed=seeds)
def test_counters_only_fall_when_a_process_starts_over(history, seed):
    """Between two scrapes of one process no counter falls and no series goes away."""
    now = world(Scenario.STEADY, seed, agents=5, warm_up=30)
    counters = {metric.name for metric in registry().metrics if metric.kind is Kind.COUNTER}
    for scenario, seconds in history:
        later = advance(switch(now, scenario), seconds)
        earlier, newer = dict(bodies(now)), dict(bodies(later))
        for index, (before, after) in enumerate(zip(now.agents, later.agents, strict=True)):
            if _same_process(before, after):
                old, new = values(earlier[index]), values(newer[index])
                assert set(old) <= set(new)
                assert all(new[key] >= value for key, value in old.items() if key[0] in counters)
        now = later


@few
@given(scenario=scenarios, seed=seeds, cut=st.integers(1, 59))
def test_the_same_seed_is_the_same_fleet(scenario, seed, cut):
    """A world depends on its seed and history alone: looking at it in between changes nothing."""
    start = world(scenario, seed, warm_up=30)
    assert advance(start, 60) == advance(advance(start, cut), 60 - cut)
    assert world(scenario, seed, warm_up=30) == start


def test_another_seed_is_another_fleet():
    """Seeds differ in what happens."""
    assert world(seed=1).agents != world(seed=2).agents


def test_agents_hold_bounded_state_however_long_they_are_stuck():
    """Hours of being stuck grow neither an agent's counters nor its queue past their limits."""
    stuck = advance(world(Scenario.STUCK, agents=2), 20_000)
    for state in stuck.agents:
        assert len(state.queue) <= 121
        assert len(state.counts) < 60
        assert state.pending <= 5_000
