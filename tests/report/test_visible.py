"""Untrusted text made printable, measured, clipped and wrapped."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from obs.report.visible import cells, clip, encodable, visible, wrap
from tests.report.strategies import TEXT


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\nb", r"a\nb"),
        ("a\tb\r", r"a\tb\r"),
        ("\x00\x1b[31m\x7f\x85", r"\x00\x1b[31m\x7f\x85"),
        ("\u202eabc\u2028", r"\u202eabc\u2028"),
        ("\udcff\ud800", r"\xff\ud800"),
        ("é 名前 \U0001f600", "é 名前 \U0001f600"),
        (r"already \n", r"already \n"),
    ],
)
def test_hidden_characters_are_shown(text: str, shown: str) -> None:
    """What would move the cursor, reorder or hide text becomes an escape; the rest stays."""
    assert visible(text) == shown


@given(TEXT)
def test_visible_is_idempotent(text: str) -> None:
    """Text that is visible already stays as it is."""
    assert visible(visible(text)) == visible(text)


def test_encodable_keeps_all_but_lone_surrogates() -> None:
    """JSON keeps a newline as a newline and loses only what no encoding can write."""
    assert encodable("a\nb\udc80é") == "a\nb\\x80é"


@pytest.mark.parametrize(("text", "width"), [("abc", 3), ("名前", 4), ("e\u0301", 1), ("", 0)])
def test_cells(text: str, width: int) -> None:
    """Wide characters take two columns and combining ones none."""
    assert cells(text) == width


@given(TEXT, st.integers(3, 50))
def test_clip_keeps_the_limit(text: str, limit: int) -> None:
    """Clipped text is no longer than the limit, and a prefix of the text where it was cut."""
    assert len(clip(text, limit)) <= limit
    assert clip(text, limit) in {text, text[: limit - 3] + "..."}


@given(st.text(st.sampled_from("ab `名")), st.integers(10, 60))
def test_wrap_keeps_every_word(text: str, width: int) -> None:
    """Wrapping changes white space only, and no line is too long that has a place to break."""
    lines = wrap(text, width, 4)
    assert " ".join(lines).split() == text.split()
    assert all(cells(line) <= width or " " not in line.strip() for line in lines)


def test_wrap_keeps_the_first_indent() -> None:
    """A note that is wrapped still stands under its excerpt."""
    assert wrap("     = fix: drop it", 14, 7) == ["     = fix:", "       drop it"]
