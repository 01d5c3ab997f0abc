"""What several bodies of one target show, and what they must not be taken for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from obs.checks.catalogue import LIVE_CHECKS, Entry
from obs.checks.live.trail import HOLD
from tests.sidecar.playing import BACKGROUND, bodies, codes, play

each_check = pytest.mark.parametrize("entry", LIVE_CHECKS, ids=lambda entry: entry.slug)


@each_check
def test_the_bad_example_is_found(entry: Entry) -> None:
    """The last body of a page's bad example trips the check."""
    assert entry.code in codes(play(bodies(entry.doc.bad))[-1])


@each_check
def test_the_first_bad_body_alone_is_not_found(entry: Entry) -> None:
    """None of these checks judges a target by one body."""
    assert codes(play(bodies(entry.doc.bad))[0]) == set()


@each_check
def test_the_good_example_is_clean(entry: Entry) -> None:
    """No body of a page's good example trips any of the checks."""
    assert {code for said in play(bodies(entry.doc.good)) for code in codes(said)} == set()


@each_check
def test_the_catalogue_says_what_the_check_says(entry: Entry) -> None:
    """Code, slug and category are the same in the catalogue and on the page."""
    assert (entry.doc.code, entry.doc.slug, entry.doc.category) == entry


def body(values: dict[str, float]) -> str:
    """A body of counters."""
    return "".join(
        f"# HELP {name} Counted.\n# TYPE {name} counter\n{name} {value}\n" for name, value in values.items()
    )


def history(steps: list[list[int]]) -> list[str]:
    """Bodies of a process that counts up by `steps`."""
    totals = [0] * len(BACKGROUND)
    texts = []
    for step in steps:
        totals = [total + more for total, more in zip(totals, step, strict=True)]
        texts.append(body(dict(zip(BACKGROUND, totals, strict=True))))
    return texts


steps = st.lists(
    st.lists(st.integers(0, 50), min_size=len(BACKGROUND), max_size=len(BACKGROUND)), min_size=1, max_size=12
)


@given(st.lists(steps, min_size=1, max_size=3))
def test_processes_that_only_count_up_are_clean_until_the_second_restart(
    lives: list[list[list[int]]],
) -> None:
    """Counting up is never a finding, and neither is a new process that counts from the start."""
    grown = [[[100 + more for more in step] for step in life] for life in lives]
    texts = [text for life in grown for text in history(life)]
    assert {code for said in play(texts) for code in codes(said)} == set()


def test_a_fall_is_a_finding_at_once_and_for_a_while() -> None:
    """The verdict changes with the body that shows the fall, and falls back when it is long past."""
    numbers = [str(100 + at) for at in range(4)] + [str(50 + at) for at in range(HOLD + 1)]
    said = [codes(each) for each in play(bodies(
        "# one number a scrape, - for none; the agent's other counters go on\n"
        f"agent_runs_started_total {' '.join(numbers)}\n"
    ))]  # fmt: skip
    assert said[3] == set()
    assert said[4] == {"OBS501"}
    assert said[3 + HOLD] == {"OBS501"}
    assert said[4 + HOLD] == set()


def test_a_restart_with_all_counters_at_zero_is_clean() -> None:
    """An idle process that starts over, its generation included, is no violation."""
    before = {"agent_config_generation": 7.0} | dict.fromkeys(BACKGROUND, 0.0)
    texts = [body(before)] * 5 + [body(before | {"agent_config_generation": 1.0})] * 5
    assert {code for said in play(texts) for code in codes(said)} == set()


def test_a_restart_after_which_lazy_series_are_missing_is_clean() -> None:
    """Series that appear with their first event are gone after a restart, and nothing vanished."""
    texts = history([[9] * len(BACKGROUND)] * 5)
    lazy = '# TYPE agent_mcp_connect_failures_total counter\nagent_mcp_connect_failures_total{server="a"} 3\n'
    again = history([[2] * len(BACKGROUND)] * 3)
    said = play([text + lazy for text in texts] + again)
    assert {code for each in said for code in codes(each)} == set()


def test_two_workers_with_different_series_are_found() -> None:
    """Several processes are recognised although each exposes other series."""

    def worker(base: int, turn: int, extra: str) -> str:
        values = {name: float(base * (at + 1) + turn) for at, name in enumerate(BACKGROUND)}
        return body(values) + f"# TYPE {extra} counter\n{extra} {turn + 1}\n"

    texts = [
        worker(10_000, at, "acme_x_total") if at % 2 else worker(10, at, "acme_y_total") for at in range(12)
    ]
    assert "OBS502" in codes(play(texts)[-1])


def test_codes_are_frozen() -> None:
    """A code keeps its meaning for ever: append, never change."""
    assert [f"{entry.code} {entry.slug}" for entry in LIVE_CHECKS] == [
        "OBS501 counter-decrease",
        "OBS502 several-processes",
        "OBS503 vanished-series",
        "OBS504 label-churn",
        "OBS505 growing-label",
        "OBS506 frozen-body",
        "OBS507 generation-decrease",
        "OBS508 drifting-twins",
    ]
