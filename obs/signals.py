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


@dataclass(frozen=True, slots=True)
class Ask:
    """How to ask for a metric.

    `by` are the labels that survive; `matchers` select series; `window` is the range of a rate (a Prometheus duration
    or a Grafana variable); `quantile` applies to histograms.
    """

    by: tuple[str, ...] = ()
    matchers: tuple[Matcher, ...] = ()
    window: str = DASHBOARD_WINDOW
    quantile: float = 0.95


def level(metric: Metric, ask: Ask) -> str:
    """Return the expression that shows how a metric stands now, aggregated over instances.

    Counters: events a second. Gauges: sum, max or drift as the semantics say. Histograms: the asked quantile.
    """
    if metric.kind is Kind.COUNTER:
        return aggregate("sum", f"rate({selector(metric.name, ask.matchers, ask.window)})", ask.by)
    if metric.kind is Kind.HISTOGRAM:
        rates = f"rate({selector(metric.name + '_bucket', ask.matchers, ask.window)})"
        return f"histogram_quantile({ask.quantile:g}, {aggregate('sum', rates, (*ask.by, 'le'))})"
    raw = selector(metric.name, ask.matchers)
    if metric.semantics.aggregation is Aggregation.DRIFT:
        return f"{aggregate('max', raw, ask.by)}\n- {aggregate('min', raw, ask.by)}"
    return aggregate(str(metric.semantics.aggregation), raw, ask.by)


def value(metric: Metric, ask: Ask) -> str:
    """Return the expression for `by` labels that already name single instances.

    Drift makes no sense there, so the highest value is taken; other metrics are as in `level`.
    """
    if metric.kind is Kind.GAUGE and metric.semantics.aggregation is Aggregation.DRIFT:
        return aggregate("max", selector(metric.name, ask.matchers), ask.by)
    return level(metric, ask)


def total(metric: Metric, ask: Ask) -> str:
    """Return the expression of how much a counter (or the count of a histogram) grew over the window."""
    name = metric.name + "_count" if metric.kind is Kind.HISTOGRAM else metric.name
    return aggregate("sum", f"increase({selector(name, ask.matchers, ask.window)})", ask.by)


def for_scaler(metric: Metric, matchers: Iterable[Matcher]) -> str:
    """Return the expression a scaler divides by the number of replicas (KEDA AverageValue): one element, no labels."""
    return aggregate(str(metric.semantics.scaler_aggregation), selector(metric.name, matchers))


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
