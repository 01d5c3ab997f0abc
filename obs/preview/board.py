"""A dashboard's JSON as far as a preview must understand it: variables, sections, panels and what they ask.

How a panel looks (`options`, `fieldConfig`) is passed on to the page as it stands.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from obs.documents.load import load_json
from obs.errors import InvalidInputError, Problem

DEFAULT_INTERVAL = 15.0  # seconds between scrapes where a panel does not say
_UNITS = {
    "ms": 0.001,
    "s": 1.0,
    "m": 60.0,
    "h": 3600.0,
    "d": 86400.0,
    "w": 604800.0,
    "M": 2592000.0,
    "y": 31536000.0,
}


@dataclass(frozen=True, slots=True)
class Target:
    """One question: `legend` is Grafana's legendFormat; `instant` asks for now alone; `table` wants rows."""

    ref: str
    expr: str
    legend: str
    instant: bool
    table: bool


@dataclass(frozen=True, slots=True)
class Panel:
    """One panel. `interval` is its shortest step in seconds; `raw` its JSON, for the page."""

    id: int
    kind: str
    title: str
    targets: tuple[Target, ...]
    interval: float
    max_points: int | None
    raw: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Section:
    """Panels under one row heading; the first section may have none. `id` is the row's, 0 without one."""

    id: int
    title: str
    collapsed: bool
    panels: tuple[Panel, ...]


@dataclass(frozen=True, slots=True)
class Variable:
    """A template variable. `current` are the values the file has selected; `$__all` stands for all."""

    name: str
    label: str
    kind: str
    query: str
    multi: bool
    include_all: bool
    all_value: str
    hidden: bool
    current: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Annotation:
    """Events to mark on time axes: where `expr` has a value. `title` is a format of labels."""

    name: str
    expr: str
    title: str
    color: str
    enabled: bool


@dataclass(frozen=True, slots=True)
class Board:
    """A whole dashboard.

    `source` names its file in messages; `refresh` is in seconds, 0 for never; `timezone` is an IANA name, empty
    for the viewer's own.
    """

    uid: str
    title: str
    description: str
    source: str
    variables: tuple[Variable, ...]
    sections: tuple[Section, ...]
    annotations: tuple[Annotation, ...]
    start: str
    end: str
    refresh: float
    timezone: str
    tags: tuple[str, ...]

    def panels(self) -> Iterator[Panel]:
        """Yield every panel, those of collapsed rows too."""
        for section in self.sections:
            yield from section.panels


def read_board(text: str, source: str) -> Board:
    """Return the board in `text`; raise InvalidInputError when it is not the JSON of a dashboard."""
    data = load_json(text, source)
    if not isinstance(data, dict) or not isinstance(data.get("panels"), list) or not data.get("title"):
        remedy = "give a folder that `obs generate` wrote, or the JSON of a dashboard"
        raise InvalidInputError([Problem(source, "is not a dashboard: no title and panels", remedy)])
    times = data.get("time") or {}
    return Board(
        uid=str(data.get("uid") or source),
        title=str(data["title"]),
        description=str(data.get("description") or ""),
        source=source,
        variables=tuple(_variable(each) for each in _dicts((data.get("templating") or {}).get("list"))),
        sections=_sections(_dicts(data["panels"])),
        annotations=tuple(
            _annotation(each)
            for each in _dicts((data.get("annotations") or {}).get("list"))
            if each.get("expr")
        ),
        start=str(times.get("from") or "now-6h"),
        end=str(times.get("to") or "now"),
        refresh=span(data.get("refresh"), 0.0),
        timezone=_timezone(str(data.get("timezone") or "")),
        tags=tuple(map(str, data.get("tags") or ())),
    )


def _timezone(written: str) -> str:
    """Return Grafana's setting as a name: `browser` and empty are the viewer's own, `utc` is UTC."""
    return {"browser": "", "utc": "UTC"}.get(written, written)


def span(text: object, otherwise: float) -> float:
    """Return the seconds in a Grafana duration such as `15s`, `>1m` or `500ms`; `otherwise` for anything else."""
    if not isinstance(text, str):
        return otherwise
    text = text.lstrip("> ")
    digits = text.rstrip("abcdefghijklmnopqrstuvwxyzM")
    unit = text[len(digits) :]
    try:
        return float(digits) * _UNITS[unit]
    except (ValueError, KeyError):
        return otherwise


def _dicts(value: object) -> list[dict[str, Any]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _sections(panels: list[dict[str, Any]]) -> tuple[Section, ...]:
    """Group panels under the rows they follow; a collapsed row carries its own."""
    found: list[Section] = []
    row: dict[str, Any] = {}
    open_panels: list[Panel] = []

    def close() -> None:
        if row or open_panels:
            found.append(
                Section(_id(row), str(row.get("title") or ""), bool(row.get("collapsed")), tuple(open_panels))
            )

    for each in panels:
        if each.get("type") == "row":
            close()
            row, open_panels = each, [_panel(inner) for inner in _dicts(each.get("panels"))]
        else:
            open_panels.append(_panel(each))
    close()
    return tuple(found)


def _id(raw: Mapping[str, Any]) -> int:
    value = raw.get("id")
    return value if isinstance(value, int) else 0


def _panel(raw: dict[str, Any]) -> Panel:
    points = raw.get("maxDataPoints")
    return Panel(
        id=_id(raw),
        kind=str(raw.get("type") or ""),
        title=str(raw.get("title") or ""),
        targets=tuple(
            _target(each) for each in _dicts(raw.get("targets")) if each.get("expr") and not each.get("hide")
        ),
        interval=span(raw.get("interval"), DEFAULT_INTERVAL),
        max_points=points if isinstance(points, int) and points > 0 else None,
        raw={key: value for key, value in raw.items() if key not in ("targets", "panels")},
    )


def _target(raw: dict[str, Any]) -> Target:
    return Target(
        ref=str(raw.get("refId") or "A"),
        expr=str(raw["expr"]),
        legend=str(raw.get("legendFormat") or ""),
        instant=bool(raw.get("instant")) and not raw.get("range"),
        table=raw.get("format") == "table",
    )


def _variable(raw: dict[str, Any]) -> Variable:
    query = raw.get("query")
    current = (raw.get("current") or {}).get("value")
    chosen = current if isinstance(current, list) else [current] if current not in (None, "") else []
    return Variable(
        name=str(raw.get("name") or ""),
        label=str(raw.get("label") or raw.get("name") or ""),
        kind=str(raw.get("type") or ""),
        query=str(query.get("query") or "") if isinstance(query, dict) else str(query or ""),
        multi=bool(raw.get("multi")),
        include_all=bool(raw.get("includeAll")),
        all_value=str(raw.get("allValue") or ""),
        hidden=raw.get("hide") == 2,  # Grafana: 2 hides the variable, 1 only its label
        current=tuple(map(str, chosen)),
    )


def _annotation(raw: dict[str, Any]) -> Annotation:
    return Annotation(
        name=str(raw.get("name") or ""),
        expr=str(raw["expr"]),
        title=str(raw.get("titleFormat") or raw.get("name") or ""),
        color=str(raw.get("iconColor") or "blue"),
        enabled=bool(raw.get("enable")),
    )
