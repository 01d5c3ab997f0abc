"""Laws of the engine: pure, ordered, with places that lie in the body, whatever the body is."""

from __future__ import annotations

import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from obs.checks.catalogue import ALL_CHECKS
from obs.checks.check import Profile
from obs.checks.engine import EXCERPT, MOST_HITS, Options, run
from obs.exposition import Limits, parse
from obs.model.finding import Severity
from tests.checks.judge import codes, home, judge

EXAMPLES = [
    text for entry in ALL_CHECKS for text in (entry.doc.bad, entry.doc.good) if not text.startswith("$")
]
LINES = sorted({line for text in EXAMPLES for line in text.splitlines()})
BODIES = st.lists(st.sampled_from(LINES), max_size=12).map("\n".join).map(lambda text: f"{text}\n")


@settings(max_examples=300)
@given(BODIES, st.sampled_from(list(Profile)))
def test_findings_have_places(text: str, profile: Profile) -> None:
    """Any mixture of lines is judged without a crash; lines and columns lie in the body, in order, with an excerpt."""
    body = text.encode("utf-8", "surrogateescape")
    scrape = parse(body, source="m.txt")
    found = run(scrape, home(), Options(profile=profile))
    places = [(one.location.line, one.location.column) for one in found]
    assert places == sorted(places)
    for one in found:
        place = one.location
        assert place.source == "m.txt"
        assert 0 <= place.line <= scrape.text.count("\n") + 1
        line = scrape.line_text(place.line)
        assert 0 <= place.column <= len(line) + 1
        assert place.column <= place.end_column or place.end_column == 0
        assert line[one.excerpt_offset :].startswith(one.excerpt)
        assert len(one.excerpt) <= EXCERPT
        assert one.count >= 1
        assert one.message
        assert one.remedy
    assert run(scrape, home(), Options(profile=profile)) == found


@settings(max_examples=150)
@given(BODIES)
def test_a_consumer_finds_the_same(text: str) -> None:
    """The profile changes severities only, and only downwards."""
    scrape = parse(text.encode("utf-8", "surrogateescape"))
    for_all = [run(scrape, home(), Options(profile=profile)) for profile in Profile]
    producer, consumer = for_all
    assert [(one.code, one.message) for one in producer] == [(one.code, one.message) for one in consumer]
    assert all(mild.severity <= strict.severity for mild, strict in zip(consumer, producer, strict=True))


@settings(max_examples=100)
@given(BODIES, st.sets(st.sampled_from(ALL_CHECKS), min_size=1))
def test_a_selection_is_a_part(text: str, chosen: set[object]) -> None:
    """What a selection of checks finds is what they find among all."""
    scrape = parse(text.encode("utf-8", "surrogateescape"))
    entries = tuple(entry for entry in ALL_CHECKS if entry in chosen)
    everything = run(scrape, home())
    wanted = {entry.code for entry in entries}
    assert run(scrape, home(), Options(entries)) == tuple(one for one in everything if one.code in wanted)


def test_without_a_registry_what_needs_none_is_judged() -> None:
    """No registry: format and style are judged, and no metric is missed."""
    scrape = parse(b'# TYPE agent_up gauge\nagent_up 0,5\nacme_jobs{a="b"} 1\n')
    assert codes(run(scrape, None)) == ["OBS401", "OBS132", "OBS401"]


def test_capped_diagnoses_keep_their_count() -> None:
    """What the parser did not keep is counted on the last finding of its kind."""
    scrape = parse(b"a-b 1\n" * 50 + b"c 1\n", limits=Limits(max_diagnoses=10))
    found = [one for one in run(scrape, None) if one.code == "OBS120"]
    assert len(found) == 10
    assert sum(one.count for one in found) == 50


@pytest.mark.parametrize(("body", "dropped"), [("a-b 1\n", True), ('a{b="c"} 1\na{b="c"} 1\n', False)])
def test_it_is_said_when_a_server_drops_everything(body: str, dropped: bool) -> None:
    """The consequence is a part of the message where there is one."""
    (one,) = judge(body, "format")
    assert ("drops the whole scrape" in one.message) is dropped
    assert one.severity is Severity.ERROR


def test_a_flood_of_strangers_is_judged_without_comparing_them_all() -> None:
    """Fifty thousand unknown metrics are found, in a bounded number of findings (a slow comparison would time out)."""
    body = "".join(f"agent_{number}_x 1\n" for number in range(50_000))
    found = judge(body, "OBS202", "OBS217", registry=home())
    assert sum(one.count for one in found) == 50_000
    assert len(found) <= 2 * MOST_HITS


def test_a_very_long_value_costs_its_length() -> None:
    """The place of a value of megabytes is found without a trail of backtracking, and its excerpt is short."""
    value = "/1" * 2_000_000
    tracemalloc.start()
    (one,) = judge(f'a{{x="{value}"}} 1\n', "cardinality")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (one.code, one.location.column) == ("OBS303", 6)
    assert len(one.excerpt) == EXCERPT
    assert peak < 12 * len(value)
