"""One signal, one expression: how a metric is queried is decided here, for boards, rules and scalers alike.

A counter is a rate, a level is aggregated as its semantics say, a histogram is a quantile. Who asks names the metric,
the labels that must survive, the matchers, and the window; nobody else writes `rate(` by hand.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from obs.model.metric import Aggregation, Kind, Metric, Unit
from obs.promql.build import Matcher, aggregate, selector

DASHBOARD_WINDOW = "$__rate_interval"
"""Grafana's window: at least four scrape intervals, and never narrower than a pixel."""

RANGE_WINDOW = "$__range"
"""Grafana's window that is as long as the time range of the board."""


@dataclass(frozen=True, slots=True)
class Ask:
    """How to ask for a metric.

    `by` are the labels that survive; `matchers` select series; `window` is the range of a rate (a Prometheus duration
    or a Grafana variable); `quantile` applies to histograms; `combine` aggregates a gauge in another way than its
    own; `offset` looks that long ago.
    """

    by: tuple[str, ...] = ()
    matchers: tuple[Matcher, ...] = ()
    window: str = DASHBOARD_WINDOW
    quantile: float = 0.95
    combine: str = ""
    offset: str = ""


def level(metric: Metric, ask: Ask) -> str:
    """Return the expression that shows how a metric stands now, aggregated over instances.

    Counters: events a second. Gauges: sum, max or drift as the semantics say. Histograms: the asked quantile.
    """
    if metric.kind is Kind.COUNTER:
        return aggregate(
            "sum", f"rate({selector(metric.name, ask.matchers, ask.window, ask.offset)})", ask.by
        )
    if metric.kind is Kind.HISTOGRAM:
        rates = f"rate({selector(metric.name + '_bucket', ask.matchers, ask.window, ask.offset)})"
        return f"histogram_quantile({ask.quantile:g}, {aggregate('sum', rates, (*ask.by, 'le'))})"
    raw = selector(metric.name, ask.matchers, offset=ask.offset)
    if ask.combine:
        return aggregate(ask.combine, raw, ask.by)
    if metric.semantics.aggregation is Aggregation.DRIFT:
        return f"{aggregate('max', raw, ask.by)}\n- {aggregate('min', raw, ask.by)}"
    return aggregate(str(metric.semantics.aggregation), raw, ask.by)


def value(metric: Metric, ask: Ask) -> str:
    """Return the expression for `by` labels that already name single instances.

    Drift makes no sense there, so the highest value is taken; other metrics are as in `level`.
    """
    if metric.kind is Kind.GAUGE and metric.semantics.aggregation is Aggregation.DRIFT and not ask.combine:
        return aggregate("max", selector(metric.name, ask.matchers, offset=ask.offset), ask.by)
    return level(metric, ask)


def total(metric: Metric, ask: Ask) -> str:
    """Return the expression of how much a counter (or the count of a histogram) grew over the window."""
    name = metric.name + "_count" if metric.kind is Kind.HISTOGRAM else metric.name
    return aggregate("sum", f"increase({selector(name, ask.matchers, ask.window, ask.offset)})", ask.by)


def newborn(metric: Metric, ask: Ask) -> str:
    """Return the expression of what counters counted that did not exist one window ago.

    A lazy series is born with its first event, where increase() has no earlier sample to compare with and stays 0.
    It is looked for in a whole window, or a single failed scrape would make every series a new one later on.
    """
    now = selector(metric.name, ask.matchers)
    earlier = f"max_over_time({selector(metric.name, ask.matchers, ask.window, ask.window)})"
    return aggregate("sum", f"{now} unless {earlier}", ask.by)


def for_scaler(metric: Metric, matchers: Iterable[Matcher]) -> str:
    """Return the expression a scaler divides by the number of replicas (KEDA AverageValue): one element, no labels."""
    return aggregate(str(metric.semantics.scaler_aggregation), selector(metric.name, matchers))


BACKLOG_PENDING = "agentctl_coordination_pending"
BACKLOG_CLAIMED = "agentctl_coordination_claimed"
"""What a coordination server exposes: items that wait, and items that a worker has claimed and not finished."""


def backlog_for_scaler(matchers: Iterable[Matcher], *, pending_only: bool = False) -> str:
    """Return the work of a claim fleet, waiting and claimed, as one element without labels.

    Every replica of a coordination server reports the whole of the shared store, hence max and not sum. An item leaves
    `pending` when it is claimed, so that without `claimed` the number falls to 0 while all of the work is being done.
    """
    selected = tuple(matchers)
    pending = aggregate("max", selector(BACKLOG_PENDING, selected))
    return (
        pending if pending_only else f"{pending}\n+ {aggregate('max', selector(BACKLOG_CLAIMED, selected))}"
    )


def work_for_scaler(metrics: Iterable[Metric], matchers: Iterable[Matcher]) -> str:
    """Return the sum of several additive gauges as one element without labels."""
    selected = tuple(matchers)
    return "\n+ ".join(for_scaler(metric, selected) for metric in metrics)


_GRAFANA_UNITS = {
    Unit.ONE: "short",
    Unit.MILLISECONDS: "ms",
    Unit.BYTES: "bytes",
    Unit.BOOL: "none",
    Unit.RATIO: "percentunit",
    Unit.PER_SECOND: "ops",
}


def grafana_unit(metric: Metric) -> str:
    """Return Grafana's unit id of what `level` returns for a metric."""
    if metric.kind is Kind.COUNTER:
        return "Bps" if metric.unit is Unit.BYTES else "ops"
    return _GRAFANA_UNITS[metric.unit]


def grafana_unit_of_total(metric: Metric) -> str:
    """Return Grafana's unit id of what `total` returns for a metric: a histogram is counted, whatever it measures."""
    return "short" if metric.kind is Kind.HISTOGRAM else _GRAFANA_UNITS[metric.unit]


def agents(metric: Metric, ask: Ask, holds: str) -> str:
    """Return the expression of how many agents have a value for which the comparison `holds` (`== 0`) is true.

    The value is the agent's own, so `ask.by` groups the count, not the value.
    """
    return aggregate("count", f"{selector(metric.name, ask.matchers)} {holds}", ask.by)


def present(metric: Metric, ask: Ask) -> str:
    """Return the expression of how many series of a metric there are, of whatever type it is."""
    name = metric.name + "_count" if metric.kind is Kind.HISTOGRAM else metric.name
    return aggregate("count", selector(name, ask.matchers), ask.by)


def nothing_is_zero(expression: str, anchor: Metric, ask: Ask) -> str:
    """Return `expression` with 0 where it has no element with the labels `ask.by`, while series of `anchor` are there.

    A bare `or vector(0)` would show a healthy 0 for a fleet that nobody scrapes.
    """
    return f"{expression}\nor on ({', '.join(ask.by)})\n0 * {present(anchor, ask)}"


def peak(metric: Metric, ask: Ask) -> str:
    """Return the expression that ranks `by` labels over the whole time range: one value a series at every step.

    Evaluated at the end of the range, so that a graph of the worst instances keeps the same ones from step to step.
    """
    whole = Ask(ask.by, ask.matchers, f"{RANGE_WINDOW}")
    if metric.kind is not Kind.GAUGE:
        return _at_end(total(metric, whole))
    low = worst_is_low(metric)
    inner = f"{'min' if low else 'max'}_over_time({selector(metric.name, ask.matchers, RANGE_WINDOW)})"
    return _at_end(aggregate("min" if low else "max", inner, ask.by))


def _at_end(expression: str) -> str:
    return expression.replace(f"[{RANGE_WINDOW}]", f"[{RANGE_WINDOW}] @ end()")


def worst_is_low(metric: Metric) -> bool:
    """Return whether the lowest values of a metric are the ones to look at first."""
    return metric.semantics.healthy == 1


def worst(count: int, rank: str, low: bool) -> str:
    """Return the `count` elements of `rank` to look at first."""
    return f"{'bottomk' if low else 'topk'}({count}, {rank})"


def changes(metric: Metric, ask: Ask) -> str:
    """Return the expression of how often the value of a gauge changed within the window, over all instances."""
    return aggregate("sum", f"changes({selector(metric.name, ask.matchers, ask.window)})", ask.by)


def per_hour(metric: Metric, rate: str) -> str:
    """Return a counter's rate as events an hour: a rare event is unreadable by the second."""
    if metric.kind is not Kind.COUNTER:
        raise ValueError(f"{metric.name} is a {metric.kind}, it has no rate")
    return f"3600 * {rate}"
