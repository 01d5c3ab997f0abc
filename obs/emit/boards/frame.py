"""What surrounds the panels of every board: the variables, the annotations and the anchor they hang on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from obs import signals
from obs.model.metric import DomainKind, Kind, Metric, Presence, Registry
from obs.promql.build import Matcher, regex_any, selector
from obs.signals import Ask
from obs.specs.resolve import LeftOutError, Resolver
from obs.specs.scaling import scaled_fleets
from obs.specs.sources import Sources

VARIABLES = ("cluster", "namespace", "job", "instance")
"""The labels a board filters by, each offered within the choice made for those before it."""

ALL_VALUES = {"cluster": ".*", "namespace": ".*", "job": ".+", "instance": ".+"}
"""The pattern of «All». `.*` also matches series without the label, so boards work where nothing sets `cluster`."""

MATCHERS: tuple[Matcher, ...] = tuple((name, "=~", f"${name}") for name in VARIABLES)
"""The matchers of every selector on a metric of the registry."""


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable that asks Prometheus for the values of a label."""

    name: str
    query: str
    all_value: str
    multi: bool


@dataclass(frozen=True, slots=True)
class Annotation:
    """Marks on the time axis wherever `expr` has a value."""

    name: str
    expr: str
    title: str
    text: str
    colour: str
    shown: bool


def anchor(registry: Registry) -> Metric | None:
    """Return the metric that says that an agent is there: `up`, else the first that every agent always exposes."""
    up = registry.by_name.get(registry.prefix + "up")
    if up is not None and up.emitted and up.kind is Kind.GAUGE and not up.labels:
        return up
    return min(registry.metrics, key=_reluctance, default=None)


def _reluctance(metric: Metric) -> tuple[bool, bool, int, bool, str]:
    return (
        not metric.emitted,
        metric.semantics.presence is not Presence.ALWAYS,
        len(metric.labels),
        metric.kind is not Kind.GAUGE,
        metric.name,
    )


def series_name(metric: Metric) -> str:
    """Return the name of a series a metric has on the wire."""
    return metric.name + "_count" if metric.kind is Kind.HISTOGRAM else metric.name


def variables(anchored: Metric, *, single: bool) -> Iterator[Variable]:
    """Yield the variables; with `single` the last one takes one value, so that a board is about one instance."""
    for index, name in enumerate(VARIABLES):
        found = selector(series_name(anchored), MATCHERS[:index])
        multi = not (single and name == "instance")
        yield Variable(name, f"label_values({found}, {name})", ALL_VALUES[name], multi)


def time_marks(sources: Sources) -> tuple[Annotation, ...]:
    """Return the marks every board offers; those whose metric this registry lacks are left out."""
    return (*_marks(sources.resolver), _alerts(sources))


def alert_names(sources: Sources) -> tuple[str, ...]:
    """Return the names of the alerts of alerts/*.yaml: boards count these, not whatever else fires in the cluster."""
    return tuple(sorted(alert.name for group in sources.alerts for alert in group.alerts))


def lists(sources: Sources) -> dict[str, str]:
    """Return the patterns that the PromQL of a board may name in double brackets, empty where there is nothing."""
    fleets = scaled_fleets(sources.config)
    return {
        "alerts": regex_any(alert_names(sources)),
        "autoscalers": regex_any(sorted({fleet.hpa for fleet in fleets})),
        "scaled_objects": regex_any(sorted({fleet.scaled_object for fleet in fleets})),
    }


def _marks(resolver: Resolver) -> Iterator[Annotation]:
    ask = Ask(VARIABLES[:2], MATCHERS)
    for name, metric, where, colour in (
        ("Drains", "agent_drains_total", ("phase", "=", "started"), "blue"),
        ("Restarts", "agent_restarts_total", None, "orange"),
        ("Configuration changes", "agent_config_generation", None, "purple"),
    ):
        try:
            found = resolver.metric(metric)
            matchers = (*MATCHERS, where) if where else MATCHERS
            asked = Ask(ask.by, matchers)
            counted = signals.changes if found.kind is Kind.GAUGE else signals.total
            expr = f"{counted(found, asked)} > 0"
            resolver.check(expr)
        except LeftOutError:
            continue
        yield Annotation(name, expr, name, "{{namespace}} {{cluster}}", colour, shown=name != "Drains")


def _alerts(sources: Sources) -> Annotation:
    ours = ("alertname", "=~", lists(sources)["alerts"])
    expr = selector("ALERTS", (("alertstate", "=", "firing"), ours, *MATCHERS[:2]))
    return Annotation(
        "Firing alerts", expr, "{{alertname}}", "{{severity}} {{namespace}} {{cluster}}", "red", shown=True
    )


def bounded(metric: Metric, label: str) -> int:
    """Return how many values a label of a metric can have over a whole fleet; 0 when nobody knows."""
    own = metric.label(label)
    return len(own.domain.values) if own is not None and own.domain.kind is DomainKind.CLOSED else 0
