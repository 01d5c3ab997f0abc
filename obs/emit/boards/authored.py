"""Builds the boards of dashboards/*.yaml over the registry in use."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from obs.documents.load import Path
from obs.documents.suggest import did_you_mean
from obs.emit.boards.describe import colours, description, flag_steps, flag_words, status_note, title
from obs.emit.boards.frame import lists
from obs.emit.boards.panel import NO_DATA, Board, Panel, Row, Step, Target, Words
from obs.emit.boards.queries import Answer, Asker, BadQueryError, among
from obs.emit.boards.targets import scaler_panels
from obs.errors import Problem, SpecInvalidError
from obs.model.metric import Metric, Status, Unit
from obs.specs.boards import BoardSpec, Measure, PanelSpec, QuerySpec, RowSpec, Show
from obs.specs.resolve import LeftOutError, UnknownNameError
from obs.specs.sources import Sources
from obs.specs.thresholds import Threshold, burn_limit

ANYTHING = 0.001
"""Where «above zero» begins: Grafana colours from a threshold on, and a zero itself is good."""


def authored(sources: Sources) -> tuple[Board, ...]:
    """Return the boards of dashboards/*.yaml; raise SpecInvalidError with every mistake in them."""
    problems: list[Problem] = []
    asker = Asker(sources.resolver, lists(sources))
    boards = [_Author(sources, asker, spec, problems).board() for spec in sources.boards]
    if problems:
        raise SpecInvalidError(problems)
    return tuple(board for board in boards if board.rows)


@dataclass(slots=True)
class _Author:
    """Builds one board; mistakes go to `problems`, what the registry in use lacks to `left_out`."""

    sources: Sources
    asker: Asker
    spec: BoardSpec
    problems: list[Problem]
    left_out: list[str] = field(default_factory=list)

    def board(self) -> Board:
        rows = tuple(row for row in (self._row(row) for row in self.spec.rows) if row.panels)
        return Board(
            uid=self.spec.uid,
            title=self.spec.title,
            question=self.spec.question,
            reading=self.spec.reading,
            rows=rows,
            left_out=tuple(self.left_out),
        )

    def _row(self, row: RowSpec) -> Row:
        panels = [panel for panel in map(self._panel, row.panels) if panel is not None]
        if row.generated:
            panels += scaler_panels(self.sources)
        return Row(row.title, tuple(panels), row.collapsed)

    def _panel(self, spec: PanelSpec) -> Panel | None:
        if spec.show is Show.TEXT:
            return Panel(Show.TEXT, spec.title, text=spec.text, width=spec.width, height=spec.height)
        pairs = tuple(self._answers(spec))
        if not pairs:
            return None
        queries, answers = tuple(query for query, _ in pairs), tuple(answer for _, answer in pairs)
        metrics = tuple(dict.fromkeys(metric for answer in answers for metric in answer.metrics))
        unit = spec.unit or answers[0].unit
        words = _words(spec, queries[0], answers[0])
        return Panel(
            show=spec.show,
            title=spec.title or _title(queries[0], metrics),
            description=description(spec.conclude, metrics, _notes(metrics, spec.provider)),
            targets=tuple(_target(spec, query, answer) for query, answer in pairs),
            unit=unit,
            width=spec.width,
            height=spec.height,
            decimals=spec.decimals,
            bottom=None if any(query.expr for query in queries) else 0,
            top=spec.top if spec.top is not None else _top(unit, answers),
            stack=spec.stack,
            steps=flag_steps(answers[0].metrics[0]) if words else self._steps(spec, unit),
            words=words,
            colours=tuple(colour for answer in answers for colour in _label_colours(answer)),
            drill="instance" in answers[0].by,
            instant=spec.instant,
            sort=_sort(spec, queries),
            no_value=f"not collected here ({spec.provider})" if spec.provider else NO_DATA,
            uses=tuple(dict.fromkeys(name for answer in answers for name in answer.series)),
        )

    def _answers(self, spec: PanelSpec) -> Iterator[tuple[QuerySpec, Answer]]:
        instant, rank = spec.instant, self._ranking(spec)
        for query in spec.queries:
            answer = self._answer(spec, query, instant=instant, bound=rank is None)
            if answer is not None:
                yield query, answer if rank is None else among(answer, rank)

    def _ranking(self, spec: PanelSpec) -> Answer | None:
        """Return the query that chooses a table's rows: the one named, else the first that this registry can answer."""
        if spec.rank is None:
            return None
        ranks = (self._answer(spec, query, instant=True, bound=True) for query in (spec.rank, *spec.queries))
        return next((rank for rank in ranks if rank is not None), None)

    def _answer(self, spec: PanelSpec, query: QuerySpec, *, instant: bool, bound: bool) -> Answer | None:
        try:
            return self.asker.answer(query, instant=instant, bound=bound)
        except LeftOutError as error:
            if query.metric not in self.sources.resolver.later:
                self.left_out.append(f"{spec.title or query.metric}: {error}")
        except (UnknownNameError, BadQueryError) as error:
            where = self.spec.document.where(_place(query, error))
            self.problems.append(Problem(where, str(error), error.remedy))
        return None

    def _steps(self, spec: PanelSpec, unit: str) -> tuple[Step, ...]:
        if spec.any_is_bad:
            return (Step(None, "green"), Step(ANYTHING, "red"))
        limits = dict(self._limits(spec, unit))
        base = Step(None, "green" if limits else "text" if spec.show is Show.STAT else "blue")
        return (base, *(Step(value, limits[value]) for value in sorted(limits)))

    def _limits(self, spec: PanelSpec, unit: str) -> Iterator[tuple[float, str]]:
        for name, colour in spec.limits:
            threshold = self._threshold((*spec.path, "limits", name), name)
            if threshold is not None:
                yield _in_unit(threshold, unit), colour
        if spec.budget is not None:
            objective = self._threshold((*spec.path, "budget", "objective"), spec.budget[0])
            burn = self._threshold((*spec.path, "budget", "burn"), spec.budget[1])
            if objective is not None and burn is not None:
                yield round(1 - objective.value, 9), "yellow"
                yield round(burn_limit(objective, burn), 9), "red"

    def _threshold(self, path: Path, name: str) -> Threshold | None:
        found = self.sources.thresholds.get(name)
        if found is None:
            remedy = did_you_mean(name, self.sources.thresholds)
            where = self.spec.document.where(path)
            self.problems.append(Problem(where, f"unknown threshold `{name}`", remedy))
        return found


def _place(query: QuerySpec, error: Exception) -> Path:
    """Return the path of the key that an error is about, as far as that can be told from what it quotes."""
    if query.of is not None and query.to is not None:
        parts = [part for part in (query.of, query.to) if f"`{part.metric}`" in str(error)]
        return (*parts[0].path, "metric") if parts else query.path
    return (*query.path, "expr" if query.expr else "metric")


def _sort(spec: PanelSpec, queries: tuple[QuerySpec, ...]) -> tuple[str, bool] | None:
    """Return the column of a table that shows what its rows were chosen by."""
    for query in queries:
        if spec.rank is not None and (query.metric, query.measure) == (spec.rank.metric, spec.rank.measure):
            return (query.name, True) if query.name else None
    return None


def _title(query: QuerySpec, metrics: tuple[Metric, ...]) -> str:
    return title(metrics[0], query.by, growth=query.measure is Measure.GROWTH, per=query.per or "second")


def _target(spec: PanelSpec, query: QuerySpec, answer: Answer) -> Target:
    column = spec.show is Show.TABLE
    plain = not answer.by and not query.name and len(spec.queries) == 1
    return Target(
        expr=answer.expr,
        legend=(query.name or _title(query, answer.metrics))
        if column
        else (spec.title if plain else "") or answer.legend,
        unit=answer.unit if column else "",
        dashed=query.dashed,
        words=_words(spec, query, answer) if column else (),
    )


def _words(spec: PanelSpec, query: QuerySpec, answer: Answer) -> tuple[Words, ...]:
    """Return the words of a flag where single agents show it; a sum of flags is a number."""
    single = "instance" in answer.by or query.combine in ("min", "max") or spec.show is Show.STATE_TIMELINE
    flag = len(answer.metrics) == 1 and query.measure is Measure.LEVEL and not query.expr and query.of is None
    return flag_words(answer.metrics[0]) if single and flag else ()


def _notes(metrics: Iterable[Metric], provider: str) -> Iterator[str]:
    for metric in metrics:
        if metric.status is not Status.STABLE:
            yield status_note(metric)
    if provider:
        yield f"Its series come from {provider}; where nobody collects them the panel says so."


def _label_colours(answer: Answer) -> tuple[tuple[str, str], ...]:
    if len(answer.by) != 1:
        return ()
    label = answer.metrics[0].label(answer.by[0]) if answer.metrics else None
    return colours(label.domain.values) if label is not None else ()


def _top(unit: str, answers: tuple[Answer, ...]) -> float | None:
    """Return the natural upper end of a panel: that of a ratio."""
    metrics = [metric for answer in answers for metric in answer.metrics]
    return 1 if unit == "percentunit" and all(metric.unit is Unit.RATIO for metric in metrics) else None


def _in_unit(threshold: Threshold, unit: str) -> float:
    """Return a limit in the unit a panel shows."""
    return threshold.value * 1000 if (threshold.unit, unit) == ("seconds", "ms") else threshold.value
