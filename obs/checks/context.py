"""What checks look at: a body, the registry, and what several checks ask of both, worked out once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from obs.checks.budgets import Budgets
from obs.checks.near import near_misses
from obs.checks.shapes import shapes_in
from obs.exposition import Block, Family, Format, MetricType, Scrape
from obs.model.metric import Kind, Metric, Presence, Registry, Status

if TYPE_CHECKING:  # what one body is judged by does not need it
    from obs.checks.live.trail import Trail

THIRD_PARTY = (
    "go_",
    "process_",
    "python_",
    "promhttp_",
    "jvm_",
    "nodejs_",
    "dotnet_",
    "rest_client_",
    "workqueue_",
    "controller_runtime_",
    "scrape_",
    "target_info",
)
"""Name prefixes of metrics that a runtime or a library adds: whoever runs the service cannot rename them."""

_CREATED = "_created"
_WITH_CREATED = frozenset({MetricType.COUNTER, MetricType.HISTOGRAM, MetricType.SUMMARY})


@dataclass(frozen=True)
class Context:
    """A body and what it is held against.

    `previous` is an earlier body of the same target, if there is one; `trail` is what is remembered of a target that is
    looked at again and again, this body included.
    """

    scrape: Scrape
    registry: Registry
    budgets: Budgets
    previous: Scrape | None = None
    trail: Trail | None = None

    def belongs(self, name: str) -> bool:
        """Return whether a metric called `name` claims to be one of the registry's."""
        prefix = self.registry.prefix
        return bool(prefix) and name.startswith(prefix)

    @cached_property
    def known(self) -> Mapping[str, Family]:
        """Return the families of metrics that the registry has, by metric name."""
        found: dict[str, Family] = {}
        for family in self.scrape.families:
            name = self.metric_name(family)
            if name in self.registry.by_name:
                found.setdefault(name, family)
        return found

    def metric_name(self, family: Family) -> str:
        """Return the registry's spelling of a family's name: OpenMetrics leaves `_total` out of it."""
        if self.scrape.format is Format.OPENMETRICS and family.kind is MetricType.COUNTER:
            return family.name + "_total"
        return family.name

    @cached_property
    def metrics(self) -> tuple[tuple[Metric, Family], ...]:
        """Return each metric of the registry that the body declares, with its family, in order of the body."""
        return tuple((self.registry.by_name[name], family) for name, family in self.known.items())

    @cached_property
    def required(self) -> tuple[Metric, ...]:
        """Return the metrics that every warm agent exposes: the stable ones that are always present."""
        return tuple(
            metric
            for metric in self.registry.metrics
            if metric.status is Status.STABLE and metric.semantics.presence is Presence.ALWAYS
        )

    @cached_property
    def strangers(self) -> tuple[Family, ...]:
        """Return the families that claim the registry's prefix and are not in it."""
        return tuple(
            family
            for family in self.scrape.families
            if self.belongs(family.name) and not self.in_registry(family) and not self.is_created(family)
        )

    @cached_property
    def near_misses(self) -> Mapping[str, str]:
        """Return the strangers that are taken for a metric which is absent, each with the metric's name."""
        names = {family.name: self.metric_name(family) for family in self.strangers}
        return near_misses(self.registry, self.known, names) if names else {}

    @cached_property
    def outsiders(self) -> tuple[Family, ...]:
        """Return the families outside the registry whose names their authors can change."""
        return tuple(
            family
            for family in self.scrape.families
            if not self.belongs(family.name)
            and not family.name.startswith(THIRD_PARTY)
            and not self.is_created(family)
        )

    def in_registry(self, family: Family) -> bool:
        """Return whether the registry has this metric."""
        return self.metric_name(family) in self.registry.by_name

    def is_created(self, family: Family) -> bool:
        """Return whether the family is the by-product of a client: `x_created` beside a counter or histogram `x`."""
        if not family.name.endswith(_CREATED):
            return False
        base = family.name.removesuffix(_CREATED)
        owner = self.scrape.by_name.get(base + "_total") or self.scrape.by_name.get(base)
        return owner is not None and owner.kind in _WITH_CREATED

    @cached_property
    def drifted(self) -> Mapping[str, int]:
        """Return how many samples of a metric are none of the series that its budget is about.

        They carry labels or values that the registry does not know, which are findings of the contract, or they say
        when a series was created.
        """
        return {metric.name: count for metric, family in self.metrics if (count := _drifted(metric, family))}

    @cached_property
    def shapes(self) -> Mapping[str, str]:
        """Return the label values that look like identifiers, each with the name of its shape."""
        return shapes_in(self.scrape)

    @cached_property
    def unseen(self) -> frozenset[str]:
        """Return the names that stood on lines which could not be read: nothing can be said about them."""
        return frozenset(_bases(self.scrape.broken_names))


def _bases(names: frozenset[str]) -> Iterator[str]:
    for name in names:
        yield name
        for suffix in ("_bucket", "_sum", "_count", _CREATED):
            if name.endswith(suffix):
                yield name.removesuffix(suffix)


def _drifted(metric: Metric, family: Family) -> int:
    keys = frozenset(metric.label_keys)
    closed = {label.key: label.domain.values for label in metric.labels if label.domain.values}
    count = 0
    for block in family.blocks:
        created = block.name.endswith(_CREATED) and block.name != family.name
        if created or frozenset(name for name in block.label_names if not is_part(metric, name)) != keys:
            count += len(block)
        elif any(not family.distinct(key) <= set(values) for key, values in closed.items()):
            columns = [(block.column(key), frozenset(values)) for key, values in closed.items()]
            count += sum(
                any(column[row] not in values for column, values in columns) for row in range(len(block))
            )
    return count


def own_blocks(family: Family) -> Iterator[Block]:
    """Yield the samples of a family without those that say when it began."""
    return (
        block for block in family.blocks if not block.name.endswith(_CREATED) or family.name == block.name
    )


def is_part(metric: Metric, label: str) -> bool:
    """Return whether `label` belongs to the format of the metric's type rather than to the metric."""
    return label == "le" and metric.kind is Kind.HISTOGRAM
