"""The picture of a run: one file, nothing fetched, the same bytes for the same run."""

from __future__ import annotations

import re
from itertools import pairwise
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from obs.sim.picture import PLOT, Point, ceiling, page, svg, thinned
from obs.sim.run import simulate
from obs.sim.scaled_object import read
from tests.sim.fleets import bursts, document, external, fleet, scenario

LOAD = scenario(bursts(600, 2400, each=80), 60, faults="outage:1h-80m,slow-start:0s-20m:60s", capacity=2)
FLEET = fleet()
RUN = simulate(FLEET, LOAD)
SVG = "{http://www.w3.org/2000/svg}"


def drawn() -> ElementTree.Element:
    """Return the SVG as a tree."""
    return ElementTree.fromstring(svg(FLEET, LOAD, RUN))


def test_three_panels_on_one_axis() -> None:
    """Replicas, items and waits have a panel each, and the axis ends where the run does."""
    words = [element.text for element in drawn().iter(f"{SVG}text")]
    assert [word for word in words if word in {"replicas", "items", "wait by arrival"}] == [
        "replicas",
        "items",
        "wait by arrival",
    ]
    assert words[-1] == "2h"


def test_every_change_can_be_pointed_at() -> None:
    """Each change of the replicas is a dot that tells why."""
    dots = [dot.find(f"{SVG}title") for dot in drawn().iter(f"{SVG}circle")]
    told = [title.text for title in dots if title is not None]
    assert told == [f"{change.before} -> {change.after}: {change.text}" for change in RUN.changes]


def test_faults_are_shown() -> None:
    """What went wrong is shaded in every panel, and named."""
    titles = [title.text for rect in drawn().iter(f"{SVG}rect") for title in rect.iter(f"{SVG}title")]
    assert titles.count("fault: outage") == 3
    assert titles.count("fault: slow-start") == 3


def test_everything_lies_within_the_picture() -> None:
    """No point of any curve is outside the drawing."""
    root = drawn()
    width, height = (float(side) for side in root.attrib["viewBox"].split()[2:])
    for path in root.iter(f"{SVG}path"):
        for letter, number in re.findall(r"([HV])(-?[\d.]+)", path.attrib["d"]):
            assert 0 <= float(number) <= (width if letter == "H" else height)


def test_the_page_is_one_file() -> None:
    """The page names no other file and no address, and holds figures, log and simplifications of both runs."""
    other = fleet(external())
    text = page(LOAD, [(FLEET, RUN), (other, simulate(other, LOAD))])
    assert text.startswith("<!DOCTYPE html>\n<html")
    assert not re.search(r"(src|href)=|url\(|@import|<script", text)
    assert re.findall(r"https?://[^\"<]*", text) == ["http://www.w3.org/2000/svg"] * 2
    assert text.count("<svg") == 2
    assert "keda-activated" in text
    assert "no cluster autoscaler" in text


def test_a_hostile_name_stays_text() -> None:
    """Names from the document cannot become markup."""
    found = document()
    found["metadata"]["name"] = "<script>alert(1)</script>"
    assert "<script>" not in page(LOAD, [(read(found), RUN)])


def test_the_same_run_gives_the_same_bytes() -> None:
    """Nothing but the run enters the picture."""
    assert svg(FLEET, LOAD, RUN) == svg(FLEET, LOAD, simulate(FLEET, LOAD))


@given(st.lists(st.tuples(st.integers(0, 5000), st.integers(0, 99)), min_size=1))
def test_thinning_keeps_maxima(rows: list[tuple[int, int]]) -> None:
    """At most one point a pixel is left, in order, and the largest value is among them."""
    points = [Point(*row) for row in sorted(rows)]
    kept = thinned(points, 5000)
    assert len(kept) <= PLOT + 1
    assert max(point.value for point in kept) == max(point.value for point in points)
    assert all(one.time < other.time for one, other in pairwise(kept))


@pytest.mark.parametrize(
    ("value", "top"), [(0, 1), (1, 1), (3, 4), (7, 10), (41, 60), (61, 100), (1001, 2000)]
)
def test_axes_end_at_round_numbers(value: float, top: float) -> None:
    """An axis ends at the next round number."""
    assert ceiling(value) == top
