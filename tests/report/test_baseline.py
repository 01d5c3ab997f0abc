"""A baseline accepts what is known, reports what is new, and only ever shrinks."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from obs.errors import ConfigInvalidError
from obs.report.baseline import Baseline, apply, apply_to_report, build, parse, serialise, shrink
from obs.report.fingerprint import fingerprint
from tests.report.sample import CLOSED, MISSING, NEAR, REPORT
from tests.report.strategies import FINDINGS

if TYPE_CHECKING:
    from obs.model.finding import Finding
    from tests.conftest import Golden

LISTS = st.lists(FINDINGS, max_size=8)


@given(LISTS)
def test_a_baseline_accepts_what_it_was_made_of(findings: list[Finding]) -> None:
    """After adoption nothing is new, even once written and read back."""
    read = parse(serialise(build(findings)), "baseline.json")
    assert read == build(findings)
    split = apply(findings, read)
    assert split.new == ()
    assert list(split.accepted) == findings


@given(LISTS, LISTS)
def test_shrinking_only_removes(before: list[Finding], now: list[Finding]) -> None:
    """What is no longer found leaves the baseline; nothing ever enters it."""
    baseline = build(before)
    smaller = shrink(baseline, now)
    assert set(smaller.entries) <= set(baseline.entries)
    assert {entry.fingerprint for entry in smaller.entries} == (
        {fingerprint(finding) for finding in before} & {fingerprint(finding) for finding in now}
    )
    assert apply(now, smaller) == apply(now, baseline)


def test_a_new_finding_is_new() -> None:
    """A defect that the baseline does not know is reported, the known one on another line is not."""
    moved = replace(CLOSED, location=replace(CLOSED.location, line=400), count=9)
    split = apply([moved, NEAR], build([CLOSED]))
    assert (split.new, split.accepted) == ((NEAR,), (moved,))


def test_a_report_counts_what_the_baseline_took() -> None:
    """Accepted findings leave the list and are counted, repetitions included, beside those counted before."""
    first = apply_to_report(REPORT, build(REPORT.targets[0].findings)).targets[0]
    assert first.findings == ()
    assert first.baselined == REPORT.targets[0].baselined + 1208


@pytest.mark.golden
def test_file(golden: Golden) -> None:
    """The file is sorted, ends in a newline and can be reviewed: it says what each fingerprint stands for."""
    text = serialise(build([NEAR, CLOSED, MISSING, CLOSED]))
    golden(Path(__file__).parent / "golden-baseline" / "baseline.json", text)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{", "b.json:1:2: not JSON"),
        ("[]", "b.json: $: no baseline"),
        ('{"version": 1}', "b.json: $: no baseline"),
        ('{"version": 9, "findings": []}', "b.json: $.version: baseline version 9 is not known"),
        ('{"version": 1, "findings": [3]}', "b.json: $.findings[0]: an object is expected, not int"),
        ("[" * 100_000, "b.json"),
    ],
)
def test_a_broken_file_is_refused(text: str, problem: str) -> None:
    """Each defect of a baseline file is an error with its place and the way out."""
    with pytest.raises(ConfigInvalidError) as caught:
        parse(text, "b.json")
    assert str(caught.value).startswith(problem)
    assert all(each.remedy for each in caught.value.problems)


def test_every_problem_is_reported() -> None:
    """Two broken entries give the problems of both."""
    rows = [{"fingerprint": "xyz", "code": "OBS1", "slug": "s", "subject": "m", "message": "m"}, {"code": 3}]
    with pytest.raises(ConfigInvalidError) as caught:
        parse(json.dumps({"version": 1, "findings": rows}), "b.json")
    places = [problem.where for problem in caught.value.problems]
    assert places[0] == "b.json: $.findings[0].fingerprint"
    assert [place for place in places if "[1]" in place] == [
        f"b.json: $.findings[1].{key}" for key in ("fingerprint", "code", "slug", "subject", "message")
    ]


def test_an_empty_baseline_accepts_nothing() -> None:
    """Without entries every finding is new."""
    assert apply([CLOSED], Baseline()).new == (CLOSED,)
