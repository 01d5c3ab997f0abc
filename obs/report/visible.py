"""Untrusted text made fit to print: one line, nothing hidden, a known width."""

from __future__ import annotations

import re
import unicodedata
from typing import Any

# C0 and C1 controls, characters that reorder or hide text (bidirectional controls, zero-width ones, line and
# paragraph separators), what XML 1.0 (section 2.2) forbids, and lone surrogates (undecodable bytes in
# Python).
_HIDDEN = re.compile(
    r"[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ufffe\uffff\ud800-\udfff]"
)
_UNDECODED = re.compile(r"[\ud800-\udfff]")
_SHORT = {"\n": r"\n", "\r": r"\r", "\t": r"\t"}
_ZERO_WIDTH = frozenset({"Mn", "Me", "Cf"})


def _escape(match: re.Match[str]) -> str:
    char = match.group()
    point = ord(char)
    if 0xDC80 <= point <= 0xDCFF:  # how Python's surrogateescape carries the byte 0x80-0xff
        return f"\\x{point - 0xDC00:02x}"
    return _SHORT.get(char) or (f"\\x{point:02x}" if point < 0x100 else f"\\u{point:04x}")


def visible(text: str) -> str:
    r"""Return `text` on one line, each control or invisible character written as an escape (`\n`, `\x1b`)."""
    return _HIDDEN.sub(_escape, text)


def encodable(text: str) -> str:
    """Return `text` with only the lone surrogates, which no encoding can write, replaced by an escape."""
    return text if text.isascii() else _UNDECODED.sub(_escape, text)


def cells(text: str) -> int:
    """Return how many terminal columns `text` takes (Unicode TR 11: wide and full-width take two)."""
    if text.isascii():
        return len(text)
    return sum(_char_cells(char) for char in text)


def _char_cells(char: str) -> int:
    if unicodedata.category(char) in _ZERO_WIDTH:
        return 0
    return 2 if unicodedata.east_asian_width(char) in {"W", "F"} else 1


def clip(text: str, limit: int) -> str:
    """Return `text` in at most `limit` characters, the cut shown as `...`."""
    return text if len(text) <= limit else text[: limit - 3] + "..."


def wrap(text: str, width: int, indent: int) -> list[str]:
    """Return `text` in lines of at most `width` columns, those after the first indented by `indent` columns.

    A word longer than a line is not broken, so that names and places stay whole; `width` 0 means no limit.
    """
    if not width or cells(text) <= width:
        return [text]
    first, *words = text.lstrip(" ").split(" ")
    line = " " * (len(text) - len(text.lstrip(" "))) + first
    lines: list[str] = []
    for word in words:
        if cells(line) + 1 + cells(word) > width:
            lines.append(line)
            line = " " * indent + word
        else:
            line = f"{line} {word}"
    return [*lines, line]


def encodable_json(value: Any) -> Any:
    """Return a JSON value with every text in it as `encodable` makes it; keys stay as they are."""
    match value:
        case str():
            return encodable(value)
        case dict():
            return {key: encodable_json(item) for key, item in value.items()}
        case list():
            return [encodable_json(item) for item in value]
        case _:
            return value
