"""What an operator says about their fleets (`obs.yaml`), as frozen values with every default filled in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum


class Mode(StrEnum):
    """How the work of a fleet arrives and is shared."""

    CLAIM = "claim"  # replicas claim items of a shared backlog
    REACTIVE = "reactive"  # replicas react to events they subscribe to
    SHARD = "shard"  # each replica owns a fixed share
    ONCE = "once"  # a Job
    SCHEDULE = "schedule"  # a CronJob
    LOOP = "loop"  # one process that repeats


class Delivery(StrEnum):
    """How dashboards reach Grafana."""

    FILES = "files"
    CONFIGMAP = "configmap"
    OPERATOR = "operator"


class ScalerKind(StrEnum):
    """What a claim fleet's ScaledObject asks for the backlog."""

    PROMETHEUS = "prometheus"
    EXTERNAL_PUSH = "external-push"


class TaskLength(StrEnum):
    """How long one item of work takes, roughly: it decides how gently a fleet shrinks (registry/scaling.yaml)."""

    SHORT = "short"  # seconds
    MEDIUM = "medium"  # minutes
    LONG = "long"  # half an hour and more


@dataclass(frozen=True, slots=True)
class Prometheus:
    """Where metrics are asked for and how often they are collected. Intervals are in seconds."""

    address: str
    scrape_interval: int
    evaluation_interval: int
    rule_labels: Mapping[str, str]
    monitor_labels: Mapping[str, str]
    authentication: str = ""  # name of a Secret with a bearer token for KEDA


@dataclass(frozen=True, slots=True)
class Grafana:
    """How the boards are delivered and behave. `refresh` and `default_range` are Grafana durations."""

    delivery: Delivery
    folder: str
    namespace: str
    schema_version: int
    timezone: str
    refresh: str
    default_range: str
    base_url: str
    instance_selector: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Kubernetes:
    """The cluster's conventions. `keda_version` is (major, minor)."""

    namespace: str
    keda_version: tuple[int, int]
    metrics_port: str
    sidecar_port: str = "obs-metrics"


@dataclass(frozen=True, slots=True)
class Workload:
    """The Kubernetes object whose replicas run a fleet."""

    api_version: str
    kind: str
    name: str


@dataclass(frozen=True, slots=True)
class Backlog:
    """Which series count the waiting work of a claim fleet: matchers on the coordination server's series."""

    matchers: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class ExternalScaler:
    """The KEDA external scaler of a fleet. `coordination_url` is what it asks; `authentication` a Secret's name."""

    address: str
    coordination_url: str
    authentication: str = ""


@dataclass(frozen=True, slots=True)
class Fleet:
    """One fleet. Times are in seconds; `capacity` is how many items one pod works on at a time.

    `path` is where the fleet stands in obs.yaml, for messages. `overrides` hold what the operator set by hand under
    `scaling:`, by the names of registry/scaling.yaml.
    """

    name: str
    mode: Mode
    namespace: str
    workload: Workload
    min_replicas: int
    max_replicas: int | None
    capacity: int
    drain_timeout: int
    grace_period: int | None
    task_length: TaskLength
    scaler: ScalerKind
    backlog: Backlog | None = None
    external: ExternalScaler | None = None
    overrides: Mapping[str, object] = field(default_factory=dict)
    path: tuple[str | int, ...] = ()


@dataclass(frozen=True, slots=True)
class SwitchedOff:
    """An alert an operator does not want, and why."""

    alert: str
    reason: str


@dataclass(frozen=True, slots=True)
class Suppression:
    """Findings an operator accepts: a code, a glob over what it is about, a reason, and the last day it holds."""

    code: str
    scope: str
    reason: str
    until: date | None
    where: str = ""


@dataclass(frozen=True, slots=True)
class Alerting:
    """How alerts behave. `for_factor` shortens every `for` and every window (1 in production; a trial may use less)."""

    runbook_base_url: str
    switched_off: tuple[SwitchedOff, ...]
    for_factor: float = 1.0


@dataclass(frozen=True, slots=True)
class Config:
    """A whole `obs.yaml`. `source` names it in messages; `thresholds` overrides those of alerts/thresholds.yaml."""

    source: str
    prometheus: Prometheus
    grafana: Grafana
    kubernetes: Kubernetes
    fleets: tuple[Fleet, ...]
    alerting: Alerting
    thresholds: Mapping[str, float]
    suppressions: tuple[Suppression, ...] = ()

    def fleets_of(self, *modes: Mode) -> tuple[Fleet, ...]:
        """Return the fleets of the given modes, in the order of the file."""
        return tuple(fleet for fleet in self.fleets if fleet.mode in modes)
