"""Where the panels of a board go: a grid of 24 columns, filled from left to right, lines without holes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from obs.emit.boards.panel import Board, Panel, Row
from obs.specs.boards import Show

COLUMNS = 24

_SIZES = {
    Show.STAT: (4, 4, 8),
    Show.GAUGE: (4, 4, 8),
    Show.BARGAUGE: (8, 8, 24),
    Show.TIMESERIES: (12, 8, 24),
    Show.TABLE: (24, 9, 24),
    Show.STATE_TIMELINE: (24, 7, 24),
    Show.STATUS_HISTORY: (24, 7, 24),
    Show.HEATMAP: (12, 8, 24),
    Show.TEXT: (24, 3, 24),
}
"""Width, height, and the width up to which a panel is stretched when its line has room."""


@dataclass(frozen=True, slots=True)
class Place:
    """A place in the grid, in columns and rows."""

    x: int
    y: int
    w: int
    h: int


@dataclass(frozen=True, slots=True)
class PlacedRow:
    """A row and its panels with their places; `row` is None above the first one."""

    row: Row | None
    place: Place
    panels: tuple[tuple[Panel, Place], ...]


def place(board: Board, opening: Sequence[Panel]) -> Iterator[PlacedRow]:
    """Yield the opening panels and then the rows of a board, each with its place."""
    y = 0
    if opening:
        panels, y = _flow(opening, 0)
        yield PlacedRow(None, Place(0, 0, COLUMNS, 0), panels)
    for row in board.all_rows:
        header = Place(0, y, COLUMNS, 1)
        panels, end = _flow(row.panels, y + 1)
        yield PlacedRow(row, header, panels)
        y = y + 1 if row.collapsed else end


def _flow(panels: Sequence[Panel], y: int) -> tuple[tuple[tuple[Panel, Place], ...], int]:
    placed: list[tuple[Panel, Place]] = []
    for line in _lines(panels):
        height = max(_size(panel)[1] for panel in line)
        x = 0
        for panel, width in zip(line, _stretch(line), strict=True):
            placed.append((panel, Place(x, y, width, height)))
            x += width
        y += height
    return tuple(placed), y


def _lines(panels: Sequence[Panel]) -> Iterator[list[Panel]]:
    line: list[Panel] = []
    used = 0
    for panel in panels:
        width = _size(panel)[0]
        if line and used + width > COLUMNS:
            yield line
            line, used = [], 0
        line.append(panel)
        used += width
    if line:
        yield line


def _size(panel: Panel) -> tuple[int, int]:
    width, height, _ = _SIZES[panel.show]
    return min(panel.width or width, COLUMNS), panel.height or height


def _stretch(line: Sequence[Panel]) -> list[int]:
    """Return the widths of a line's panels, grown evenly until the line or every panel is full."""
    widths = [_size(panel)[0] for panel in line]
    limits = [max(width, _SIZES[panel.show][2]) for panel, width in zip(line, widths, strict=True)]
    spare = COLUMNS - sum(widths)
    while spare > 0 and any(width < limit for width, limit in zip(widths, limits, strict=True)):
        for index, limit in enumerate(limits):
            if spare > 0 and widths[index] < limit:
                widths[index] += 1
                spare -= 1
    return widths
