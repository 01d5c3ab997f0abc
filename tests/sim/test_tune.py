"""The search: it finds what it should, wherever its work is done."""

from __future__ import annotations

import io
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from obs.adapters.search import Progress, search
from obs.sim.budget import parse
from obs.sim.knobs import NAMES, Knobs, UpPolicy, space_of, turned
from obs.sim.run import Clocks
from obs.sim.scaled_object import read
from obs.sim.tune import (
    FINALISTS,
    Score,
    Scored,
    Trial,
    coarse,
    default_budget,
    evaluate,
    pareto,
    report,
    score,
)
from tests.sim.fleets import PENDING, bursts, document, scenario, trigger

KNOBS = Knobs(2.0, UpPolicy(100, 4, 15), 300, 50, 1, 15, 300)


def trial(seeds: int = 2, slo: int = 90, **metadata: str) -> Trial:
    """Return a small trial: an hour with two bursts of one-minute tasks."""
    found = document(trigger(**metadata))
    scenarios = tuple(
        scenario(
            bursts(300, 2000, each=60),
            60,
            capacity=4,
            drain=240,
            seed=seed,
            clocks=Clocks.seeded(seed),
            settle=1800,
            slo=slo,
        )
        for seed in range(seeds)
    )
    return Trial(found, read(found), scenarios, default_budget(slo))


def test_the_chosen_document_does_what_was_found() -> None:
    """The printed ScaledObject reads back and has exactly the score that it was chosen for."""
    on = trial(threshold="16")
    tuning = search(on, 60, jobs=1, stream=io.StringIO())
    assert score(on, read(tuning.document)) == tuning.chosen.score
    assert tuning.kept
    assert tuning.chosen.score.cost <= tuning.given.cost or tuning.given.broken > 0
    assert tuning.chosen in tuning.front
    assert tuning.points <= 80
    assert tuning.runs == 2 * (1 + tuning.points + 2 * FINALISTS)
    assert {replay.name for replay in tuning.replays} == {
        "source away for 30m at the busiest time",
        "twice the load",
    }


def test_the_result_does_not_depend_on_the_processes() -> None:
    """One process or two find the same."""
    on = trial(seeds=1)
    assert search(on, 40, jobs=1, stream=io.StringIO()) == search(on, 40, jobs=2, stream=io.StringIO())


def test_a_budget_that_nothing_keeps_is_said() -> None:
    """Where no point keeps the budget the report says so, and the least bad one is chosen."""
    on = trial(seeds=1)
    on = Trial(on.document, on.scaled, on.scenarios, parse("p95_wait<1s,cost<0.01"))
    tuning = search(on, 40, jobs=1, stream=io.StringIO())
    assert not tuning.kept
    assert "no point keeps the whole budget" in report(on, tuning)


def test_a_knob_that_does_nothing_is_named() -> None:
    """With a fleet that never sleeps the cooldown plays no part, and the report says that it does not matter."""
    on = trial(seeds=1, query="sum(agent_pending_events) + sum(agent_inflight_reactions)")
    tuning = search(on, 60, jobs=1, stream=io.StringIO())
    assert tuning.chosen.knobs.minimum >= 1
    assert {"cooldown", "poll"} <= set(tuning.flat)
    assert "no difference here: " in report(on, tuning)


def test_turning_changes_what_it_says_and_nothing_else() -> None:
    """Thresholds of items follow the capacity, ratios stay; the document that was given is not touched."""
    found = document(
        trigger(PENDING),
        trigger("sum(agent_saturation)", "0.7"),
        fallback={"failureThreshold": 3, "replicas": 2},
    )
    before = repr(found)
    made = turned(found, read(found), KNOBS, capacity=5)
    assert repr(found) == before
    assert [one["metadata"]["threshold"] for one in made["spec"]["triggers"]] == ["10", "0.7"]
    scaled = read(made)
    assert (scaled.minimum, scaled.polling, scaled.cooldown) == (1, 15, 300)
    assert scaled.fallback == read(found).fallback
    assert scaled.behavior is not None
    assert scaled.behavior.down.window == 300


@pytest.mark.parametrize("count", [1, 7, 60, 10_000])
def test_a_coarse_sample_is_even(count: int) -> None:
    """The sample has different points, as many as there are at the most, and every value of a knob."""
    space = space_of(read(document()))
    points = coarse(space, count)
    assert len(points) == len(set(points)) == min(count, space.size())
    if count >= 60:
        for name in NAMES:
            assert {getattr(point, name) for point in points} == set(space.values[name])


def test_neighbours_differ_in_one_knob() -> None:
    """A step of the search turns one knob by one value."""
    space = space_of(read(document()))
    for near in space.neighbours(KNOBS):
        turned_ = [name for name in NAMES if getattr(near, name) != getattr(KNOBS, name)]
        assert len(turned_) == 1


def test_the_same_point_meets_the_same_world() -> None:
    """Scores are comparable: a point's score is the same whenever it is taken."""
    assert evaluate(trial(), KNOBS) == evaluate(trial(), KNOBS)


SCORES = st.builds(
    Score, st.just(0), st.integers(0, 9).map(float), st.integers(0, 9), st.integers(0, 3), st.integers(0, 3)
)


@given(st.lists(SCORES, min_size=1, max_size=30))
def test_the_front_is_a_front(scores: list[Score]) -> None:
    """No point of the front beats another, and everything else is beaten or equalled by one of the front."""
    front = pareto([Scored(KNOBS, one) for one in scores])

    def merits(one: Score) -> tuple[float, int, int]:
        return one.cost, one.p95_wait, one.interrupted + one.left

    def covers(one: Score, other: Score) -> bool:
        return all(a <= b for a, b in zip(merits(one), merits(other), strict=True))

    kept = [one.score for one in front]
    assert all(not covers(one, other) for one in kept for other in kept if one is not other)
    assert all(any(covers(one, other) for one in kept) for other in scores)
    assert all(merits(one) < merits(other) for one, other in pairwise(kept))


class Terminal(io.StringIO):
    """A stream that a person watches."""

    def isatty(self) -> bool:
        """Say that it is a terminal."""
        return True


def test_progress_is_for_terminals() -> None:
    """A bar is drawn for a person and wiped in the end; a pipe sees nothing."""
    for stream, shown in ((Terminal(), True), (io.StringIO(), False)):
        progress = Progress(2, stream)
        progress.step()
        progress.close()
        assert ("1/2 points" in stream.getvalue()) is shown
        assert not stream.getvalue() or stream.getvalue().endswith("\r")
