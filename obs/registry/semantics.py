"""What the registry does not say: `registry/semantics.yaml`, joined to the metrics by name.

The table is written for the frozen registry and its neutral prefix. A private registry with another prefix gets the
entry of the metric that has the same name after the prefix, and defaults for what has none.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from obs.documents.load import Document
from obs.documents.suggest import did_you_mean
from obs.errors import Problem, RegistryInvalidError
from obs.model.metric import (
    Aggregation,
    DomainKind,
    Kind,
    Metric,
    Presence,
    Registry,
    Semantics,
    SeriesRef,
    Status,
    Unit,
    ValueRule,
)

NEUTRAL_PREFIX = "agent_"
"""The prefix the packaged sources are written with (contract law L4)."""

OTHER_GROUP = "Other"
"""The heading of metrics that no entry names: those of a later minor or a private registry."""

_VALUE_RULES = {Unit.BOOL: ValueRule.FLAG, Unit.RATIO: ValueRule.RATIO, Unit.PER_SECOND: ValueRule.NUMBER}


def local_name(name: str, prefix: str) -> str:
    """Return the neutral spelling of a name that starts with `prefix`; other names as they are."""
    return NEUTRAL_PREFIX + name[len(prefix) :] if name.startswith(prefix) else name


def default_semantics(metric: Metric) -> Semantics:
    """Return what can be concluded from the record alone.

    Counters, flags and bytes add up over instances; of any other gauge that is not known, so the highest is taken: a
    sum of what does not add up is a wrong number, a maximum is only an incomplete one.
    """
    adds_up = metric.kind is not Kind.GAUGE or metric.unit in (Unit.BOOL, Unit.BYTES)
    return Semantics(
        title=_title(metric.name),
        group=OTHER_GROUP,
        aggregation=Aggregation.SUM if adds_up else Aggregation.MAX,
        presence=_default_presence(metric),
        values=_VALUE_RULES.get(metric.unit, ValueRule.COUNT),
    )


def _default_presence(metric: Metric) -> Presence:
    if metric.status is Status.PROVISIONAL:
        return Presence.UNBUILT
    closed = all(label.domain.kind is DomainKind.CLOSED for label in metric.labels)
    return Presence.ALWAYS if closed else Presence.LAZY


def _title(name: str) -> str:
    words = name.removesuffix("_total").split("_")
    words = [word for word in words if word]
    return " ".join(words).capitalize() or name


@dataclass(frozen=True, slots=True)
class SemanticsTable:
    """Entries by neutral name (`later` minors apart), headings in order, and labels that no series may carry."""

    entries: Mapping[str, Mapping[str, Any]]
    later: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    groups: tuple[str, ...] = ()
    forbidden_labels: tuple[str, ...] = ()
    document: Document | None = None

    @staticmethod
    def bare(**fields: Any) -> Metric:
        """Return a metric with default semantics; the table fills in the rest in `join`."""
        metric = Metric(**fields, semantics=_BLANK)
        return replace(metric, semantics=default_semantics(metric))

    def join(self, metric: Metric, prefix: str) -> Metric:
        """Return `metric` with the semantics of its entry; facts of an entry for another kind are not taken."""
        neutral = local_name(metric.name, prefix)
        entry = self.entries.get(neutral) or self.later.get(neutral)
        if entry is None or not _fits(entry, metric):
            return metric
        return replace(metric, semantics=_merge(metric.semantics, entry, prefix))

    def groups_of(self, metrics: Iterable[Metric]) -> tuple[str, ...]:
        """Return the headings that some metric stands under, in the table's order, others last."""
        used = {metric.semantics.group for metric in metrics}
        known = tuple(group for group in self.groups if group in used)
        return known + tuple(sorted(used - set(known)))

    def check(self, registry: Registry) -> None:
        """Raise RegistryInvalidError unless table and registry name the same metrics and agree about them."""
        if self.document is None:
            return
        problems = [*self._unknown(registry), *self._undescribed(registry), *self._dangling(registry)]
        if problems:
            raise RegistryInvalidError(problems)

    def _unknown(self, registry: Registry) -> Iterable[Problem]:
        for name, entry in self.entries.items():
            metric = registry.by_name.get(name)
            if metric is None:
                yield self._problem(
                    name, f"`{name}` is not a metric of the registry", did_you_mean(name, registry.by_name)
                )
            elif not _fits(entry, metric):
                yield self._problem(name, f"aggregation of counter `{name}` must be `sum`", "drop the key")

    def _undescribed(self, registry: Registry) -> Iterable[Problem]:
        for metric in registry.metrics:
            if metric.name not in self.entries:
                yield self._problem(
                    "", f"`{metric.name}` of the registry has no entry", "add one under `metrics:`"
                )
            elif metric.status is Status.LEGACY and not metric.semantics.replaced_by:
                yield self._problem(
                    metric.name, f"legacy `{metric.name}` names no replacement", "add `replaced_by:`"
                )

    def _dangling(self, registry: Registry) -> Iterable[Problem]:
        for metric in registry.metrics:
            semantics = metric.semantics
            refs = [
                ref
                for ref in (semantics.replaced_by, semantics.equals.metric if semantics.equals else "")
                if ref
            ]
            for ref in refs:
                if ref not in registry.by_name:
                    yield self._problem(
                        metric.name, f"`{ref}` is not a metric", did_you_mean(ref, registry.by_name)
                    )
            if semantics.equals and semantics.equals.metric in registry.by_name:
                yield from self._dangling_labels(metric.name, semantics.equals, registry)
            if semantics.group not in self.groups:
                yield self._problem(
                    metric.name,
                    f"group `{semantics.group}` is not declared",
                    did_you_mean(semantics.group, self.groups),
                )

    def _dangling_labels(self, name: str, ref: SeriesRef, registry: Registry) -> Iterable[Problem]:
        for key, value in ref.labels:
            label = registry.by_name[ref.metric].label(key)
            if label is None:
                yield self._problem(name, f"`{ref.metric}` has no label `{key}`")
            elif label.domain.values and value not in label.domain.values:
                yield self._problem(
                    name,
                    f"`{value}` is not in domain `{label.domain.name}`",
                    did_you_mean(value, label.domain.values),
                )

    def _problem(self, name: str, message: str, remedy: str = "") -> Problem:
        assert self.document is not None  # noqa: S101  # check() returned early otherwise
        path = ("metrics", name) if name else ("metrics",)
        return Problem(self.document.where(path), message, remedy)


_BLANK = Semantics("", "", Aggregation.MAX, Presence.ALWAYS, ValueRule.COUNT)


def _fits(entry: Mapping[str, Any], metric: Metric) -> bool:
    return metric.kind is not Kind.COUNTER or entry.get("aggregation", "sum") == "sum"


def _merge(base: Semantics, entry: Mapping[str, Any], prefix: str) -> Semantics:
    def spelled(name: str) -> str:
        return prefix + name.removeprefix(NEUTRAL_PREFIX)

    equals = entry.get("equals")
    return replace(
        base,
        title=entry.get("title", base.title),
        group=entry.get("group", base.group),
        aggregation=Aggregation(entry.get("aggregation", base.aggregation)),
        scaler_aggregation=Aggregation(entry.get("scaler_aggregation", base.scaler_aggregation)),
        presence=Presence(entry.get("presence", base.presence)),
        values=ValueRule(entry.get("values", base.values)),
        condition=entry.get("condition", ""),
        equals=SeriesRef(spelled(equals["metric"]), tuple(sorted(equals.get("labels", {}).items())))
        if equals
        else None,
        replaced_by=spelled(entry["replaced_by"]) if "replaced_by" in entry else "",
        normal=entry.get("normal", ""),
        act=entry.get("act", ""),
        healthy=entry.get("healthy"),
    )


def read_semantics(document: Document) -> SemanticsTable:
    """Return the table of a document that has passed its schema (`registry/semantics.schema.json`)."""
    data = document.data
    return SemanticsTable(
        entries=data["metrics"],
        later=data.get("later", {}),
        groups=tuple(data["groups"]),
        forbidden_labels=tuple(data["forbidden_labels"]),
        document=document,
    )
