"""Finds metrics of a body that a rule can be broken on, whatever the registry."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from obs.exposition import SampleFamily, Series
from obs.model.metric import DomainKind, Kind, Metric, Presence, Status
from obs.synth.body import Body, changed
from obs.synth.mutant import Context, NoVictimError


def victim(body: Body, context: Context, wanted: Callable[[Metric], bool], kind: str) -> Metric:
    """Return the first metric of the body that is `wanted`; raise NoVictimError (naming `kind`) when there is none."""
    for family in body:
        metric = context.registry.by_name.get(family.name)
        if metric is not None and family.samples and wanted(metric):
            return metric
    raise NoVictimError(f"the registry has no {kind}")


def edited(body: Body, name: str, change: Callable[[SampleFamily], SampleFamily | None]) -> Body:
    """Return the body with the family called `name` changed, or left out."""
    families = (change(family) if family.name == name else family for family in body)
    return tuple(family for family in families if family is not None)


def valued(body: Body, name: str, value: float) -> Body:
    """Return the body in which every sample of a metric has `value`."""
    return edited(body, name, lambda family: changed(family, lambda one: replace(one, value=value)))


def labelled(body: Body, name: str, label: str, value: str) -> Body:
    """Return the body in which every sample of a metric carries one more label."""

    def more(one: Series) -> Series:
        return replace(one, labels=tuple(sorted((*one.labels, (label, value)))))

    return edited(body, name, lambda family: changed(family, more))


def is_plain_gauge(metric: Metric) -> bool:
    """Return whether a metric is a gauge without labels that is always there and stands alone."""
    return metric.kind is Kind.GAUGE and not metric.labels and stands_alone(metric)


def stands_alone(metric: Metric) -> bool:
    """Return whether a stable metric is always there."""
    return metric.status is Status.STABLE and metric.semantics.presence is Presence.ALWAYS


def entangled(context: Context) -> frozenset[str]:
    """Return the metrics that others are equal to or replaced by."""
    found = set()
    for metric in context.registry.metrics:
        found.add(metric.semantics.replaced_by)
        if metric.semantics.equals:
            found.add(metric.semantics.equals.metric)
    return frozenset(found)


def has_closed_label(metric: Metric) -> bool:
    """Return whether an always present counter has exactly one label, with a closed domain of several values."""
    return (
        stands_alone(metric)
        and metric.kind is Kind.COUNTER
        and len(metric.labels) == 1
        and metric.labels[0].domain.kind is DomainKind.CLOSED
        and len(metric.labels[0].domain.values) > 1
    )
