"""From what a panel asks by intent to finished PromQL, through the signals and the resolver."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from obs import signals
from obs.emit.boards.describe import expand, legend
from obs.emit.boards.frame import MATCHERS, anchor, bounded
from obs.model.metric import Aggregation, Kind, Metric
from obs.promql import build
from obs.promql.build import Matcher
from obs.promql.catalog import TARGET_LABELS
from obs.promql.check import series_in
from obs.signals import Ask
from obs.specs.boards import Measure, QuerySpec
from obs.specs.resolve import LeftOutError, Resolver, UnknownNameError

MOST_SERIES = 20
"""Series a panel shows at the most when nothing else bounds them: more lines cannot be told apart."""

_PLACEHOLDER = re.compile(r"\[\[\s*([A-Za-z_:][\w:]*)\s*(?:\{([^{}]*)\})?\s*\]\]")


class BadQueryError(Exception):
    """A query of a board asks for nonsense; the text is the message, `remedy` what to do."""

    def __init__(self, message: str, remedy: str = "") -> None:
        super().__init__(message)
        self.remedy = remedy


@dataclass(frozen=True, slots=True)
class Answer:
    """A finished query. `metrics` are those of the registry it reads, `series` all names, `unit` Grafana's id."""

    expr: str
    legend: str
    unit: str
    by: tuple[str, ...]
    metrics: tuple[Metric, ...]
    series: tuple[str, ...] = field(default=())
    low: bool = False


@dataclass(frozen=True, slots=True)
class Asker:
    """Answers queries over one registry. `lists` are patterns that PromQL may name, such as `[[alerts]]`."""

    resolver: Resolver
    lists: Mapping[str, str] = field(default_factory=dict)

    def answer(self, query: QuerySpec, *, instant: bool, bound: bool = True) -> Answer:
        """Return the finished query.

        `bound` keeps series that nothing bounds to the worst ones; a table that ranks its rows needs none of that.
        Raise LeftOutError when the registry in use lacks what it names, UnknownNameError or BadQueryError when the
        source is wrong.
        """
        by = expand(query.by)
        if query.expr:
            found = self._written(query, by)
        elif query.of is not None and query.to is not None:
            found = self._ratio(query, query.of, query.to, by)
        else:
            found = self._metric(query, by)
        if query.zero:
            found = replace(found, expr=self._or_zero(found.expr, by))
        expr = found.expr
        if bound and self._unbounded(found):
            expr = self._worst(query, found, instant=instant)
        for problem in self.resolver.check(expr):
            raise BadQueryError(problem.message, problem.remedy)
        return replace(found, expr=expr)

    def of_metric(
        self, metric: Metric, query: QuerySpec, by: tuple[str, ...], *, instant: bool = False
    ) -> Answer:
        """Return the finished query for a metric at hand, whatever the query calls it."""
        found = self._of(metric, query, by)
        if self._unbounded(found):
            found = replace(found, expr=self._worst(query, found, instant=instant))
        return found

    def _metric(self, query: QuerySpec, by: tuple[str, ...]) -> Answer:
        return self._of(self.resolver.metric(query.metric), query, by)

    def _of(self, metric: Metric, query: QuerySpec, by: tuple[str, ...]) -> Answer:
        matchers = (*MATCHERS, *_matchers(query))
        ask = Ask(by, matchers, combine=_combination(query, metric), offset=query.offset)
        name = query.name or ("" if by else metric.semantics.title)
        series = (metric.name + "_bucket",) if metric.kind is Kind.HISTOGRAM else (metric.name,)
        expr, unit = self._measured(query, metric, ask)
        low = signals.worst_is_low(metric)
        return Answer(expr, legend(by, name), query.unit or unit, by, (metric,), series, low)

    def _measured(self, query: QuerySpec, metric: Metric, ask: Ask) -> tuple[str, str]:
        if query.measure is Measure.AGENTS:
            return signals.agents(metric, ask, query.holds), "short"
        if query.measure is Measure.GROWTH:
            return _growth(metric, ask, query.window), signals.grafana_unit_of_total(metric)
        per_instance = "instance" in ask.by
        expr = signals.value(metric, ask) if per_instance else signals.level(metric, ask)
        if query.per == "hour":
            _must_count(metric, "per: hour", Kind.COUNTER)
            return signals.per_hour(metric, expr), "short"
        return expr, signals.grafana_unit(metric)

    def _ratio(self, query: QuerySpec, of: QuerySpec, to: QuerySpec, by: tuple[str, ...]) -> Answer:
        top, bottom = self._metric(of, by), self._metric(to, by)
        expr = build.ratio(top.expr, bottom.expr)
        metrics = (*top.metrics, *bottom.metrics)
        name = query.name or ("" if by else "ratio")
        return Answer(
            expr, legend(by, name), query.unit or "percentunit", by, metrics, top.series + bottom.series
        )

    def _written(self, query: QuerySpec, by: tuple[str, ...]) -> Answer:
        metrics: list[Metric] = []

        def put(match: re.Match[str]) -> str:
            if match[1] in self.lists:
                return self._list(match[1])
            metric, name = self._named(match[1])
            metrics.append(metric)
            own = f",{match[2]}" if match[2] else ""
            shared = ",".join(f"{label}{operator}{build.quote(value)}" for label, operator, value in MATCHERS)
            return f"{name}{{{shared}{own}}}"

        expr = _PLACEHOLDER.sub(put, query.expr).strip()
        self._check_placeholders(query.expr)
        return Answer(
            expr, legend(by, query.name), query.unit, by, tuple(dict.fromkeys(metrics)), series_in(expr)
        )

    def _list(self, name: str) -> str:
        if not self.lists[name]:
            raise LeftOutError(f"obs.yaml leads to no {name.replace('_', ' ')}")
        return build.quote(self.lists[name])[1:-1]

    def _named(self, name: str) -> tuple[Metric, str]:
        for part in ("", "_bucket", "_sum", "_count"):
            if part and not name.endswith(part):
                continue
            try:
                metric = self.resolver.metric(name.removesuffix(part) if part else name)
            except UnknownNameError:
                continue
            if (metric.kind is Kind.HISTOGRAM) == bool(part):
                return metric, metric.name + part
        metric = self.resolver.metric(name)
        raise BadQueryError(f"`{name}` is a histogram", "name its part: _bucket, _sum or _count")

    def _check_placeholders(self, written: str) -> None:
        outside = _PLACEHOLDER.sub("", written)
        for word in re.findall(r"[A-Za-z_:][\w:]*", outside):
            if word in self.resolver.home.by_name:
                remedy = f"write [[{word}]] so that it follows the board's variables"
                raise BadQueryError(f"`{word}` stands here without the board's matchers", remedy)

    def _unbounded(self, found: Answer) -> bool:
        most = 1
        for label in found.by:
            values = max((bounded(metric, label) for metric in found.metrics), default=0)
            if not values:
                return True
            most *= values
        return most > MOST_SERIES

    def _worst(self, query: QuerySpec, found: Answer, *, instant: bool) -> str:
        if instant or query.expr or "instance" not in found.by:
            return signals.worst(MOST_SERIES, found.expr, found.low)
        rank = self._rank(query, found)
        if query.zero:
            rank = self._or_zero(rank, found.by)
        labels = ", ".join(found.by)
        return f"({found.expr})\nand on ({labels})\n{signals.worst(MOST_SERIES, rank, found.low)}"

    def _rank(self, query: QuerySpec, found: Answer) -> str:
        if query.of is not None and query.to is not None:
            parts = zip((query.of, query.to), found.metrics, strict=True)
            return build.ratio(*(_peak(part, metric, found.by) for part, metric in parts))
        return _peak(query, found.metrics[0], found.by)

    def _or_zero(self, expr: str, by: tuple[str, ...]) -> str:
        present = anchor(self.resolver.registry)
        if present is None:
            raise LeftOutError("the registry has no metric")
        kept = tuple(label for label in by if label in TARGET_LABELS)
        return signals.nothing_is_zero(expr, present, Ask(kept, MATCHERS))


def _peak(query: QuerySpec, metric: Metric, by: tuple[str, ...]) -> str:
    return signals.peak(metric, Ask(by, (*MATCHERS, *_matchers(query))))


def _growth(metric: Metric, ask: Ask, window: str) -> str:
    _must_count(metric, "measure: growth", Kind.COUNTER, Kind.HISTOGRAM)
    return signals.total(metric, replace(ask, window=window or signals.RANGE_WINDOW))


def _must_count(metric: Metric, key: str, *kinds: Kind) -> None:
    if metric.kind not in kinds:
        raise BadQueryError(f"`{metric.name}` is a {metric.kind}, it does not count events", f"drop `{key}`")


def _combination(query: QuerySpec, metric: Metric) -> str:
    if query.combine and metric.kind is not Kind.GAUGE:
        raise BadQueryError(
            f"`{metric.name}` is a {metric.kind}; only gauges are combined", "drop `combine:`"
        )
    if query.combine == "sum" and metric.semantics.aggregation is not Aggregation.SUM:
        raise BadQueryError(f"`{metric.name}` does not add up over agents", "use max, min or avg")
    return query.combine


def _matchers(query: QuerySpec) -> tuple[Matcher, ...]:
    return tuple(_matcher(label, values, "=") for label, values in query.where) + tuple(
        _matcher(label, values, "!") for label, values in query.unless
    )


def _matcher(label: str, values: tuple[str, ...], sign: str) -> Matcher:
    if len(values) == 1:
        return (label, "=" if sign == "=" else "!=", values[0])
    return (label, "=~" if sign == "=" else "!~", build.regex_any(values))


def among(answer: Answer, rank: Answer) -> Answer:
    """Return `answer` for the elements that `rank` chose."""
    labels = ", ".join(answer.by)
    return replace(answer, expr=f"{answer.expr}\nand on ({labels})\n{rank.expr}")
