"""Each scenario shows what its name says, in the metrics an operator would look at."""

from __future__ import annotations

import pytest

from obs.synth.agent import Phase
from obs.synth.plan import make_plan
from obs.synth.scenario import MEANING, Scenario
from obs.synth.world import World, advance, make_world, switch
from tests.synth.worlds import bodies, config, values, world

REACTIVE = 1  # agents alternate between the two fleets of the example: a claim fleet and a reactive one


def _after(scenario: Scenario, seconds: float = 120, agents: int = 4) -> World:
    return advance(switch(world(agents=agents), scenario), seconds)


def _grew(before: World, after: World, metric: str, agent: int) -> int:
    return after.agents[agent].total(metric) - before.agents[agent].total(metric)


def test_every_scenario_says_what_it_does():
    """Each name on the command line has a sentence."""
    assert set(MEANING) == set(Scenario)


def test_steady_completes_nearly_all_runs():
    """Most runs complete, work is in flight, and nothing waits for long."""
    later = _after(Scenario.STEADY, 600)
    for state in later.agents:
        assert state.total("runs", "completed") > 0.8 * state.total("runs") > 0
        assert state.pending < 20


@pytest.mark.parametrize("tick", [1.0, 5.0])
def test_steady_keeps_up_whatever_the_step_of_time(tick):
    """An hour of normal demand leaves no event waiting for half a minute, in short steps and in long ones."""
    now = make_world(make_plan(config(), 4, None, 1, tick), Scenario.STEADY)
    for _ in range(60):
        now = advance(now, 60)
        assert max(state.lag(now.time) for state in now.agents) < 30


def test_burst_piles_up_work_and_works_it_off():
    """The backlog is far over the capacity in a burst and gone before the next one."""
    now, seen = switch(world(), Scenario.BURST), []
    for _ in range(40):
        now = advance(now, 10)
        seen.append(now.backlogs[0].pending)
    assert max(seen) > 20
    assert 0 in seen[seen.index(max(seen)) :]


def test_idle_fleets_stand_still():
    """A fleet that never had work counts zero runs and no call, and is ready."""
    idle = advance(world(Scenario.IDLE), 300)
    for state in idle.agents:
        assert state.ready
        assert state.total("runs_started") == state.total("intel_calls") == state.inflight == 0


def test_draining_goes_round_the_fleet():
    """Agents become unready one after the other, count their drains, and start over."""
    now, phases, drained = switch(world(agents=6), Scenario.DRAINING), set(), 0
    for _ in range(60):
        now = advance(now, 5)
        phases |= {state.phase for state in now.agents}
        drained = max(drained, sum(state.total("drains", "completed") for state in now.agents))
        assert sum(state.ready for state in now.agents) >= 2
    assert {Phase.SERVING, Phase.DRAINED} <= phases
    assert drained > 0
    assert all(state.starts > 1 for state in now.agents)


def test_an_outage_takes_readiness_and_counts_errors():
    """Without an endpoint agents are up but not ready, calls fail, and work piles up."""
    before = world()
    later = advance(switch(before, Scenario.INTEL_OUTAGE), 60)
    for index, state in enumerate(later.agents):
        assert state.up
        assert not state.ready
        assert _grew(before, later, "intel_errors", index) > 10
    assert later.agents[REACTIVE].pending > 20
    body = values(dict(bodies(later))[REACTIVE])
    assert body["agent_intel_up", ()] == 0
    assert body["agent_intel_all_down", ()] == 1


def test_stuck_agents_are_full_and_finish_nothing():
    """Saturation is 1, no run ends, the lag grows and the reactor stalls."""
    earlier, later = _after(Scenario.STUCK, 60), _after(Scenario.STUCK, 180)
    for index, state in enumerate(later.agents):
        assert state.inflight == later.plan.fleet_of(index).capacity
        assert _grew(earlier, later, "runs", index) == 0
        assert state.total("reactor_stalls") > earlier.agents[index].total("reactor_stalls")
    assert later.agents[REACTIVE].lag(later.time) > earlier.agents[REACTIVE].lag(earlier.time) > 10


@pytest.mark.parametrize("seed", range(8))
def test_stuck_runs_have_subagents_to_kill(seed):
    """Whatever an agent was doing when it got stuck, its subagents are killed for it."""
    before = make_world(make_plan(config(), 4, None, seed, 5.0), Scenario.STEADY)
    later = advance(switch(before, Scenario.STUCK), 600)
    for agent in range(4):
        assert _grew(before, later, "subagent_stuck_kills", agent) > 3


def test_crashing_processes_start_over_and_stay_away():
    """Processes go away, come back with fresh counters, and the supervisor's count of restarts grows."""
    now, away = switch(world(), Scenario.CRASHLOOP), 0
    for _ in range(60):
        now = advance(now, 5)
        away += sum(not state.up for state in now.agents)
    assert away > 0
    for state in now.agents:
        assert state.starts > 2
        if state.up:
            assert state.total("restarts") == state.starts - 1


def test_contention_loses_most_claims():
    """More claims are lost than won, and the coordination server counts the same."""
    before = world()
    later = advance(switch(before, Scenario.CLAIM_CONTENTION), 300)
    won = sum(_grew(before, later, "claims_granted", agent) for agent in (0, 2))
    lost = sum(_grew(before, later, "claims_lost", agent) for agent in (0, 2))
    assert lost > 2 * won > 0
    assert later.backlogs[0].counts["claims_contended"] == sum(
        later.agents[agent].total("claims_lost") for agent in (0, 2)
    )


def test_an_exhausted_budget_refuses_and_cuts_short():
    """Runs end for lack of tokens and requests are refused for the budget."""
    later = _after(Scenario.BUDGET_EXHAUSTION)
    for state in later.agents:
        assert state.total("refusals", "budget") > 10
        assert state.total("limit_exceeded", "tree_tokens") > 0


def test_a_switch_may_be_for_some_agents_only():
    """Agents that are not named keep what they go through."""
    later = advance(switch(world(), Scenario.INTEL_OUTAGE, [1]), 10)
    assert [state.intelligence for state in later.agents] == [True, False, True, True]
