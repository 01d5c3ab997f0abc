"""When items arrive: shapes, files, recorded rates."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from obs.errors import InvalidInputError, NothingObservedError, UsageError
from obs.sim.loads import Load, Shape, doubled, from_csv, from_rate, named, shape_called
from obs.sim.run import simulate
from obs.sim.tune import busiest
from tests.sim.fleets import fleet, scenario


@pytest.mark.parametrize("shape", Shape)
def test_shapes_are_drawn_from_their_seed(shape: Shape) -> None:
    """A named load is the same for the same seed, another for another, and ends before its duration."""
    load = named(shape, 0.2, seed=1)
    assert load == named(shape, 0.2, seed=1)
    assert load.arrivals != named(shape, 0.2, seed=2).arrivals
    assert list(load.arrivals) == sorted(load.arrivals)
    assert load.arrivals[0] >= 0
    assert load.arrivals[-1] < load.duration


def test_shapes_have_their_shape() -> None:
    """Bursts are bursts, the day peaks at noon, on-off has silence, the spike comes after two hours of nothing."""
    burst = named(Shape.BURST, 1.0, 1).arrivals
    in_burst = sum(1 for at in burst if 1800 <= at < 2100 or 9000 <= at < 9300)
    assert in_burst > 0.6 * len(burst)
    day = named(Shape.DIURNAL, 1.0, 1).arrivals
    assert sum(1 for at in day if 36000 <= at < 50400) > 10 * sum(1 for at in day if at < 14400)
    assert all(at % 3600 < 1200 for at in named(Shape.ON_OFF, 1.0, 1).arrivals)
    spike = named(Shape.SPIKE_AFTER_IDLE, 1.0, 1).arrivals
    assert min(spike) >= 7200
    assert max(spike) < 7260
    steady = named(Shape.STEADY, 1.0, 1)
    assert len(steady.arrivals) == pytest.approx(0.6 * steady.duration, rel=0.05)


def test_a_shape_without_arrivals_is_said() -> None:
    """A load that is too small to bring anything is an error, not a quiet success."""
    with pytest.raises(NothingObservedError):
        named(Shape.SPIKE_AFTER_IDLE, 1e-9, 1)


def test_unknown_names() -> None:
    """A misspelt shape gets the nearest one as a remedy."""
    assert shape_called("burst") is Shape.BURST
    with pytest.raises(UsageError, match="did you mean `steady`"):
        shape_called("stedy")


def test_counts_are_spread_until_the_next_row() -> None:
    """Six items of a minute come every ten seconds; those of the last row within the gap before it."""
    load = from_csv("time,arrivals\n0,6\n60,0\n120,2\n", "x.csv")
    assert load.arrivals == (0, 10, 20, 30, 40, 50, 120, 150)
    assert load.duration == 180


def test_fractions_are_carried_over() -> None:
    """Half an item a minute is one item every second minute, none is lost."""
    assert from_csv("time,arrivals\n" + "".join(f"{60 * n},0.5\n" for n in range(10)), "x.csv").arrivals == (
        60,
        180,
        300,
        420,
        540,
    )


def test_a_trace_of_times() -> None:
    """With times alone every row is an item, at its own second, and the first row is the start."""
    text = "\ufefftime\r\n2026-01-01T00:00:00Z\r\n2026-01-01T00:00:07Z\r\n\r\n2026-01-01T00:01:00Z\r\n"
    load = from_csv(text, "x.csv")
    assert load.arrivals == (0, 7, 60)
    assert load.duration == 61


def test_a_trace_of_tasks() -> None:
    """With times and work every row is an item that takes exactly so long, whatever tasks are drawn elsewhere."""
    load = from_csv("time,work\n100,30\n101,0.2\n160,90\n", "x.csv")
    assert (load.arrivals, load.work) == ((0, 1, 60), (30, 1, 90))
    assert doubled(load).work == (30, 30, 1, 1, 90, 90)
    ran = replace(scenario((), 1), load=load)
    assert simulate(fleet(minReplicaCount=3), ran).summary.done == 3


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("when,what\n1,2\n", ["x.csv:1: the header is `when,what`"]),
        ("time,arrivals\nsoon,2\n5,-1\n", ["x.csv:2: `soon` is no time", "x.csv:3: `-1` is no amount"]),
        ("time,arrivals\n5,nan\n", ["x.csv:2: `nan` is no amount"]),
        ("time,arrivals\n5\n", ["x.csv:2: the row has 1 cells"]),
        ("time,arrivals\n60,1\n\n0,1\n", ["x.csv:4: the time is before"]),
    ],
)
def test_bad_rows_are_named(text: str, expected: list[str]) -> None:
    """Every bad row is a problem with its line."""
    with pytest.raises(InvalidInputError) as caught:
        from_csv(text, "x.csv")
    assert [str(p)[: len(e)] for p, e in zip(caught.value.problems, expected, strict=True)] == expected


@pytest.mark.parametrize("text", ["", "time,arrivals\n", "time\n", "time,arrivals\n0,0\n"])
def test_a_file_without_arrivals_is_an_error(text: str) -> None:
    """Nothing to simulate is said, with exit code 4."""
    with pytest.raises(NothingObservedError):
        from_csv(text, "x.csv")


def test_a_recorded_rate() -> None:
    """A rate in items a second over steps becomes that many items."""
    load = from_rate([(1000.0, 0.1), (1060.0, 0.0), (1120.0, 0.05)], 60, "prometheus")
    assert len(load.arrivals) == 9
    assert load.arrivals[:6] == (0, 10, 20, 30, 40, 50)
    assert load.duration == 180


def test_more_items_than_anyone_can_follow() -> None:
    """A load that would fill the memory is refused before it does."""
    with pytest.raises(InvalidInputError, match="keep it below 5000000"):
        from_csv("time,arrivals\n0,1e15\n", "x.csv")


@pytest.mark.parametrize("rate", [float("nan"), float("inf"), -1.0])
def test_a_rate_that_is_none(rate: float) -> None:
    """A negative rate, or none, is refused."""
    with pytest.raises(InvalidInputError, match="1 samples"):
        from_rate([(0.0, 1.0), (60.0, rate)], 60, "prometheus")


@given(st.lists(st.floats(0, 50), min_size=1, max_size=30))
def test_no_item_is_lost_or_made(counts: list[float]) -> None:
    """A load has as many items as its counts add up to, but for a last fraction, in order and in time."""
    text = "time,arrivals\n" + "".join(f"{60 * i},{count:.6f}\n" for i, count in enumerate(counts))
    total = sum(round(count, 6) for count in counts)
    try:
        load = from_csv(text, "x.csv")
    except NothingObservedError:
        assert total < 1
        return
    assert 0 <= total - len(load.arrivals) < 1.001
    assert list(load.arrivals) == sorted(load.arrivals)
    assert load.arrivals[-1] < load.duration


def test_the_busiest_time() -> None:
    """The busiest half hour starts where the most items follow within it."""
    assert busiest(Load("x", 9000, (0, 1000, 5000, 5100, 5200, 6700, 8000)), 1800) == 5000
