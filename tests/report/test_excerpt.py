"""Carets stand under what they mark, in any room."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from obs.model.finding import Finding, Location, Severity
from obs.report.excerpt import excerpt
from obs.report.visible import cells


def finding(line: str, column: int = 0, end: int = 0, offset: int = 0) -> Finding:
    """Return a finding with this excerpt and place."""
    return Finding(
        "OBS101",
        "x",
        "format",
        Severity.ERROR,
        "m",
        Location("a", 1, column, end),
        excerpt=line,
        excerpt_offset=offset,
    )


def under(shown: str, carets: str) -> str:
    """Return the text over the carets, by terminal columns."""
    start = len(carets) - len(carets.lstrip())
    picked, column = "", 0
    for char in shown:
        if start <= column < len(carets):
            picked += char
        column += cells(char)
    return picked


def test_columns_are_counted_in_cells() -> None:
    """Wide characters, tabs and escapes before the place move the carets as far as they move the text."""
    line = 'm{a="名\t\x1b",b="bad"} 1'
    start = line.index("bad") + 1
    shown = excerpt(finding(line, start, start + 3), 100)
    assert shown.line == r'm{a="名    \x1b",b="bad"} 1'
    assert under(shown.line, shown.carets) == "bad"


def test_an_escape_is_marked_whole() -> None:
    """A control character gets as many carets as its escape has columns."""
    shown = excerpt(finding("a\x00b", 2, 3), 100)
    assert (shown.line, shown.carets) == (r"a\x00b", " ^^^^")


@pytest.mark.parametrize(("column", "carets"), [(4, "   ^"), (5, ""), (0, ""), (900, "")])
def test_places_at_and_past_the_end(column: int, carets: str) -> None:
    """Just past the end is marked (something is missing there); further out, or nowhere, is not."""
    assert excerpt(finding("abc", column), 100).carets == carets


def test_unknown_end_marks_one_character() -> None:
    """Without an end column one character is marked."""
    assert excerpt(finding("abc", 2), 100).carets == " ^"


def test_an_offset_moves_the_column() -> None:
    """An excerpt that its maker cut still finds the place, and shows that it was cut."""
    shown = excerpt(finding("bad 1", 101, 104, offset=100), 100)
    assert (shown.line, shown.carets) == ("...bad 1", "   ^^^")


@given(
    st.text(st.sampled_from("ab\t名\x00é"), min_size=1, max_size=300),
    st.integers(0, 299),
    st.integers(1, 12),
    st.integers(20, 120),
)
def test_marked_text_is_shown(line: str, index: int, length: int, width: int) -> None:
    """However narrow the room, the line fits and the first marked character stands over the carets."""
    index %= len(line)
    shown = excerpt(finding(line, index + 1, index + 1 + length), width)
    assert cells(shown.line) <= width
    assert cells(shown.carets) <= width
    first = {"\t": " ", "\x00": "\\"}.get(line[index], line[index])
    assert under(shown.line, shown.carets).startswith(first)


def test_a_long_mark_is_cut() -> None:
    """A place longer than the room is marked as far as it is shown."""
    shown = excerpt(finding("x" * 500, 11, 400), 40)
    assert len(shown.carets) <= 40
    assert set(shown.carets.strip()) == {"^"}
