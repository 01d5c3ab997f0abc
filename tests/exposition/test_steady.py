"""A body that is recognised by its text is the body that the parser would have read."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from obs.exposition import parse
from obs.exposition.steady import Steady

BODY = (
    "# HELP agent_up Up.\n# TYPE agent_up gauge\nagent_up 1\n"
    "# HELP agent_runs_total Runs.\n# TYPE agent_runs_total counter\n"
    'agent_runs_total{status="completed"} 10\nagent_runs_total{status="other"} 0\n'
    "# TYPE agent_run_duration_ms histogram\n"
    'agent_run_duration_ms_bucket{le="5"} 1\nagent_run_duration_ms_bucket{le="+Inf"} 2\n'
    "agent_run_duration_ms_sum 30\nagent_run_duration_ms_count 2\n"
    "# HELP agent_saturation Share.\n# TYPE agent_saturation gauge\nagent_saturation 0.25\n"
)
NUMBERS = [
    "1",
    "0",
    "12",
    "0.5",
    "-3",
    "NaN",
    "+Inf",
    "1e400",
    "1e3",
    "",
    "x",
    "1 2",
    "1 # {} 1",
    " 7",
    "7\r",
]


def steady(text: str = BODY) -> Steady:
    """What is remembered of a body that can be recognised."""
    found = Steady.of(parse(text.encode()))
    assert found is not None
    return found


def test_other_numbers_are_recognised() -> None:
    """The same lines with other numbers give the scrape that the parser gives, text and size included."""
    later = BODY.replace("} 10", "} 12").replace("0.25", "0.75").encode()
    assert steady().read(later) == parse(later)


@given(st.lists(st.sampled_from(NUMBERS), min_size=8, max_size=8))
def test_recognised_or_parsed_it_is_the_same(numbers: list[str]) -> None:
    """Whatever stands in the place of the numbers: the answer is the parser's, or none."""
    lines = BODY.split("\n")
    places = [at for at, line in enumerate(lines) if line and not line.startswith("#")]
    for place, number in zip(places, numbers, strict=True):
        lines[place] = lines[place].rpartition(" ")[0] + " " + number
    body = "\n".join(lines).encode()
    found = steady().read(body)
    assert found is None or repr(found) == repr(parse(body))


@given(st.integers(0, len(BODY) - 1), st.sampled_from(["", "x", "\n", " ", '"', "\ud83d", "1"]))
def test_any_other_change_is_left_to_the_parser(at: int, put: str) -> None:
    """One character replaced anywhere: recognised only where the parser reads the same."""
    body = (BODY[:at] + put + BODY[at + 1 :]).encode("utf-8", "surrogatepass")
    found = steady().read(body)
    assert found is None or repr(found) == repr(parse(body))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "agent_up 1",
        "agent_up 1 1700000000000\n",
        '# TYPE a histogram\na_bucket{le="+Inf"} 1\na_sum 1\na_count 1\n# EOF\n',
        "# TYPE a summary\na_sum 1\na_count 1\n",
        'a_total{x="1} 2\n',
        '# TYPE a counter\na_total 1 # {x="1"} 1\n# EOF\n',
    ],
)
def test_what_has_laws_of_its_own_is_never_recognised(text: str) -> None:
    """No samples, a defect, timestamps, exemplars, summaries and OpenMetrics histograms are always parsed."""
    assert Steady.of(parse(text.encode())) is None


def test_openmetrics_is_recognised_too() -> None:
    """The end mark is part of what must be the same."""
    text = "# HELP agent_runs Runs.\n# TYPE agent_runs counter\nagent_runs_total 1\n# EOF\n"
    later = text.replace("_total 1", "_total 2")
    assert steady(text).read(later.encode()) == parse(later.encode())
    assert steady(text).read(later.removesuffix("# EOF\n").encode()) is None
