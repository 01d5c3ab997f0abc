"""What a board is, before Grafana's model: titled panels with finished queries, and no position yet."""

from __future__ import annotations

from dataclasses import dataclass, field

from obs.specs.boards import Show

NO_DATA = "no data"
"""What a panel says when there is nothing: absence must never look like a good zero."""

MAX_TITLE = 60
MAX_DESCRIPTION = 1200
"""Characters kept of a title and of a description; a private registry may carry whole essays as help."""


@dataclass(frozen=True, slots=True)
class Step:
    """A colour from a value on; None for the base."""

    value: float | None
    colour: str


@dataclass(frozen=True, slots=True)
class Words:
    """Text and colour in place of one value, so that colour never carries the meaning alone."""

    value: int
    text: str
    colour: str


@dataclass(frozen=True, slots=True)
class Target:
    """One query.

    `legend` is Grafana's format (`{{status}}`), or the column of a table; `unit` and `words` are that column's.
    """

    expr: str
    legend: str
    unit: str = ""
    dashed: bool = False
    words: tuple[Words, ...] = ()


@dataclass(frozen=True, slots=True)
class Panel:
    """One panel, complete but for its place. Sizes are in Grafana's grid of 24 columns and rows of 30 pixels.

    `colours` fix the colour of a series by its legend; `drill` links each instance to the drill-down board; `instant`
    asks for the newest value only; `sort` is the column a table is sorted by, and whether the highest comes first;
    `uses` are the series its queries read.
    """

    show: Show
    title: str
    description: str = ""
    targets: tuple[Target, ...] = ()
    unit: str = "short"
    width: int = 0
    height: int = 0
    decimals: int | None = None
    bottom: float | None = None
    top: float | None = None
    stack: bool = False
    steps: tuple[Step, ...] = (Step(None, "text"),)
    words: tuple[Words, ...] = ()
    colours: tuple[tuple[str, str], ...] = ()
    drill: bool = False
    instant: bool = False
    sort: tuple[str, bool] | None = None
    no_value: str = NO_DATA
    text: str = ""
    uses: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Row:
    """A titled row; the panels of a collapsed one are not queried until it is opened."""

    title: str
    panels: tuple[Panel, ...]
    collapsed: bool = False


@dataclass(frozen=True, slots=True)
class Board:
    """One board. `single` says that its instance variable takes one value; `left_out` are notes on what it lacks."""

    uid: str
    title: str
    question: str
    reading: str
    rows: tuple[Row, ...]
    single: bool = False
    left_out: tuple[str, ...] = field(default=())

    @property
    def panels(self) -> tuple[Panel, ...]:
        """Return the panels of all rows, in order."""
        return tuple(panel for row in self.rows for panel in row.panels)

    @property
    def all_rows(self) -> tuple[Row, ...]:
        """Return the rows and, where something was left out, a closed one that says what and why."""
        if not self.left_out:
            return self.rows
        text = "\n".join(f"- {note}" for note in dict.fromkeys(self.left_out))
        note = Panel(Show.TEXT, "What this registry has nothing for", text=text, height=8)
        return (*self.rows, Row("Left out", (note,), collapsed=True))


def cut(text: str, limit: int) -> str:
    """Return `text` on one line per paragraph, no longer than `limit` characters."""
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"
