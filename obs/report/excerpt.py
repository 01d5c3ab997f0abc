"""The source line of a finding with carets under the place, in whatever room there is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from obs.report.visible import cells, visible

if TYPE_CHECKING:
    from obs.model.finding import Finding

_CUT = "..."
_TAB = "    "


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A printable line and the carets under it; `carets` is empty when the column is unknown."""

    line: str
    carets: str = ""


def excerpt(finding: Finding, width: int) -> Excerpt:
    """Return the excerpt of `finding` in at most `width` columns (at least 20), trimmed around the column."""
    # Each character is printed on its own, so that an escape of four columns is either shown or cut, never
    # split.
    pieces = [_TAB if char == "\t" else visible(char) for char in finding.excerpt.rstrip("\r\n")]
    widths = [cells(piece) for piece in pieces]
    start, end = _marked(finding, len(pieces))
    first, last = _window(widths, start, end, max(20, width))
    before = _CUT if first > 0 or finding.excerpt_offset else ""
    after = _CUT if last < len(pieces) else ""
    line = before + "".join(pieces[first:last]) + after
    if start < 0:
        return Excerpt(line)
    # A column past the end of the line (a missing newline, a truncated body) gets one caret after it.
    carets = max(1, sum(widths[start : min(end, last)]))
    return Excerpt(line, " " * (len(before) + sum(widths[first:start])) + "^" * carets)


def _marked(finding: Finding, length: int) -> tuple[int, int]:
    """Return the half-open range of characters to mark, -1 for none."""
    start = finding.location.column - 1 - finding.excerpt_offset
    if finding.location.column < 1 or not 0 <= start <= length:
        return -1, -1
    end = finding.location.end_column - 1 - finding.excerpt_offset
    return start, min(max(end, start + 1), length)


def _window(widths: list[int], start: int, end: int, room: int) -> tuple[int, int]:
    """Return what to show in `room` columns: the marked characters, then context on both sides."""
    if sum(widths) + len(_CUT) + 1 <= room:
        return 0, len(widths)
    room -= 2 * len(_CUT) + 1
    first = last = max(0, start)
    last, room = _grow_right(widths, last, max(last, end), room)
    first, left = _grow_left(widths, first, room // 2)
    last, room = _grow_right(widths, last, len(widths), room - room // 2 + left)
    first, _ = _grow_left(widths, first, room)
    return first, last


def _grow_right(widths: list[int], last: int, limit: int, room: int) -> tuple[int, int]:
    while last < limit and widths[last] <= room:
        room -= widths[last]
        last += 1
    return last, room


def _grow_left(widths: list[int], first: int, room: int) -> tuple[int, int]:
    while first > 0 and widths[first - 1] <= room:
        first -= 1
        room -= widths[first]
    return first, room
