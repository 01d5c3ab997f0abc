"""What changed between two registries, and whether the version says so (contract section 2, law L3).

Additions raise the minor of metrics_schema; a removal, a rename, another type, unit or label set raises the major. A
provisional metric is not emitted, so nothing can depend on it: its changes are additions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import IntEnum

from obs.model.metric import Domain, Metric, Registry, Status


class Weight(IntEnum):
    """What a change asks of the version; ordered."""

    NOTE = 1  # words only
    ADDITION = 2  # minor
    BREAKING = 3  # major

    @property
    def word(self) -> str:
        """Return the lower-case name."""
        return self.name.lower()


@dataclass(frozen=True, slots=True)
class RegistryChange:
    """One difference. `subject` is the metric or domain; `series` how many series an instance may have more or less."""

    weight: Weight
    subject: str
    message: str
    series: int = 0


def diff(old: Registry, new: Registry) -> tuple[RegistryChange, ...]:
    """Return every difference, the heaviest first, then by subject."""
    changes = [*_metrics(old, new), *_domains(old.domains, new.domains), *_prefix(old, new)]
    return tuple(sorted(changes, key=lambda change: (-change.weight, change.subject, change.message)))


def version_problem(old: Registry, new: Registry, changes: Iterable[RegistryChange]) -> str:
    """Return what is wrong with the new version number, or an empty string."""
    heaviest = max((change.weight for change in changes), default=Weight.NOTE)
    if heaviest is Weight.BREAKING and new.version[0] <= old.version[0]:
        return f"breaking changes, but the major stays {old.version[0]}; raise it to {old.version[0] + 1}.0"
    if heaviest is Weight.ADDITION and new.version <= old.version:
        raised = f"{old.version[0]}.{old.version[1] + 1}"
        return f"additions, but metrics_schema stays {old.schema_version}; raise it to {raised}"
    return ""


def _prefix(old: Registry, new: Registry) -> Iterator[RegistryChange]:
    if old.prefix != new.prefix:
        yield RegistryChange(Weight.BREAKING, "prefix", f"`{old.prefix}` became `{new.prefix}`")


def _metrics(old: Registry, new: Registry) -> Iterator[RegistryChange]:
    for name, metric in old.by_name.items():
        if name not in new.by_name:
            weight = Weight.BREAKING if metric.emitted else Weight.ADDITION
            yield RegistryChange(
                weight, name, f"{metric.status} {metric.kind} was removed", -metric.series_per_instance
            )
        else:
            yield from _metric(metric, new.by_name[name])
    for name, metric in new.by_name.items():
        if name not in old.by_name:
            message = f"{metric.status} {metric.kind} was added"
            yield RegistryChange(Weight.ADDITION, name, message, metric.series_per_instance)


def _metric(old: Metric, new: Metric) -> Iterator[RegistryChange]:
    broken = Weight.BREAKING if old.emitted else Weight.ADDITION
    for field in ("kind", "unit"):
        before, after = getattr(old, field), getattr(new, field)
        if before != after:
            yield RegistryChange(broken, old.name, f"{field} `{before}` became `{after}`")
    yield from _labels(old, new, broken)
    if old.status is not new.status:
        falls = old.emitted and not new.emitted
        weight = Weight.BREAKING if falls else Weight.ADDITION
        yield RegistryChange(weight, old.name, f"status `{old.status}` became `{new.status}`")
    for field in ("autoscaling_signal", "cost_signal"):
        before, after = getattr(old, field), getattr(new, field)
        if before != after:
            weight = Weight.BREAKING if before and old.status is Status.STABLE else Weight.ADDITION
            yield RegistryChange(
                weight, old.name, f"{field} `{before}` became `{after}`".replace("_signal", " signal")
            )
    for field in ("help", "note", "scaling_role"):
        if getattr(old, field) != getattr(new, field):
            yield RegistryChange(Weight.NOTE, old.name, f"{field} was reworded")


def _labels(old: Metric, new: Metric, broken: Weight) -> Iterator[RegistryChange]:
    growth = new.series_per_instance - old.series_per_instance
    for key in sorted(set(old.label_keys) - set(new.label_keys)):
        yield RegistryChange(broken, old.name, f"label `{key}` was removed", growth)
    for key in sorted(set(new.label_keys) - set(old.label_keys)):
        yield RegistryChange(broken, old.name, f"label `{key}` was added", growth)
    for label in old.labels:
        other = new.label(label.key)
        if other is not None and other.domain.name != label.domain.name:
            message = f"label `{label.key}` moved from domain `{label.domain.name}` to `{other.domain.name}`"
            yield RegistryChange(broken, old.name, message, growth)


def _domains(old: Iterable[Domain], new: Iterable[Domain]) -> Iterator[RegistryChange]:
    after = {domain.name: domain for domain in new}
    for domain in old:
        if domain.name not in after:
            continue  # whoever used it has another domain now, which was said there
        values = after[domain.name].values
        for value in domain.values:
            if value not in values:
                yield RegistryChange(Weight.BREAKING, domain.name, f"value `{value}` was removed")
        for value in values:
            if value not in domain.values:
                yield RegistryChange(Weight.ADDITION, domain.name, f"value `{value}` was added")
