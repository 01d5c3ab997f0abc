"""The report for people says once what holds for many; nothing is lost by it."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from obs.model.finding import Finding, Location, Severity
from obs.model.report import Report, TargetResult
from obs.report.fold import LEAST, Fold, folded
from obs.report.formats import render
from obs.report.view import View
from tests.report.strategies import FINDINGS

NAMES = tuple(f"agent_metric_{letter}_total" for letter in "abcdefg")


def absent(name: str) -> Finding:
    """Return the finding that `name` is absent from the body."""
    message = f"`{name}` is in the registry but not in this body"
    remedy = f"expose it from the start: what {name} counts: each."
    return Finding(
        "OBS210", "absent-metric", "contract", Severity.ERROR, message, Location("m.txt"), remedy, name
    )


def at_line(line: int) -> Finding:
    """Return a finding with a place."""
    place = Location("m.txt", line, 1, 4)
    return Finding("OBS201", "wrong-type", "contract", Severity.ERROR, "`up` is wrong", place, subject="up")


def shown(*findings: Finding, name: str = "text", width: int = 80) -> str:
    """Return the report on one body with `findings`."""
    return render(Report((TargetResult("m.txt", findings, 1, 1, 1),)), name, View(width=width))


def test_what_has_a_place_comes_before_what_is_said_of_the_whole_body() -> None:
    """The one mistake at a line is the first thing read, in front of all absent metrics."""
    text = shown(*map(absent, NAMES), at_line(900))
    assert text.startswith("m.txt:900:1: error[OBS201 wrong-type] ")


def test_many_absent_metrics_are_one_paragraph() -> None:
    """All names stand under one message with the remedy they share, within the terminal's width."""
    text = shown(*map(absent, NAMES))
    assert text.startswith("m.txt: error[OBS210 absent-metric] each of these 7 is in the registry but not in")
    assert text.count("OBS210") == 1
    assert all(name in text for name in NAMES)
    assert "= fix: expose it from the start\n" in text
    assert max(map(len, text.splitlines())) <= 80
    assert text.endswith("m.txt: 7 errors in 1 sample of 1 series, 1 byte\n")


def test_a_few_keep_their_own_remedy() -> None:
    """Up to three findings are shown one by one."""
    text = shown(*map(absent, NAMES[: LEAST - 1]))
    assert text.count("OBS210") == LEAST - 1
    assert all(f"what {name} counts" in text.replace("\n           ", " ") for name in NAMES[: LEAST - 1])


@pytest.mark.parametrize("name", ["json", "sarif", "github", "junit"])
def test_machines_get_a_row_for_each(name: str) -> None:
    """No format that a machine reads folds."""
    text = shown(*map(absent, NAMES), name=name)
    assert all(f"`{metric}` is in the registry but not in this body" in text for metric in NAMES)
    if name == "json":
        assert len(json.loads(text)["targets"][0]["findings"]) == len(NAMES)


def test_what_differs_in_more_than_its_subject_is_not_folded() -> None:
    """Another place, severity or wording is another message."""
    rows = [absent(name) for name in NAMES[:3]]
    assert folded([*rows, at_line(1), *rows]) == (*rows, at_line(1), *rows)


@given(st.lists(FINDINGS, max_size=12))
def test_folding_loses_no_occurrence(findings: list[Finding]) -> None:
    """Each finding is shown itself or among the subjects of one that speaks for it."""
    rows = folded(findings)
    rows_of = [len(row.subjects) if isinstance(row, Fold) else 1 for row in rows]
    assert sum(rows_of) == len(findings)
    more = [row.finding.count - 1 if isinstance(row, Fold) else row.count - 1 for row in rows]
    assert sum(more) == sum(finding.count - 1 for finding in findings)
