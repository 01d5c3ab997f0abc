"""Every diagnosis on a body that has exactly this defect, and silence on bodies that have none."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from obs.exposition import DiagnosisKind, Limits, parse
from tests.exposition.faults import FAULTS, SOUND, Fault

# Told by what the parser is given besides the body; see test_content.py.
BY_ARGUMENTS = {DiagnosisKind.CONTENT_TYPE, DiagnosisKind.BODY_LIMIT, DiagnosisKind.SERIES_LIMIT}


@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_a_fault_is_named_once_at_its_place(fault: Fault) -> None:
    """A body with one defect gets one diagnosis, of the right kind, line, column and consequence."""
    scrape = parse(fault.body, content_type=fault.content_type)
    said = [(one.kind, one.line, one.column, one.fatal) for one in scrape.diagnoses]
    assert said == [(fault.kind, fault.line, fault.column, fault.fatal)]
    assert scrape.rejected_by_server is fault.fatal
    assert scrape.diagnosis_counts == {fault.kind.value: 1}


@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_a_diagnosis_reads_well(fault: Fault) -> None:
    """A diagnosis has one line of message, a remedy, and columns that lie on its line (or just behind it)."""
    scrape = parse(fault.body, content_type=fault.content_type)
    for one in scrape.diagnoses:
        assert one.message
        assert one.remedy
        assert one.message.isprintable()
        assert one.remedy.isprintable()
        assert 1 <= one.column < one.end_column


def test_every_kind_has_a_fault() -> None:
    """No diagnosis without a body that earns it."""
    assert {fault.kind for fault in FAULTS} | BY_ARGUMENTS == set(DiagnosisKind)


@pytest.mark.parametrize("name", SOUND)
def test_a_sound_body_has_no_diagnosis(name: str) -> None:
    """What the formats allow is not reported."""
    content_type, body = SOUND[name]
    assert parse(body.encode(), content_type=content_type).diagnoses == ()


# Faults of one line of text that can stand anywhere in a body.
OF_WHOLE_BODY = {
    DiagnosisKind.BYTE_ORDER_MARK,
    DiagnosisKind.UTF16_BODY,
    DiagnosisKind.NOT_EXPOSITION,
    DiagnosisKind.HTML_BODY,
}
LINE_FAULTS = [
    fault
    for fault in FAULTS
    if fault.body.count(b"\n") == 1
    and fault.body.endswith(b"\n")
    and fault.content_type.startswith("text")
    and fault.kind not in OF_WHOLE_BODY
]


@pytest.mark.parametrize("fault", LINE_FAULTS, ids=str)
def test_a_broken_line_does_not_hide_the_others(fault: Fault) -> None:
    """Lines before and after a broken one are read and counted."""
    before, after = b"# TYPE first gauge\nfirst 1\n", b'# TYPE last gauge\nlast{a="b"} 2\n'
    scrape = parse(before + fault.body + after, content_type=fault.content_type)
    assert {"first", "last"} <= {family.name for family in scrape.families if family.blocks}
    assert [(one.kind, one.line) for one in scrape.diagnoses] == [(fault.kind, 3)]


def test_diagnoses_are_capped_by_kind_and_counted() -> None:
    """A body of broken lines costs a bounded number of diagnoses; the true number is kept."""
    scrape = parse(b"a-b 1\n" * 50 + b"x 1,5\n", limits=Limits(max_diagnoses=10))
    assert len(scrape.diagnoses) == 11
    assert scrape.diagnosis_counts == {"invalid-metric-name": 50, "decimal-comma": 1}
    assert scrape.rejected_by_server


@pytest.mark.parametrize(
    ("body", "phrase"),
    [
        ('queue{zone="the "eu" one"} 1\n', "`zone`"),
        ("my-queue 1\n", "`-`"),
        ("queue 1,5\n", "locale"),
        ("queue 1 lag 2\n", "`lag 2`"),
        ("queue 0x1\n", "only decimal"),
        ("queue +NaN\n", "no sign"),
        ("queue 1_0\n", "digit groups"),
        ("queue 1e400\n", "too large"),
        ("<html><head><title>Sign\nin here</title>", "`Sign in here`"),
        ("queue\x1b[31m 1\n", "\\x1b"),
    ],
)
def test_a_message_names_what_it_saw(body: str, phrase: str) -> None:
    """A message quotes the thing that is wrong, control characters escaped."""
    (one,) = parse(body.encode()).diagnoses
    assert phrase in one.message


@pytest.mark.parametrize(
    ("body", "remedy"),
    [("my-queue 1\n", "`my_queue`"), ("9lives 1\n", "`_9lives`"), ("# TYPE q GAUGE\n", "`gauge`")],
)
def test_a_remedy_offers_the_fix(body: str, remedy: str) -> None:
    """Where the fix is known, the remedy spells it."""
    (one,) = parse(body.encode()).diagnoses
    assert remedy in one.remedy


def test_the_page_tells_every_diagnosis() -> None:
    """docs/exposition.md names every diagnosis there is, and none that is not."""
    page = (Path(__file__).parents[2] / "docs" / "exposition.md").read_text()
    told = {
        name
        for line in page.splitlines()
        if line.startswith("| `")
        for name in re.findall(r"`([a-z0-9-]+)`", line.split("|")[1])
    }
    assert told == {kind.value for kind in DiagnosisKind}
