"""Mutants that add a metric of nobody's whose names or values are bad for whoever pays for it or reads it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from obs.exposition import Format, MetricType, SampleFamily, Series
from obs.model.metric import Registry
from obs.synth.body import Body, Labels
from obs.synth.mutant import TEXT_ONLY, Context, Mutant

_STAMP = 1_767_225_600  # seconds since 1970, a time in the past


def stranger_family(
    name: str, *labels: Labels, kind: MetricType = MetricType.GAUGE, text: str = "What it is."
) -> SampleFamily:
    """Return a family with one sample of value 1 for each set of labels."""
    samples = tuple(Series(name, one, 1.0) for one in labels or ((),))
    return SampleFamily(name, kind, text, samples=samples)


def _added(make: Callable[[str], tuple[SampleFamily, ...]]) -> Callable[[Body, Context], Body]:
    """Return a change that appends families, made for a name prefix that is not the registry's."""
    return lambda body, context: (*body, *make(context.stranger))


def _gauge(
    suffix: str, *labels: Labels, kind: MetricType = MetricType.GAUGE
) -> Callable[[Body, Context], Body]:
    return _added(lambda prefix: (stranger_family(f"{prefix}_{suffix}", *labels, kind=kind),))


def _instance_budget(body: Body, context: Context) -> Body:
    """Add metrics of 100 series each, none of them too large alone, until the limit of a scrape is passed."""
    many = (
        2 * context.registry.series_per_instance + 200
    ) // 100 + 1  # twice the budget, and a runtime's own
    labels = tuple((("shard", f"s{n}"),) for n in range(100))
    return (*body, *(stranger_family(f"{context.stranger}_part_{n}", *labels) for n in range(many)))


def _tight_rules(registry: Registry) -> dict[str, Any]:
    """Return a rules file in which the first metric with several series may have only one."""
    metrics = {
        metric.name: {"max_series_per_instance": metric.series_per_instance, "labels": {}}
        for metric in registry.metrics
    }
    first = next(
        metric.name for metric in registry.metrics if metric.emitted and metric.series_per_instance > 1
    )
    metrics[first] = {"max_series_per_instance": 1, "labels": {}}
    return {
        "version": 1,
        "forbidden_labels": list(registry.forbidden_labels),
        "max_series_per_instance": registry.series_per_instance,
        "metrics": metrics,
    }


def _stamped(seconds: bool) -> Callable[[Body, Context], Body]:
    """Return a change that adds a sample with a timestamp, in the unit of the format or in the other one."""

    def change(body: Body, context: Context) -> Body:
        stamp = _STAMP if seconds == (context.form is Format.TEXT) else _STAMP * 1000
        name = f"{context.stranger}_load"
        sample = Series(name, (), 1.0, timestamp=float(stamp))
        return (*body, SampleFamily(name, MetricType.GAUGE, "Load.", samples=(sample,)))

    return change


def _created(body: Body, context: Context) -> Body:
    """Add a counter with the time it began, as the Python client exposes it."""
    name = f"{context.stranger}_jobs"
    began = Series(f"{name}_created", (), float(_STAMP))
    return (
        *body,
        stranger_family(f"{name}_total", kind=MetricType.COUNTER),
        SampleFamily(began.name, MetricType.GAUGE, "When it began.", samples=(began,)),
    )


def _label_growth(body: Body, context: Context) -> Body:
    """Add values that were not there at the last scrape, within what a label may have."""
    first = context.turn % 5
    labels = tuple((("queue", f"q{n}"),) for n in range(1 + 3 * first))
    return (*body, stranger_family(f"{context.stranger}_waiting", *labels))


def _missing_help(body: Body, context: Context) -> Body:
    name = f"{context.stranger}_load"
    return (*body, SampleFamily(name, MetricType.GAUGE, None, samples=(Series(name, (), 1.0),)))


_COUNTER = MetricType.COUNTER

STRANGERS = (
    Mutant("timestamp-unit", "a timestamp in the unit of the other format", _stamped(seconds=True)),
    Mutant(
        "identifier-value",
        "a UUID as a label value",
        _gauge("load", (("task", "0b5a2c0e-6f0e-4a57-9a4b-7d1f0c2e9a11"),)),
    ),
    Mutant("url-value", "a URL as a label value", _gauge("load", (("peer", "https://models.example.com/v1"),))),
    Mutant("address-value", "an address and port as a label value", _gauge("load", (("peer", "10.0.3.7:8443"),))),
    Mutant(
        "free-text-value",
        "an error message as a label value",
        _gauge("load", (("error", "connection refused\nat the first attempt"),)),
    ),
    Mutant("metric-budget", "the sound body, held against a budget of one series", rules=_tight_rules),
    Mutant("instance-budget", "more series than a scrape may hold, in small metrics", _instance_budget),
    Mutant("target-label", "a label that the scrape attaches", _gauge("load", (("pod", "inbox-0"),))),
    Mutant("created-series", "the time a counter began", _created, forms=TEXT_ONLY),
    Mutant("label-growth", "a label with new values at each scrape", _label_growth, over_time=True),
    Mutant("missing-help", "a metric without HELP", _missing_help),
    Mutant("counter-without-total", "a counter without `_total`", _gauge("jobs", kind=_COUNTER), forms=TEXT_ONLY),
    Mutant("total-on-non-counter", "a gauge that ends in `_total`", _gauge("workers_total")),
    Mutant("reserved-suffix", "a gauge that ends in `_count`", _gauge("nodes_count")),
    Mutant("reserved-label", "a gauge with the label `le`", _gauge("usage", (("le", "root"),))),
    Mutant("type-in-name", "the word gauge in a name", _gauge("queue_gauge")),
    Mutant("colon-in-name", "a colon in a name", _gauge("queue:length")),
    Mutant("camel-case", "a label in camelCase", _gauge("load", (("cpuModel", "a"),))),
    Mutant("unit-in-name", "milliseconds in a name", _gauge("wait_ms")),
    Mutant("inconsistent-labels", "samples with different labels", _gauge("load", (("cpu", "0"),), (("core", "1"),))),
    Mutant("explicit-timestamp", "a sample with a timestamp", _stamped(seconds=False)),
)  # fmt: skip
