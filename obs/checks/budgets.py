"""How many series a metric and an instance may have, from the registry or from `lint/cardinality.yaml`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, TypeGuard

from obs.errors import ConfigInvalidError, Problem
from obs.model.metric import INTERNED_SLOTS, Metric, Registry

FORMAT = 1
"""The version of the rules file that is understood (`version:` in it)."""


@dataclass(frozen=True, slots=True)
class Budget:
    """What one metric may have: series an instance, and distinct values a label."""

    max_series: int
    max_values: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True)
class Budgets:
    """The budgets of a whole instance. `source` names where they come from, for messages."""

    metrics: Mapping[str, Budget]
    max_series: int
    forbidden_labels: tuple[str, ...]
    source: str = "the registry"
    registry_sha256: str = ""


def of_registry(registry: Registry) -> Budgets:
    """Return the budgets that follow from the label domains of `registry`."""
    return Budgets(
        metrics={metric.name: _of_metric(metric) for metric in registry.metrics},
        max_series=registry.series_per_instance,
        forbidden_labels=registry.forbidden_labels,
        registry_sha256=registry.sha256,
    )


def _of_metric(metric: Metric) -> Budget:
    # One value outside a closed domain is drift, which the contract judges; more values than slots are a leak.
    most = {label.key: max(label.domain.size, INTERNED_SLOTS) for label in metric.labels}
    return Budget(metric.series_per_instance, most)


def read_budgets(data: Any, source: str) -> Budgets:
    """Return the budgets in the data of a rules file; raise ConfigInvalidError with every problem."""
    problems: list[Problem] = []
    remedy = "write it with `obs generate --only lint`"
    if not isinstance(data, dict) or not isinstance(data.get("metrics"), dict):
        raise ConfigInvalidError([Problem(source, "no cardinality rules: `metrics:` is missing", remedy)])
    if data.get("version") != FORMAT:
        message = f"`version` is {data.get('version')!r}, this obs reads {FORMAT}"
        problems.append(Problem(f"{source}: $.version", message, remedy))
    metrics = {}
    for name, rule in data["metrics"].items():
        budget = _read_budget(rule)
        if budget is None:
            where = f"{source}: $.metrics.{name}"
            problems.append(Problem(where, "no `max_series_per_instance`, a whole number", remedy))
        else:
            metrics[str(name)] = budget
    total = data.get("max_series_per_instance")
    forbidden = data.get("forbidden_labels", [])
    if not _is_count(total):
        problems.append(Problem(f"{source}: $.max_series_per_instance", "a whole number is required", remedy))
    if not isinstance(forbidden, list):
        problems.append(Problem(f"{source}: $.forbidden_labels", "a list is required", remedy))
    if problems or not _is_count(total):
        raise ConfigInvalidError(problems)
    head = data.get("registry")
    sha256 = str(head.get("sha256", "")) if isinstance(head, dict) else ""
    return Budgets(metrics, total, tuple(map(str, forbidden)), source, sha256)


def _read_budget(rule: Any) -> Budget | None:
    if not isinstance(rule, dict) or not _is_count(rule.get("max_series_per_instance")):
        return None
    labels = rule.get("labels")
    sizes = {str(key): _size(value) for key, value in labels.items()} if isinstance(labels, dict) else {}
    return Budget(rule["max_series_per_instance"], {key: size for key, size in sizes.items() if size})


def _size(values: Any) -> int:
    if not isinstance(values, dict):
        return 0
    most = values.get("max_values")
    if isinstance(values.get("values"), list):
        return max(len(values["values"]), INTERNED_SLOTS)
    return most if _is_count(most) else 0


def _is_count(value: Any) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0
