"""Prometheus rules as values: what a rule file holds once every name in it is settled."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class Urgency(StrEnum):
    """The `severity` label of an alert: who is told, and when."""

    CRITICAL = "critical"  # wakes somebody
    WARNING = "warning"  # a ticket for the day
    INFO = "info"  # seen by whoever looks


@dataclass(frozen=True, slots=True)
class RecordingRule:
    """A recorded series: `name` is `level:metric:operation`, `labels` those its samples carry."""

    name: str
    expr: str


@dataclass(frozen=True, slots=True)
class AlertRule:
    """An alert. `hold` (`for`) and `keep` (`keep_firing_for`) are in seconds, 0 when there is none."""

    name: str
    expr: str
    hold: float
    keep: float = 0
    labels: Mapping[str, str] = field(default_factory=dict)
    annotations: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RuleGroup:
    """Rules that are evaluated one after the other. `interval` is in seconds."""

    name: str
    interval: int
    rules: tuple[RecordingRule | AlertRule, ...]
