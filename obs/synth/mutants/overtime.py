"""Mutants that only two scrapes show: each body alone is sound."""

from __future__ import annotations

from dataclasses import replace

from obs.exposition import MetricType, SampleFamily, Series
from obs.model.metric import Aggregation, DomainKind, Kind
from obs.synth.body import Body, changed
from obs.synth.mutant import Context, Mutant, NoVictimError
from obs.synth.mutants.strangers import stranger_family
from obs.synth.mutants.victims import edited, stands_alone, victim

MOST_ROUTES = 200  # values at which a growing label stops
_HEAD_START = 1_000.0  # how far a counter is ahead on even scrapes


def _counter_decrease(body: Body, context: Context) -> Body:
    """Let a counter be ahead on every other scrape, so that it falls on the ones between."""
    metric = victim(
        body,
        context,
        lambda one: one.kind is Kind.COUNTER and not one.labels and stands_alone(one),
        "counter without labels",
    )
    ahead = _HEAD_START if context.turn % 2 == 0 else 0.0
    return edited(
        body, metric.name, lambda family: changed(family, lambda one: replace(one, value=one.value + ahead))
    )


def _label_churn(body: Body, context: Context) -> Body:
    """Let a metric have another label value at each scrape, and never the old one again."""
    return (*body, stranger_family(f"{context.stranger}_current", (("task", f"t{context.turn % 1000}"),)))


def _frozen_body(_body: Body, context: Context) -> Body:
    return context.first


def _generation_decrease(body: Body, context: Context) -> Body:
    """Let the configuration generation go back to the one before on every other scrape."""
    metric = victim(
        body,
        context,
        lambda one: one.semantics.aggregation is Aggregation.DRIFT and not one.labels,
        "generation gauge",
    )
    ahead = 1.0 if context.turn % 2 == 0 else 0.0
    return edited(
        body, metric.name, lambda family: changed(family, lambda one: replace(one, value=one.value + ahead))
    )


def _several_processes(body: Body, context: Context) -> Body:
    """Let another process, which has done a quarter of the work, answer every other scrape."""
    if context.turn % 2 == 0:
        return body
    counters = {metric.name for metric in context.registry.metrics if metric.kind is Kind.COUNTER}
    return tuple(
        changed(family, lambda one: replace(one, value=float(one.value // 4)))
        if family.name in counters
        else family
        for family in body
    )


def _vanished_series(body: Body, context: Context) -> Body:
    """Add a series of a lazy metric to the first scrape; it is gone from the second on."""
    for metric in context.registry.metrics:
        if (
            metric.emitted
            and len(metric.labels) == 1
            and metric.labels[0].domain.kind is not DomainKind.CLOSED
        ):
            break
    else:
        raise NoVictimError("the registry has no metric with one open label")
    if context.turn > 0:
        return body
    extra = Series(metric.name, ((metric.labels[0].key, "archive"),), 3.0)
    there = next((family.samples for family in body if family.name == metric.name), ())
    full = SampleFamily(metric.name, MetricType(metric.kind), metric.help, samples=(*there, extra))
    return (*(family for family in body if family.name != metric.name), full)


def _growing_label(body: Body, context: Context) -> Body:
    """Let a label have one value more at each scrape."""
    labels = tuple((("route", f"r{number}"),) for number in range(1 + min(context.turn, MOST_ROUTES)))
    return (*body, stranger_family(f"{context.stranger}_answers", *labels))


def _drifting_twins(body: Body, context: Context) -> Body:
    """Let a legacy counter count one event too many between any two scrapes."""
    metric = victim(body, context, lambda one: one.semantics.equals is not None, "series equal to another")

    def ahead(one: Series) -> Series:
        return replace(one, value=one.value + context.turn + 1)

    return edited(body, metric.name, lambda family: changed(family, ahead))


OVER_TIME = (
    Mutant(
        "counter-decrease", "a counter that falls at every other scrape", _counter_decrease, over_time=True
    ),
    Mutant("several-processes", "two processes behind one address", _several_processes, over_time=True),
    Mutant("vanished-series", "a series that is there once", _vanished_series, over_time=True),
    Mutant("label-churn", "a series that is another one at each scrape", _label_churn, over_time=True),
    Mutant("growing-label", "a label with one value more at each scrape", _growing_label, over_time=True),
    Mutant("frozen-body", "the same body for ever", _frozen_body, over_time=True),
    Mutant("generation-decrease", "a generation that goes back", _generation_decrease, over_time=True),
    Mutant(
        "drifting-twins", "a legacy counter that counts some events twice", _drifting_twins, over_time=True
    ),
)
