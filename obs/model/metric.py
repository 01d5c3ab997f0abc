"""The metrics registry as frozen values (contract section 6)."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property

INTERNED_SLOTS = 16
"""Distinct values of an `open_bounded` label, `other` included (contract section 6.1: a 16-slot intern table)."""

OVERFLOW = "other"
"""The value that every closed domain but `token_type` ends in (contract section 6.1)."""

SCRAPE_HEADROOM = 2
"""How far over its budget an agent may go before the server refuses the scrape: an additive minor (law L1) fits."""

RUNTIME_SERIES = 200
"""Room for the series a runtime adds of its own (go_*, process_*, python_*)."""

SAMPLE_LIMIT_CAP = 1_000_000
"""The largest sample limit of a scrape: past it a limit protects nothing."""

TARGET_LABELS = frozenset(
    {"job", "instance", "namespace", "pod", "container", "cluster", "fleet", "service", "endpoint", "node"}
)
"""Labels that a scrape attaches; a metric that carried one would be renamed to `exported_…` by the server."""


class Kind(StrEnum):
    """The type of a metric; a frozen set of three."""

    COUNTER = "counter"
    GAUGE = "gauge"
    HISTOGRAM = "histogram"


class Status(StrEnum):
    """How far a metric can be relied on."""

    STABLE = "stable"
    LEGACY = "legacy"  # retained; has a stable replacement
    PROVISIONAL = "provisional"  # declared, not emitted


class Unit(StrEnum):
    """What one step of a metric's value means."""

    ONE = "1"
    MILLISECONDS = "ms"
    BYTES = "bytes"
    BOOL = "bool"
    RATIO = "ratio"
    PER_SECOND = "1/s"


class DomainKind(StrEnum):
    """How the values of a label are bounded."""

    CLOSED = "closed"
    OPEN = "open"
    OPEN_BOUNDED = "open_bounded"


class Aggregation(StrEnum):
    """How the series of several instances make one number."""

    SUM = "sum"
    MAX = "max"
    DRIFT = "drift"  # the highest minus the lowest: 0 when all agree


class Presence(StrEnum):
    """When a conformant agent exposes a metric, once it is warm."""

    ALWAYS = "always"
    LAZY = "lazy"  # a series appears with its first event
    CONDITIONAL = "conditional"  # depends on the host or the configuration
    UNBUILT = "unbuilt"  # HELP and TYPE lines at most, no samples


class ValueRule(StrEnum):
    """What the value of a sample may be."""

    COUNT = "count"  # a non-negative integer
    FLAG = "flag"  # 0 or 1
    RATIO = "ratio"  # a float in [0, 1]
    NUMBER = "number"  # any non-negative number


@dataclass(frozen=True, slots=True)
class Domain:
    """The values a label may take. `values` is empty unless the domain is closed, and keeps the registry's order."""

    name: str
    kind: DomainKind
    values: tuple[str, ...] = ()

    @property
    def size(self) -> int:
        """Return how many values are budgeted for."""
        return len(self.values) if self.kind is DomainKind.CLOSED else INTERNED_SLOTS


@dataclass(frozen=True, slots=True)
class Label:
    """A label of a metric and the domain of its values."""

    key: str
    domain: Domain


@dataclass(frozen=True, slots=True)
class SeriesRef:
    """A metric, or those of its series that carry the given label values."""

    metric: str
    labels: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Semantics:
    """What the registry does not say about a metric and a generator must know (`registry/semantics.yaml`).

    `title` is a short name for people; `group` is a heading of `Registry.groups`; `aggregation` is how instances
    combine; `scaler_aggregation` how they do as a scaler's AverageValue; `condition` says when a conditional metric is
    there; `equals` is the series that must carry the same value in one scrape; `replaced_by` is the stable metric to
    use in place of a legacy one; `normal` and `act` are what a person should expect and do; `healthy` is the good value
    of a flag, None when neither is better.
    """

    title: str
    group: str
    aggregation: Aggregation
    presence: Presence
    values: ValueRule
    scaler_aggregation: Aggregation = Aggregation.SUM
    condition: str = ""
    equals: SeriesRef | None = None
    replaced_by: str = ""
    normal: str = ""
    act: str = ""
    healthy: int | None = None


@dataclass(frozen=True, slots=True)
class Metric:
    """One metric of the registry joined with its semantics. `labels` are sorted by key."""

    name: str
    kind: Kind
    labels: tuple[Label, ...]
    unit: Unit
    help: str
    status: Status
    autoscaling_signal: bool
    cost_signal: bool
    semantics: Semantics
    source: str = ""
    note: str = ""
    scaling_role: str = ""
    aliases: tuple[str, ...] = ()

    @property
    def label_keys(self) -> tuple[str, ...]:
        """Return the label names, sorted."""
        return tuple(label.key for label in self.labels)

    def label(self, key: str) -> Label | None:
        """Return the label called `key`, or None."""
        return next((label for label in self.labels if label.key == key), None)

    @property
    def emitted(self) -> bool:
        """Return whether an agent is expected to expose samples at all."""
        return self.status is not Status.PROVISIONAL

    @property
    def series_per_instance(self) -> int:
        """Return the series budget of one instance: the product of the domain sizes.

        The buckets of a histogram are not frozen (contract section 6: boundaries undefined); each child is budgeted
        as `INTERNED_SLOTS` buckets, a sum and a count.
        """
        product = 1
        for label in self.labels:
            product *= label.domain.size
        return product * (INTERNED_SLOTS + 2) if self.kind is Kind.HISTOGRAM else product


@dataclass(frozen=True)
class Registry:
    """A loaded registry: metrics sorted by name, so that the order of the file changes nothing.

    `version` is metrics_schema (major, minor); `sha256` is of the canonical form; `groups` are the headings for people
    in order; `forbidden_labels` may be on no series (contract section 6.1).
    """

    metrics: tuple[Metric, ...]
    domains: tuple[Domain, ...]
    prefix: str
    version: tuple[int, int]
    contract_version: str
    sha256: str
    groups: tuple[str, ...]
    forbidden_labels: tuple[str, ...] = ()
    cardinality_rule: str = ""
    title: str = field(default="", compare=False)

    @cached_property
    def by_name(self) -> dict[str, Metric]:
        """Return the metrics by name."""
        return {metric.name: metric for metric in self.metrics}

    @property
    def schema_version(self) -> str:
        """Return metrics_schema as it is written: `major.minor`."""
        return f"{self.version[0]}.{self.version[1]}"

    @property
    def series_per_instance(self) -> int:
        """Return the series budget of one instance, provisional metrics included (they may be built tomorrow)."""
        return sum(metric.series_per_instance for metric in self.metrics)

    @property
    def sample_limit(self) -> int:
        """Return how many samples one scrape of an agent may hold before the server refuses it."""
        return min(self.series_per_instance * SCRAPE_HEADROOM + RUNTIME_SERIES, SAMPLE_LIMIT_CAP)

    def with_status(self, *statuses: Status) -> tuple[Metric, ...]:
        """Return the metrics of the given statuses, in order."""
        return tuple(metric for metric in self.metrics if metric.status in statuses)
