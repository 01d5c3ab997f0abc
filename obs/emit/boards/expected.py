"""Queries about many metrics at once, by a pattern of their names: who exports what, and what nobody declared."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from obs.emit.boards.frame import MATCHERS, series_name
from obs.emit.boards.panel import cut
from obs.emit.docs import escape
from obs.model.metric import Domain, DomainKind, Kind, Metric, Presence, Registry, Status
from obs.promql.build import aggregate, regex_any, regex_literal, selector

PATTERN = 6_000
"""Characters of names in one query: Prometheus takes more, but a person has to read the query."""

WHOLE_PATTERN = 24_000
"""Characters of names up to which one query can tell declared metrics from undeclared ones."""

TEXT_BYTES = 60_000
"""Size of the list of metrics and of the patterns of their domains on one board."""

AGENT = ("cluster", "namespace", "job", "instance")
"""The labels that tell one agent from another."""


@dataclass(frozen=True, slots=True)
class Part:
    """The share of the registry that one board is about.

    `present` is the metric that says that an agent is there; `whole` that one query can name the whole registry.
    """

    registry: Registry
    metrics: tuple[Metric, ...]
    present: Metric
    number: int
    whole: bool

    @property
    def first(self) -> bool:
        """Return whether this board also says what concerns the registry as a whole."""
        return self.number == 1

    @property
    def required(self) -> tuple[Metric, ...]:
        """Return the metrics that every warm agent exposes."""
        return tuple(metric for metric in self.metrics if required(metric))

    @property
    def there(self) -> str:
        """Return the selector of the series that say that agents are there."""
        return selector(series_name(self.present), MATCHERS)

    @property
    def agents(self) -> str:
        """Return the expression of how many agents are scraped."""
        return aggregate("count", aggregate("group", self.there, AGENT))

    def or_zero(self, expr: str) -> str:
        """Return `expr`, or 0 while agents are scraped."""
        return f"{expr} or 0 * {self.agents}"

    def or_none(self, expr: str) -> str:
        """Return `expr` by metric, or one row called (none) with 0 while agents are scraped."""
        return f'{expr}\nor on ()\nlabel_replace(0 * {self.agents}, "metric", "(none)", "", "")'


def required(metric: Metric) -> bool:
    """Return whether every warm agent exposes a metric."""
    return metric.status is Status.STABLE and metric.semantics.presence is Presence.ALWAYS


def parts(registry: Registry, present: Metric) -> tuple[Part, ...]:
    """Return the shares of a registry whose queries and texts fit on one board each."""
    whole = sum(len(series_name(metric)) + 1 for metric in registry.metrics) <= WHOLE_PATTERN
    shares = enumerate(_shares(registry.metrics), 1)
    return tuple(Part(registry, share, present, number, whole) for number, share in shares)


def exported(metrics: Sequence[Metric]) -> str:
    """Return the expression that has one element for each metric that an agent exports."""
    names = ("__name__", "=~", _pattern(metrics))
    return aggregate("group", selector("", (names, *MATCHERS)), ("__name__", *AGENT))


def exporting(metrics: Sequence[Metric]) -> str:
    """Return the expression of how many agents export each of the metrics."""
    return by_metric(aggregate("count", exported(metrics), ("__name__",)))


def by_metric(counted: str) -> str:
    """Return `counted` with the metric's name as a label that survives arithmetic."""
    return aggregate("sum", f'label_replace({counted}, "metric", "$1", "__name__", "(.+)")', ("metric",))


def undeclared(registry: Registry) -> str:
    """Return the expression of how many series each undeclared name with the registry's prefix has."""
    declared: set[str] = set()
    for metric in registry.metrics:
        suffixes = ("_bucket", "_sum", "_count") if metric.kind is Kind.HISTOGRAM else ("",)
        declared |= {metric.name + suffix for suffix in suffixes}
    matchers = (
        ("__name__", "=~", regex_literal(registry.prefix) + ".+"),
        ("__name__", "!~", regex_any(sorted(declared))),
        *MATCHERS,
    )
    return aggregate("count", selector("", matchers), ("__name__",))


def outside(part: Part) -> Iterator[tuple[str, str]]:
    """Yield a name and an expression for each label with a closed domain: how many series have another value."""
    users: dict[tuple[str, Domain], list[Metric]] = {}
    for metric in part.metrics:
        for label in metric.labels:
            if label.domain.kind is DomainKind.CLOSED and metric.emitted:
                users.setdefault((label.key, label.domain), []).append(metric)
    for (key, domain), metrics in sorted(users.items(), key=lambda item: (item[0][0], item[0][1].name)):
        if fits(domain):
            matchers = (
                ("__name__", "=~", _pattern(metrics)),
                *MATCHERS,
                (key, "!~", regex_any(domain.values)),
            )
            counted = aggregate("count", selector("", matchers))
            yield f"{key} ({domain.name})", part.or_zero(counted)


def fits(domain: Domain) -> bool:
    """Return whether one query can name all values of a domain."""
    return sum(len(value) + 1 for value in domain.values) <= PATTERN


def names(metrics: Sequence[Metric]) -> tuple[str, ...]:
    """Return the names metrics are counted under: a histogram counts once, by its `_count`."""
    return tuple(series_name(metric) for metric in metrics)


def line(metric: Metric) -> str:
    """Return what the registry says of a metric as a row of a Markdown table."""
    labels = ", ".join(metric.label_keys) or "-"
    status = "" if metric.status is Status.STABLE else f" ({metric.status})"
    return (
        f"| `{metric.name}`{status} | {metric.kind} | {metric.unit} | {metric.semantics.aggregation}"
        f" | {cut(labels, 80)} | {escape(cut(metric.help, 160))} |"
    )


def _pattern(metrics: Sequence[Metric]) -> str:
    return regex_any(sorted(set(names(metrics))))


def _shares(metrics: Sequence[Metric]) -> Iterator[tuple[Metric, ...]]:
    share: list[Metric] = []
    used = texts = 0
    for metric in metrics:
        name, text = len(series_name(metric)) + 1, _text_bytes(metric)
        if share and (used + name > PATTERN or texts + text > TEXT_BYTES):
            yield tuple(share)
            share, used, texts = [], 0, 0
        share.append(metric)
        used, texts = used + name, texts + text
    if share:
        yield tuple(share)


def _text_bytes(metric: Metric) -> int:
    """Return about how many bytes a metric adds to its board besides its name in queries."""
    patterns = sum(len(regex_any(label.domain.values)) for label in metric.labels if fits(label.domain))
    return len(json.dumps(line(metric), ensure_ascii=False).encode()) + 2 * patterns
