"""Mutants that break the contract with the registry."""

from __future__ import annotations

from dataclasses import replace

from obs.exposition import MetricType, SampleFamily, Series
from obs.model.metric import DomainKind, Kind, Metric, Status, ValueRule
from obs.synth.body import Body, changed
from obs.synth.mutant import Context, Mutant, NoVictimError
from obs.synth.mutants.victims import (
    edited,
    entangled,
    has_closed_label,
    is_plain_gauge,
    labelled,
    stands_alone,
    valued,
    victim,
)

_GAUGE = "gauge without labels that is always there"
_CLOSED = "counter with one closed label"


def _free(context: Context, metric: Metric) -> bool:
    return metric.name not in entangled(context)


def _wrong_type(body: Body, context: Context) -> Body:
    metric = victim(body, context, lambda one: one.kind is Kind.COUNTER, "counter")
    return edited(body, metric.name, lambda family: replace(family, kind=MetricType.GAUGE))


def _unknown_metric(body: Body, context: Context) -> Body:
    name = f"{context.registry.prefix}zebra_stripes"
    return (*body, SampleFamily(name, MetricType.GAUGE, "Stripes.", samples=(Series(name, (), 7.0),)))


def _missing_label(body: Body, context: Context) -> Body:
    metric = victim(body, context, has_closed_label, _CLOSED)

    def bare(family: SampleFamily) -> SampleFamily:
        total = sum(one.value for one in family.samples)
        return replace(family, samples=(Series(family.name, (), total),))

    return edited(body, metric.name, bare)


def _unknown_label(body: Body, context: Context) -> Body:
    return labelled(body, victim(body, context, is_plain_gauge, _GAUGE).name, "shade", "dark")


def _renamed_label(body: Body, context: Context) -> Body:
    metric = victim(body, context, has_closed_label, _CLOSED)

    def renamed(one: Series) -> Series:
        return replace(one, labels=tuple(("aspect", value) for _, value in one.labels))

    return edited(body, metric.name, lambda family: changed(family, renamed))


def _value_outside_domain(body: Body, context: Context) -> Body:
    metric = victim(body, context, has_closed_label, _CLOSED)
    odd = Series(metric.name, ((metric.labels[0].key, "unheard_of"),), 1.0)
    return edited(body, metric.name, lambda family: replace(family, samples=(*family.samples, odd)))


def _odd_value(rule: ValueRule, value: float, kind: str, body: Body, context: Context) -> Body:
    def obeys(metric: Metric) -> bool:
        return metric.semantics.values is rule and metric.kind is Kind.GAUGE and stands_alone(metric)

    return valued(body, victim(body, context, obeys, kind).name, value)


def _flag_value(body: Body, context: Context) -> Body:
    return _odd_value(ValueRule.FLAG, 2.0, "flag", body, context)


def _ratio_value(body: Body, context: Context) -> Body:
    return _odd_value(ValueRule.RATIO, 73.0, "ratio", body, context)


def _count_value(body: Body, context: Context) -> Body:
    return _odd_value(ValueRule.COUNT, 2.5, "gauge that counts", body, context)


def _absent_metric(body: Body, context: Context) -> Body:
    metric = victim(
        body, context, lambda one: stands_alone(one) and _free(context, one), "metric always there"
    )
    return edited(body, metric.name, lambda _: None)


def _declared_without_samples(body: Body, context: Context) -> Body:
    metric = victim(body, context, is_plain_gauge, _GAUGE)
    return edited(body, metric.name, lambda family: replace(family, samples=()))


def _domain_not_initialised(body: Body, context: Context) -> Body:
    metric = victim(body, context, lambda one: has_closed_label(one) and _free(context, one), _CLOSED)
    return edited(body, metric.name, lambda family: replace(family, samples=family.samples[:-1]))


def _legacy_without_replacement(body: Body, context: Context) -> Body:
    legacy = victim(
        body,
        context,
        lambda one: one.status is Status.LEGACY and one.semantics.replaced_by in {f.name for f in body},
        "legacy metric with a replacement",
    )
    return edited(body, legacy.semantics.replaced_by, lambda _: None)


def _provisional_with_samples(body: Body, context: Context) -> Body:
    for metric in context.registry.with_status(Status.PROVISIONAL):
        if metric.kind is not Kind.HISTOGRAM and not metric.labels:
            rest = tuple(family for family in body if family.name != metric.name)
            sample = Series(metric.name, (), 4.0)
            return (*rest, SampleFamily(metric.name, MetricType(metric.kind), metric.help, samples=(sample,)))
    raise NoVictimError("the registry has no provisional metric without labels")


def _unequal_series(body: Body, context: Context) -> Body:
    metric = victim(body, context, lambda one: one.semantics.equals is not None, "series equal to another")
    return edited(
        body, metric.name, lambda family: changed(family, lambda one: replace(one, value=one.value + 1))
    )


def _version_label(body: Body, context: Context) -> Body:
    return labelled(body, victim(body, context, is_plain_gauge, _GAUGE).name, "version", "1.4.2")


def _near_miss_metric(body: Body, context: Context) -> Body:
    """Spell a counter without its `_total`, as a gauge would be."""
    metric = victim(
        body,
        context,
        lambda one: one.kind is Kind.COUNTER and stands_alone(one) and _free(context, one),
        "counter that is always there",
    )
    short = metric.name.removesuffix("_total")

    def renamed(family: SampleFamily) -> SampleFamily:
        samples = tuple(replace(one, name=short) for one in family.samples)
        return replace(family, name=short, kind=MetricType.GAUGE, samples=samples)

    return edited(body, metric.name, renamed)


def _too_many_values(body: Body, context: Context) -> Body:
    for metric in context.registry.metrics:
        if (
            metric.emitted
            and len(metric.labels) == 1
            and metric.labels[0].domain.kind is not DomainKind.CLOSED
        ):
            key, many = metric.labels[0].key, metric.labels[0].domain.size + 1
            samples = tuple(Series(metric.name, ((key, f"name{n:02}"),), 1.0) for n in range(many))
            full = SampleFamily(metric.name, MetricType(metric.kind), metric.help, samples=samples)
            return (*(family for family in body if family.name != metric.name), full)
    raise NoVictimError("the registry has no metric with one open label")


def _forbidden_label(body: Body, context: Context) -> Body:
    if not context.registry.forbidden_labels:
        raise NoVictimError("no label is forbidden")
    label = context.registry.forbidden_labels[-1]
    return labelled(body, victim(body, context, is_plain_gauge, _GAUGE).name, label, "reader")


CONTRACT = (
    Mutant("wrong-type", "a counter that says it is a gauge", _wrong_type),
    Mutant("unknown-metric", "a metric with the prefix that the registry does not have", _unknown_metric),
    Mutant("missing-label", "a counter without its label", _missing_label),
    Mutant("unknown-label", "one label too many", _unknown_label),
    Mutant("renamed-label", "a label under another name", _renamed_label),
    Mutant("value-outside-domain", "a value that the closed domain does not have", _value_outside_domain),
    Mutant("flag-value", "a flag that is 2", _flag_value),
    Mutant("ratio-value", "a ratio in percent", _ratio_value),
    Mutant("count-value", "two and a half of something", _count_value),
    Mutant("absent-metric", "a metric that is always there is not", _absent_metric),
    Mutant("declared-without-samples", "HELP and TYPE without a sample", _declared_without_samples),
    Mutant("domain-not-initialised", "the last value of a domain is not there", _domain_not_initialised),
    Mutant("legacy-without-replacement", "a legacy metric alone", _legacy_without_replacement),
    Mutant("provisional-with-samples", "a sample of a provisional metric", _provisional_with_samples),
    Mutant("unequal-series", "a legacy counter one ahead of the stable one", _unequal_series),
    Mutant("version-label", "a version as a label", _version_label),
    Mutant("near-miss-metric", "a counter spelt without `_total`", _near_miss_metric),
    Mutant("too-many-values", "one value more than an interned label may have", _too_many_values),
    Mutant("forbidden-label", "a label that names one thing each", _forbidden_label),
)
