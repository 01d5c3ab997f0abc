"""The declarative boards of dashboards/*.yaml as typed values.

A panel says by intent what it shows: a metric or a ratio of metrics, how to split it, and what a person should
conclude. Names are still those of the source; they become metrics of the registry in use when a board is built.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from obs.documents import schema
from obs.documents.load import Document, Path
from obs.errors import Problem, SpecInvalidError

PREFIX = "obs-"
"""Every uid starts with it, so that boards of different tools never collide."""


class Show(StrEnum):
    """How a panel draws; the words are Grafana's panel types."""

    TIMESERIES = "timeseries"
    STAT = "stat"
    GAUGE = "gauge"
    BARGAUGE = "bargauge"
    TABLE = "table"
    STATE_TIMELINE = "state-timeline"
    STATUS_HISTORY = "status-history"
    HEATMAP = "heatmap"
    TEXT = "text"

    @property
    def instant(self) -> bool:
        """Return whether the panel needs only the newest value."""
        return self in (Show.BARGAUGE, Show.TABLE)

    @property
    def single(self) -> bool:
        """Return whether the panel shows one number over the whole time range."""
        return self in (Show.STAT, Show.GAUGE, Show.BARGAUGE, Show.TABLE)


class Measure(StrEnum):
    """What of a metric is asked for."""

    LEVEL = "level"  # how it stands: a counter as events a second
    GROWTH = "growth"  # how much a counter grew over the time range
    AGENTS = "agents"  # how many agents have a value for which `holds` is true


@dataclass(frozen=True, slots=True)
class QuerySpec:
    """One query of a panel: `metric`, or `of` divided by `to`, or PromQL in `expr`.

    `where` and `unless` are label -> values; `by` the labels that survive; `holds` a comparison (`== 0`) for AGENTS;
    `combine` an aggregation in place of the metric's own; `zero` says that nothing counts as 0 while agents are there;
    `name` is the legend or the column; `offset` looks that long ago; `per` is `hour` for a counter of rare events;
    `window` is how long growth is measured over, the whole range when empty; `path` is where it stands in its document.
    """

    path: Path
    metric: str = ""
    of: QuerySpec | None = None
    to: QuerySpec | None = None
    expr: str = ""
    where: tuple[tuple[str, tuple[str, ...]], ...] = ()
    unless: tuple[tuple[str, tuple[str, ...]], ...] = ()
    by: tuple[str, ...] = ()
    measure: Measure = Measure.LEVEL
    holds: str = ""
    combine: str = ""
    zero: bool = False
    name: str = ""
    unit: str = ""
    dashed: bool = False
    offset: str = ""
    per: str = ""
    window: str = ""


@dataclass(frozen=True, slots=True)
class PanelSpec:
    """One panel.

    `limits` are (threshold name, colour) ascending; `budget` the thresholds (objective, burn) of an error budget, whose
    limit an alert has too; `any_is_bad` makes everything above zero red. `rank` is the query that decides which
    instances a table lists; `provider` names who exposes the series when that is not the agent. An empty title, unit or
    zero width means: the default that follows from the metric or the kind of panel.
    """

    path: Path
    show: Show
    queries: tuple[QuerySpec, ...]
    conclude: str
    title: str = ""
    unit: str = ""
    width: int = 0
    height: int = 0
    decimals: int | None = None
    top: float | None = None
    stack: bool = False
    limits: tuple[tuple[str, str], ...] = ()
    budget: tuple[str, str] | None = None
    any_is_bad: bool = False
    rank: QuerySpec | None = None
    text: str = ""
    provider: str = ""

    @property
    def instant(self) -> bool:
        """Return whether only the newest value is asked for: one number over the whole time range has no history."""
        return self.show.instant or (
            self.show.single and any(q.measure is Measure.GROWTH for q in self.queries)
        )


@dataclass(frozen=True, slots=True)
class RowSpec:
    """A titled row; `generated` names panels that are made from obs.yaml and stand after its own."""

    path: Path
    title: str
    panels: tuple[PanelSpec, ...]
    collapsed: bool = False
    generated: str = ""


@dataclass(frozen=True, slots=True)
class BoardSpec:
    """One board: the question it answers, how to read it, and its rows. `slug` is the file's name."""

    slug: str
    title: str
    question: str
    reading: str
    rows: tuple[RowSpec, ...]
    document: Document

    @property
    def uid(self) -> str:
        """Return the board's uid in Grafana; it follows from the file's name alone, so links to it last."""
        return PREFIX + self.slug


def read_board(document: Document, json_schema: dict[str, Any]) -> BoardSpec:
    """Return the board in `document`; raise SpecInvalidError with everything that is wrong with it."""
    problems = list(schema.problems(document, json_schema)) or list(_contradictions(document))
    if problems:
        raise SpecInvalidError(problems)
    data = document.data
    slug = document.source.rsplit("/", 1)[-1].removesuffix(".yaml")
    rows = tuple(_row(row, ("rows", index)) for index, row in enumerate(data["rows"]))
    return BoardSpec(slug, data["title"], data["question"], data.get("reading", ""), rows, document)


def _row(data: Mapping[str, Any], path: Path) -> RowSpec:
    return RowSpec(
        path=path,
        title=data["title"],
        panels=tuple(
            _panel(panel, (*path, "panels", index), data.get("provider", ""))
            for index, panel in enumerate(data.get("panels", ()))
        ),
        collapsed=data.get("collapsed", False),
        generated=data.get("generated", ""),
    )


def _panel(data: Mapping[str, Any], path: Path, provider: str) -> PanelSpec:
    if "queries" in data:
        queries = tuple(
            _query({"by": data.get("by", ()), **query}, (*path, "queries", index))
            for index, query in enumerate(data["queries"])
        )
    else:
        queries = () if "text" in data else (_query(data, path),)
    rank = {"by": data.get("by", ()), **data["rank"]} if "rank" in data else None
    return PanelSpec(
        path=path,
        show=Show(data.get("show", "text" if "text" in data else "timeseries")),
        queries=queries,
        conclude=data.get("conclude", ""),
        title=data.get("title", ""),
        unit=data.get("unit", ""),
        width=data.get("width", 0),
        height=data.get("height", 0),
        decimals=data.get("decimals"),
        top=data.get("max"),
        stack=data.get("stack", False),
        limits=tuple(data.get("limits", {}).items()),
        budget=_budget(data.get("budget")),
        any_is_bad=data.get("any_is_bad", False),
        rank=_query(rank, (*path, "rank")) if rank else None,
        text=data.get("text", ""),
        provider=data.get("provider", provider),
    )


def _budget(data: Mapping[str, str] | None) -> tuple[str, str] | None:
    return (data["objective"], data["burn"]) if data else None


def _query(data: Mapping[str, Any], path: Path) -> QuerySpec:
    ratio = data.get("ratio")
    shared = {key: data[key] for key in ("by", "measure", "window") if key in data}
    return QuerySpec(
        path=path,
        metric=data.get("metric", ""),
        of=_query({**shared, **ratio["of"]}, (*path, "ratio", "of")) if ratio else None,
        to=_query({**shared, **ratio["to"]}, (*path, "ratio", "to")) if ratio else None,
        expr=data.get("expr", ""),
        where=_values(data.get("where", {})),
        unless=_values(data.get("unless", {})),
        by=_words(data.get("by", ())),
        measure=Measure(data.get("measure", "level")),
        holds=data.get("holds", ""),
        combine=data.get("combine", ""),
        zero=data.get("zero", False),
        name=data.get("name", ""),
        unit=data.get("unit", ""),
        dashed=data.get("dashed", False),
        offset=data.get("offset", ""),
        per=data.get("per", ""),
        window=data.get("window", ""),
    )


def _values(data: Mapping[str, Any]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    return tuple((label, _words(values)) for label, values in data.items())


def _words(value: Any) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value)


_KINDS_OF_QUERY = ("metric", "ratio", "expr")


def _contradictions(document: Document) -> Iterator[Problem]:
    """What a schema cannot say well."""
    for row, line in enumerate(document.data["rows"]):
        if "panels" not in line and "generated" not in line:
            yield Problem(document.where(("rows", row)), "the row has no panel", "add `panels:`")
        for index, panel in enumerate(line.get("panels", ())):
            path: Path = ("rows", row, "panels", index)
            yield from _one_of(document, path, panel, (*_KINDS_OF_QUERY, "queries", "text"))
            for number, query in enumerate(panel.get("queries", ())):
                yield from _one_of(document, (*path, "queries", number), query, _KINDS_OF_QUERY)
            yield from _incomplete(document, path, panel)


def _one_of(
    document: Document, path: Path, data: Mapping[str, Any], keys: tuple[str, ...]
) -> Iterator[Problem]:
    given = [key for key in keys if key in data]
    words = ", ".join(f"`{key}`" for key in keys)
    if not given:
        yield Problem(document.where(path), "this shows nothing", f"say what: one of {words}")
    elif len(given) > 1:
        where = document.where((*path, given[1]))
        yield Problem(where, f"`{given[0]}` and `{given[1]}` together", "keep one")


def _incomplete(document: Document, path: Path, panel: Mapping[str, Any]) -> Iterator[Problem]:
    where = document.where(path)
    if "text" not in panel and not panel.get("conclude"):
        yield Problem(where, "the panel does not say what to conclude from it", "add `conclude:`")
    if "metric" not in panel and "text" not in panel and not panel.get("title"):
        yield Problem(where, "only a panel of one metric has a title of its own", "add `title:`")
    if "expr" in panel and not panel.get("unit"):
        yield Problem(where, "the unit of PromQL is not known", "add `unit:`, a unit id of Grafana")
    if "window" in panel and panel.get("measure") != "growth":
        yield Problem(document.where((*path, "window")), "a window is for growth", "add `measure: growth`")
    if (panel.get("measure") == "agents") != ("holds" in panel):
        yield Problem(where, "`measure: agents` and `holds:` go together", 'such as holds: "== 0"')
