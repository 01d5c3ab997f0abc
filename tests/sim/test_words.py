"""What people write on the command line: durations, faults, budgets; and the figures they are judged by."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from obs.errors import UsageError
from obs.sim.budget import FIGURES, parse
from obs.sim.durations import readable, seconds
from obs.sim.faults import Fault, FaultKind
from obs.sim.faults import parse as parse_faults
from obs.sim.outcome import Change, flaps, percentile, seconds_at
from obs.sim.run import simulate
from tests.sim.fleets import bursts, fleet, scenario


@pytest.mark.parametrize(
    ("text", "expected"),
    [("90", 90), ("90s", 90), ("1m30s", 90), ("1.5h", 5400), ("7d", 604800), ("1w", 604800), ("0s", 0)],
)
def test_durations(text: str, expected: int) -> None:
    """Durations are written in units, in several, or as plain seconds."""
    assert seconds(text) == expected


@pytest.mark.parametrize("text", ["", "x", "5x", "s", "-5s", "1.5s", "5s x", "1e3"])
def test_what_is_no_duration(text: str) -> None:
    """Anything else, and fractions of a second, are refused."""
    with pytest.raises(ValueError, match=r"duration|seconds"):
        seconds(text)


@given(st.integers(0, 10**7))
def test_a_readable_duration_reads_back(amount: int) -> None:
    """What is shown is never more than what was measured, and misses less than its smaller unit."""
    shown = seconds(readable(amount))
    assert 0 <= amount - shown < (1 if amount < 3600 else 60 if amount < 86400 else 3600)


def test_faults() -> None:
    """Faults have a kind, a time, and an amount where that means something."""
    assert parse_faults("slow-start:0s-1h:90s, outage:10m-40m,crash:20m:2,crash:60") == (
        Fault(FaultKind.SLOW_START, 0, 3600, 90),
        Fault(FaultKind.CRASH, 60, 61, 1),
        Fault(FaultKind.OUTAGE, 600, 2400, 0),
        Fault(FaultKind.CRASH, 1200, 1201, 2),
    )
    assert parse_faults("") == ()


@pytest.mark.parametrize(
    "text", ["outage", "outage:5m", "outage:5m-5m", "outge:1-2", "crash:1-2", "empty:x-y"]
)
def test_bad_faults(text: str) -> None:
    """A fault without a proper time, or of no known kind, is refused with the form."""
    with pytest.raises(UsageError, match="--faults"):
        parse_faults(text)


SUMMARY = simulate(fleet(), scenario(bursts(60, each=10), 30)).summary


@pytest.mark.parametrize("figure", FIGURES)
def test_every_figure_can_be_budgeted(figure: str) -> None:
    """Each figure of the summary is a word of --budget."""
    (condition,) = parse(f"{figure} >= 0")
    assert condition.holds(SUMMARY)
    assert condition.verdict(SUMMARY).startswith(f"budget {figure} >= 0: ok (")


def test_budgets_compare_durations_and_numbers() -> None:
    """Bounds may be durations; every comparison means what it says."""
    summary = replace(SUMMARY, p95_wait=60, interrupted=1, cost=2.5)
    kept = [
        condition.holds(summary) for condition in parse("p95_wait<1m,p95_wait<=60s,interrupted!=0,cost<2.6")
    ]
    assert kept == [False, True, True, True]
    assert "VIOLATED (p95_wait is 60)" in parse("p95_wait<1m")[0].verdict(summary)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("p95_wiat<60s", "did you mean `p95_wait`"),
        ("p95_wait", "no condition"),
        ("p95_wait<6x", "not a duration"),
        (" , ", "there is no condition"),
    ],
)
def test_bad_budgets(text: str, message: str) -> None:
    """A condition that cannot be read is refused with the nearest figure."""
    with pytest.raises(UsageError, match=message):
        parse(text)


def test_percentiles_are_nearest_ranks() -> None:
    """A percentile is a value that occurred."""
    assert [percentile([1, 2, 3, 4], share) for share in (0.0, 0.25, 0.5, 0.51, 1.0)] == [1, 1, 2, 3, 4]
    assert percentile([], 0.5) == 0


def changes(*steps: tuple[int, int]) -> tuple[Change, ...]:
    """Return changes from (time, replicas), starting at one replica."""
    before, made = 1, []
    for time, after in steps:
        made.append(Change(time, before, after, "rule", "text"))
        before = after
    return tuple(made)


def test_the_share_of_late_items() -> None:
    """Late items are a share of all items in per cent, of none of them nothing."""
    assert replace(SUMMARY, items=200, slo_misses=50).slo_miss_percent == 25
    assert replace(SUMMARY, items=0, slo_misses=0).slo_miss_percent == 0


def test_flaps_are_reversals_within_ten_minutes() -> None:
    """Up and down soon after is a flap; two steps up are none, nor is a reversal after ten minutes."""
    assert flaps(changes((0, 2), (60, 3), (120, 1), (800, 2))) == 1


def test_time_at_a_level() -> None:
    """The seconds at or above a level are added up to the end of the run."""
    assert seconds_at(changes((10, 5), (30, 2), (50, 5)), 1, 5, 100) == 70
