"""Mutants that only two scrapes show: each body alone is sound."""

from __future__ import annotations

from dataclasses import replace

from obs.model.metric import Aggregation, Kind
from obs.synth.body import Body, changed
from obs.synth.mutant import Context, Mutant
from obs.synth.mutants.strangers import stranger_family
from obs.synth.mutants.victims import edited, stands_alone, victim

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


OVER_TIME = (
    Mutant(
        "counter-decrease", "a counter that falls at every other scrape", _counter_decrease, over_time=True
    ),
    Mutant("label-churn", "a series that is another one at each scrape", _label_churn, over_time=True),
    Mutant("frozen-body", "the same body for ever", _frozen_body, over_time=True),
    Mutant("generation-decrease", "a generation that goes back", _generation_decrease, over_time=True),
)
