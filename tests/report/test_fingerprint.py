"""A fingerprint is the same for the same defect, and another for another."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from obs.model.finding import Finding, Location, Severity
from obs.report.fingerprint import fingerprint, shape
from tests.report.strategies import FINDINGS


@given(FINDINGS, st.integers(0, 9999), st.integers(0, 9999), st.text(max_size=9))
def test_moving_a_finding_keeps_it(finding: Finding, line: int, column: int, source: str) -> None:
    """Neither another line, column or file nor another count makes it another finding."""
    place = replace(finding.location, source=source, line=line, column=column, end_column=column + 1)
    moved = replace(finding, location=place, excerpt="", count=7, related=(place,), severity=Severity.INFO)
    assert fingerprint(moved) == fingerprint(finding)


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("the first is on line 12, column 3", "the first is on line #, column #"),
        ("`x` has 1,204 series, budget 1000", "`x` has # series, budget #"),
        ("value `-0.5` is negative", "value `#` is negative"),
        ("value `1e+06` and `17`", "value `#` and `#`"),
        ('`code="404"` is unknown', '`code="404"` is unknown'),
        ('`run="3f8e2c1a-9d4b-4c1e-8a55-0e6b2f7d9c10"`', '`run="#"`'),
        ('`at="0x7f3a91c2e8"` at 5', '`at="#"` at #'),
        ("`port` 10.0.3.7:9464", "`port` #.#:#"),
        ("`deadbeef` and `feedface` are words", "`deadbeef` and `feedface` are words"),
        ("an open ` stays 5", "an open ` stays #"),
    ],
)
def test_shape(message: str, expected: str) -> None:
    """Numbers that vary are left out of the identity, names and label values are not."""
    assert shape(message) == expected


@given(st.text())
def test_shape_is_idempotent(message: str) -> None:
    """The shape of a shape is itself, so a baseline can be compared with what it was made of."""
    assert shape(shape(message)) == shape(message)


def test_fingerprint_is_frozen() -> None:
    """A baseline written by an earlier version still matches: this value never changes."""
    place = Location("a.txt", 3, 1, path="$.panels[3].expr")
    finding = Finding("OBS206", "x", "contract", Severity.ERROR, "`m` has 3 values", place, subject="m")
    assert fingerprint(finding) == "7ad6d2f491621a54b56f4b2d6060646a"
    later = replace(finding, message="`m` has 4 values", location=replace(place, path="$.panels[4].expr"))
    assert fingerprint(later) == fingerprint(finding)


@pytest.mark.parametrize("change", [{"code": "OBS207"}, {"subject": "n"}, {"message": "`m` has no values"}])
def test_another_defect_is_another_fingerprint(change: dict[str, str]) -> None:
    """Code, subject and words make the identity."""
    finding = Finding(
        "OBS206", "x", "contract", Severity.ERROR, "`m` has 3 values", Location("a"), subject="m"
    )
    assert fingerprint(replace(finding, **change)) != fingerprint(finding)


def test_borders_between_parts_cannot_be_forged() -> None:
    """Text that moves from the subject into the code gives another fingerprint."""
    one = Finding("OBS1", "x", "c", Severity.ERROR, "m", Location("a"), subject="1:m")
    two = Finding("OBS11", "x", "c", Severity.ERROR, "m", Location("a"), subject=":m")
    assert fingerprint(one) != fingerprint(two)
