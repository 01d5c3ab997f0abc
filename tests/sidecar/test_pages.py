"""Pages for people and programs: bounded, escaped, and honest about what they leave out."""

from __future__ import annotations

import json
import time

from hypothesis import given
from hypothesis import strategies as st

from obs.adapters.scrape_access import Access
from obs.adapters.sidecar.client import Outcome
from obs.adapters.sidecar.exposition import View, own_metrics
from obs.adapters.sidecar.pages import findings_json, page
from obs.adapters.sidecar.state import STALE_AFTER, TargetState, Totals
from obs.adapters.sidecar.targets import Target, named
from obs.adapters.sidecar.verdict import Past, Verdict, counted
from obs.exposition import parse
from obs.model.finding import Finding, Location, Severity
from tests.home import sources

LIMIT = 1 << 20


def state(name: str, *findings: Finding) -> TargetState:
    """A target that was judged."""
    made = TargetState(Target(name, f"http://{name}/metrics", Access()))
    verdict = Verdict(
        conformant=not findings, findings=findings, counts=counted(findings), series=1, samples=1
    )
    made.judged(Outcome.OK, verdict, Past(), time.time())
    return made


def finding(number: int, text: str = "a metric is wrong", subject: str = "agent_up") -> Finding:
    """A finding."""
    place = Location("somewhere", number, 1)
    return Finding("OBS207", "flag-value", "contract", Severity.ERROR, text, place, "mend it", subject, text)


def test_the_same_finding_on_many_targets_is_told_once() -> None:
    """Targets are named up to a number, and counted."""
    document = json.loads(findings_json([state(f"t{n}:1", finding(n)) for n in range(50)], Severity.ERROR))
    assert len(document["findings"]) == 1
    assert document["findings"][0]["target_count"] == 50
    assert document["findings"][0]["targets"][0] == "t0:1"
    assert document["summary"]["not_conformant"] == 50


def test_a_broken_namespace_fits_in_a_mebibyte() -> None:
    """Thousands of targets with long findings: the worst are told, the others counted."""
    long = "x" * 1900
    states = [
        state(f"t{n}:1", *(finding(m, f"{long} {n}", f"agent_{n}_{m}") for m in range(20)))
        for n in range(3000)
    ]
    body = findings_json(states, Severity.ERROR)
    assert len(body) <= LIMIT
    document = json.loads(body)
    assert document["targets_left_out"] == 1000
    assert document["findings_left_out"] + sum(one["count"] for one in document["findings"]) == 60_000


@given(st.text(max_size=80), st.text(max_size=80))
def test_nothing_out_of_a_body_becomes_markup(text: str, subject: str) -> None:
    """A hostile target can write into the page, but only text; whatever it writes, all pages can be made."""
    bad = finding(1, f"<script>{text}</script>", subject)
    states = [state("t:1", bad)]
    shown = page(states, Severity.ERROR, {"pod": f"<b>{text}"}, lambda _: None).decode()
    assert "<script>" not in shown
    assert "<b>" + text not in shown or not text
    json.loads(findings_json(states, Severity.ERROR))


@given(st.lists(st.text(min_size=1, max_size=30), min_size=1, max_size=5))
def test_any_name_of_a_target_makes_metrics_that_parse(names: list[str]) -> None:
    """Names come from people: quotes, line feeds and non-ASCII are escaped."""
    targets = named(Target(name, f"http://h:{at + 1}/", Access()) for at, name in enumerate(names))
    states = [TargetState(target) for target in targets]
    body = own_metrics(View(states, Totals(), sources().registry, Severity.ERROR))
    scrape = parse(body, content_type="text/plain; version=0.0.4")
    assert not scrape.rejected_by_server
    assert not scrape.diagnoses


def test_a_verdict_without_an_answer_grows_stale() -> None:
    """One failed scrape keeps the verdict, three in a row end it: silence is not health."""
    target = state("t:1")
    for turn in range(1, STALE_AFTER + 1):
        target.fetched_nothing(Outcome.REFUSED, "refused", None)
        assert target.conformant(Severity.ERROR) is (True if turn < STALE_AFTER else None)
