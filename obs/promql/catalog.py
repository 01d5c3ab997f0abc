"""Everything an expression may name: the registry's series, recorded ones, and a declared list of the platform's."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from obs.model.metric import Kind, Metric, Registry

TARGET_LABELS = frozenset({"job", "instance", "namespace", "pod", "container", "cluster", "fleet", "service"})
"""Labels that the generated scrape configuration attaches to an agent's series (`cluster` where there is one)."""


@dataclass(frozen=True, slots=True)
class SeriesFacts:
    """What is known of one series name.

    `kind` is counter, gauge or histogram part (`bucket`), empty when unknown; `labels` are its own and its target's;
    `domains` are the closed ones among them; `metric` is the registry's record, if it has one.
    """

    name: str
    kind: str
    labels: frozenset[str]
    domains: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    metric: Metric | None = None


@dataclass(frozen=True, slots=True)
class Catalog:
    """Series by name."""

    series: Mapping[str, SeriesFacts]

    def find(self, name: str) -> SeriesFacts | None:
        """Return the facts of the series called `name`, or None when nothing declares it."""
        return self.series.get(name)

    def with_recorded(self, recorded: Iterable[SeriesFacts]) -> Catalog:
        """Return a catalogue that knows the given recording rules too."""
        return replace(self, series={**self.series, **{facts.name: facts for facts in recorded}})


def registry_series(metric: Metric) -> tuple[SeriesFacts, ...]:
    """Return the series a metric has on the wire: one, or the three parts of a histogram."""
    labels = frozenset(metric.label_keys) | TARGET_LABELS
    domains = {label.key: label.domain.values for label in metric.labels if label.domain.values}
    if metric.kind is not Kind.HISTOGRAM:
        return (SeriesFacts(metric.name, str(metric.kind), labels, domains, metric),)
    return (
        SeriesFacts(f"{metric.name}_bucket", "bucket", labels | {"le"}, domains, metric),
        SeriesFacts(f"{metric.name}_sum", "counter", labels, domains, metric),
        SeriesFacts(f"{metric.name}_count", "counter", labels, domains, metric),
    )


def platform_series(data: Mapping[str, Mapping[str, object]]) -> tuple[SeriesFacts, ...]:
    """Return the series of `registry/platform.yaml`: name -> kind, labels."""
    found = []
    for name, facts in data.items():
        labels = facts.get("labels")
        own = frozenset(str(label) for label in labels) if isinstance(labels, list) else frozenset()
        found.append(SeriesFacts(name, str(facts.get("kind", "")), own | TARGET_LABELS))
    return tuple(found)


def catalog(registry: Registry, platform: Iterable[SeriesFacts]) -> Catalog:
    """Return what an expression over this registry and platform may name."""
    series = {facts.name: facts for facts in platform}
    for metric in registry.metrics:
        series.update({facts.name: facts for facts in registry_series(metric)})
    return Catalog(series)
