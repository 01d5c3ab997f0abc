"""`obs.yaml` to a Config: closed, every problem at once, each at its line and column."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date
from typing import Any

from obs.documents import schema
from obs.documents.load import Document, Path
from obs.errors import ConfigInvalidError, Problem
from obs.model.config import (
    Alerting,
    Backlog,
    Config,
    Delivery,
    ExternalScaler,
    Fleet,
    Grafana,
    Kubernetes,
    Mode,
    Prometheus,
    ScalerKind,
    Suppression,
    SwitchedOff,
    TaskLength,
    Workload,
)
from obs.specs.durations import seconds

_SCALABLE_KINDS = {Mode.SHARD: "StatefulSet", Mode.ONCE: "Job", Mode.SCHEDULE: "CronJob"}
_API_VERSIONS = {"Job": "batch/v1", "CronJob": "batch/v1"}


def read_config(document: Document, json_schema: dict[str, Any]) -> Config:
    """Return the configuration in `document`, defaults filled in (those that examples/obs.yaml shows).

    Raise ConfigInvalidError with every problem.
    """
    if document.data is None:
        document = Document(document.source, {}, document.marks)
    problems = list(schema.problems(document, json_schema))
    if not problems:
        problems = list(_contradictions(document))
    if problems:
        raise ConfigInvalidError(problems)
    return _config(document)


def _config(document: Document) -> Config:
    data = document.data
    kubernetes = _kubernetes(data.get("kubernetes") or {})
    return Config(
        source=document.source,
        prometheus=_prometheus(data.get("prometheus") or {}),
        grafana=_grafana(data.get("grafana") or {}),
        kubernetes=kubernetes,
        fleets=tuple(
            _fleet(fleet, kubernetes.namespace, ("fleets", index))
            for index, fleet in enumerate(data.get("fleets") or [])
        ),
        alerting=_alerting(data.get("alerts") or {}),
        thresholds={name: float(value) for name, value in (data.get("thresholds") or {}).items()},
        suppressions=tuple(_suppressions(document)),
    )


def _prometheus(data: Mapping[str, Any]) -> Prometheus:
    labels = {"release": "kube-prometheus-stack"}
    return Prometheus(
        address=data.get("address", "http://prometheus-operated.monitoring.svc:9090").rstrip("/"),
        scrape_interval=seconds(data.get("scrape_interval", "15s")),
        evaluation_interval=seconds(data.get("evaluation_interval", "30s")),
        rule_labels=data.get("rule_labels", labels),
        monitor_labels=data.get("monitor_labels", labels),
        authentication=data.get("authentication", ""),
    )


def _grafana(data: Mapping[str, Any]) -> Grafana:
    return Grafana(
        delivery=Delivery(data.get("delivery", "configmap")),
        folder=data.get("folder", "Agents"),
        namespace=data.get("namespace", "monitoring"),
        schema_version=data.get("schema_version", 39),
        timezone=data.get("timezone", "browser"),
        refresh=data.get("refresh", "1m"),
        default_range=data.get("default_range", "3h"),
        base_url=data.get("base_url", "").rstrip("/"),
        instance_selector=data.get("instance_selector", {"dashboards": "grafana"}),
    )


def _kubernetes(data: Mapping[str, Any]) -> Kubernetes:
    major, minor = data.get("keda_version", "2.17").split(".")[:2]
    return Kubernetes(
        namespace=data.get("namespace", "agents"),
        keda_version=(int(major), int(minor)),
        metrics_port=data.get("metrics_port", "metrics"),
        sidecar_port=data.get("sidecar_port", "obs-metrics"),
    )


def _fleet(data: Mapping[str, Any], namespace: str, path: Path) -> Fleet:
    mode = Mode(data["mode"])
    replicas, workload = data.get("replicas") or {}, data.get("workload") or {}
    kind = workload.get("kind", _SCALABLE_KINDS.get(mode, "Deployment"))
    external = data.get("external")
    grace = data.get("grace_period")
    return Fleet(
        name=data["name"],
        mode=mode,
        namespace=data.get("namespace", namespace),
        workload=Workload(
            api_version=workload.get("api_version", _API_VERSIONS.get(kind, "apps/v1")),
            kind=kind,
            name=workload.get("name", data["name"]),
        ),
        min_replicas=replicas.get("min", 0 if mode is Mode.CLAIM else 1),
        max_replicas=replicas.get("max"),
        capacity=data.get("capacity", 1),
        drain_timeout=seconds(data.get("drain_timeout", "25s")),
        grace_period=seconds(grace) if grace else None,
        task_length=TaskLength(data.get("tasks", "medium")),
        scaler=ScalerKind(data.get("scaler", "prometheus")),
        backlog=Backlog(data["backlog"]) if data.get("backlog") else None,
        external=ExternalScaler(**external) if external else None,
        overrides=data.get("scaling") or {},
        path=path,
    )


def _alerting(data: Mapping[str, Any]) -> Alerting:
    return Alerting(
        runbook_base_url=data.get("runbook_base_url", "https://runbooks.example.com/obs").rstrip("/"),
        switched_off=tuple(SwitchedOff(off["alert"], off["reason"]) for off in data.get("off") or []),
        for_factor=float(data.get("for_factor", 1)),
    )


def _suppressions(document: Document) -> Iterator[Suppression]:
    for index, item in enumerate(document.data.get("suppressions") or []):
        yield Suppression(
            code=item["code"],
            scope=item.get("scope", "*"),
            reason=item["reason"],
            until=_day(item.get("until")),
            where=document.where(("suppressions", index)),
        )


def _day(value: Any) -> date | None:
    """Return a day from YAML's own date or from text; None when it is neither (the contradiction check says so)."""
    if isinstance(value, date):
        return value
    try:
        return date.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None


def _contradictions(document: Document) -> Iterator[Problem]:
    """What a schema cannot say."""
    data = document.data
    yield from _repeated_fleets(document)
    for index, fleet in enumerate(data.get("fleets") or []):
        replicas = fleet.get("replicas") or {}
        if "max" in replicas and replicas.get("min", 0) > replicas["max"]:
            where = document.where(("fleets", index, "replicas", "min"))
            yield Problem(
                where,
                f"K025: `min` {replicas['min']} is above `max` {replicas['max']}",
                "lower `min` or raise `max`",
            )
        if fleet.get("scaler") == "external-push" and not fleet.get("external"):
            where = document.where(("fleets", index, "scaler"))
            yield Problem(
                where, "`scaler: external-push` needs to know the scaler", "add `external:` with its address"
            )
    for index, item in enumerate(data.get("suppressions") or []):
        if "until" in item and _day(item["until"]) is None:
            where = document.where(("suppressions", index, "until"))
            yield Problem(where, f"`{item['until']}` is not a day", "write it as 2027-01-31")


def _repeated_fleets(document: Document) -> Iterator[Problem]:
    seen: dict[tuple[str, str], int] = {}
    fallback = (document.data.get("kubernetes") or {}).get("namespace", "agents")
    for index, fleet in enumerate(document.data.get("fleets") or []):
        key = (fleet.get("namespace", fallback), fleet["name"])
        if key in seen:
            where = document.where(("fleets", index, "name"))
            yield Problem(
                where,
                f"fleet `{fleet['name']}` is named twice",
                f"first at {document.where(('fleets', seen[key], 'name'))}",
            )
        seen.setdefault(key, index)
