"""Prometheus' answers as the page draws them: series on one time axis, or tables after Grafana's transformations."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from obs.preview.board import Target
from obs.preview.clock import Range

Labels = Mapping[str, str]
_FIELD = re.compile(r"\{\{\s*(\w+)\s*\}\}")
TOO_MANY = 1_000
"""Series of one question that are drawn: a browser that draws more helps nobody; the rest is said."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What Prometheus said to one question: series of (labels, points), or why it said nothing."""

    series: tuple[tuple[Labels, tuple[tuple[float, float], ...]], ...] = ()
    error: str = ""


def read_answer(data: Any) -> Answer:
    """Return the answer in the JSON of `/api/v1/query` or `/api/v1/query_range`."""
    if not isinstance(data, dict) or data.get("status") != "success":
        said = data.get("error") if isinstance(data, dict) else None
        return Answer(error=str(said or "not an answer of Prometheus"))
    result = (data.get("data") or {}).get("result") or []
    if (data.get("data") or {}).get("resultType") == "scalar":
        result = [{"metric": {}, "value": result}]
    return Answer(tuple((each.get("metric") or {}, tuple(_points(each))) for each in result))


def _points(each: Mapping[str, Any]) -> Iterable[tuple[float, float]]:
    for moment, text in each.get("values") or [each.get("value") or (0, "NaN")]:
        yield float(moment), float(text)


def series_name(target: Target, labels: Labels) -> str:
    """Return the legend of a series: its format with labels filled in, or Prometheus' own spelling."""
    if target.legend and target.legend != "__auto":
        return _FIELD.sub(lambda match: labels.get(match[1], ""), target.legend)
    rest = ", ".join(f'{key}="{value}"' for key, value in sorted(labels.items()) if key != "__name__")
    return f"{labels.get('__name__', '')}{{{rest}}}" if rest else labels.get("__name__", "Value")


def frame(target: Target, answer: Answer, span: Range, step: float) -> dict[str, Any]:
    """Return one question's series, values on the steps of `span`; what is missing or not a number is None."""
    count = 1 if target.instant else round(span.seconds / step) + 1
    drawn = answer.series[:TOO_MANY]
    return {
        "ref": target.ref,
        "instant": target.instant,
        "error": answer.error,
        "left_out": len(answer.series) - len(drawn),
        "series": [
            {
                "name": series_name(target, labels),
                "labels": dict(labels),
                "values": _on_steps(points, count, target, span, step),
            }
            for labels, points in drawn
        ],
    }


def _on_steps(
    points: Sequence[tuple[float, float]], count: int, target: Target, span: Range, step: float
) -> list[float | None]:
    values: list[float | None] = [None] * count
    for moment, value in points:
        place = 0 if target.instant else round((moment - span.start) / step)
        if 0 <= place < count:
            values[place] = _rounded(value)
    return values


def _rounded(value: float) -> float | None:
    """Return a value with six digits: what nobody can see need not be sent."""
    return float(f"{value:.6g}") if math.isfinite(value) else None


Cell = str | float | None


@dataclass(frozen=True, slots=True)
class Table:
    """Columns by name, and rows."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]


def table(targets: Sequence[Target], answers: Sequence[Answer], transformations: Iterable[Any]) -> Table:
    """Return the rows of a table panel: each question's labels and value, joined and renamed as it says.

    Understood are `merge`, `joinByField` and `organize`; any other transformation is passed over.
    """
    several = len(targets) > 1
    parts = [
        _rows(answer, f"Value #{target.ref}" if several else "Value")
        for target, answer in zip(targets, answers, strict=True)
    ]
    steps = [each for each in transformations if isinstance(each, dict)]
    names = {str(each.get("id")) for each in steps}
    joined = _merged(parts) if several and names & {"merge", "joinByField"} else _stacked(parts)
    for each in steps:
        if each.get("id") == "organize":
            joined = _organized(joined, each.get("options") or {})
    return joined


_Row = dict[str, Cell]


def _rows(answer: Answer, value_name: str) -> list[_Row]:
    return [
        {
            **{key: text for key, text in sorted(labels.items()) if key != "__name__"},
            value_name: _last(points),
        }
        for labels, points in answer.series
    ]


def _last(points: Sequence[tuple[float, float]]) -> float | None:
    return _rounded(points[-1][1]) if points else None


def _merged(parts: Iterable[list[_Row]]) -> Table:
    """Join rows whose text cells agree."""
    found: dict[tuple[tuple[str, Cell], ...], _Row] = {}
    for part in parts:
        for row in part:
            key = tuple((name, cell) for name, cell in row.items() if isinstance(cell, str))
            found.setdefault(key, {}).update(row)
    return _tabled(list(found.values()))


def _stacked(parts: Iterable[list[_Row]]) -> Table:
    return _tabled([row for part in parts for row in part])


def _tabled(rows: list[_Row]) -> Table:
    texts = sorted({name for row in rows for name, cell in row.items() if isinstance(cell, str)})
    numbers = sorted({name for row in rows for name in row} - set(texts))
    columns = (*texts, *numbers)
    return Table(columns, tuple(tuple(row.get(name) for name in columns) for row in rows))


def _organized(before: Table, options: Mapping[str, Any]) -> Table:
    hidden = {name for name, yes in (options.get("excludeByName") or {}).items() if yes}
    order = options.get("indexByName") or {}
    names = options.get("renameByName") or {}
    kept = [index for index, name in enumerate(before.columns) if name not in hidden]
    kept.sort(key=lambda index: (order.get(before.columns[index], len(order) + index), index))
    columns = tuple(str(names.get(before.columns[index]) or before.columns[index]) for index in kept)
    return Table(columns, tuple(tuple(row[index] for index in kept) for row in before.rows))
