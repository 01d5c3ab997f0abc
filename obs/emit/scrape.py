"""Scrape configuration: who is scraped, which labels are attached, and how much one target may expose.

The limits come from the registry: a pod that exposes more than its budget with headroom is refused by the server, so
one bad rollout cannot fill the database. Series with a label that the contract forbids are dropped.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from obs.documents.dump import to_yaml
from obs.emit.base import header, object_metadata
from obs.model.artifact import Artifact, ArtifactKind
from obs.model.metric import Registry
from obs.promql.catalog import TARGET_LABELS
from obs.specs.durations import duration
from obs.specs.sources import Sources

POD_LABELS = {"app.kubernetes.io/name": "agent", "app.kubernetes.io/managed-by": "agentctl"}
"""What the pods of agents carry."""

FLEET_LABEL = "__meta_kubernetes_pod_label_agentctl_dev_agent"
"""Where service discovery shows the name of a pod's fleet."""


class ScrapeEmitter:
    """A PodMonitor for the operator, and scrape configurations for a plain Prometheus."""

    kind: ClassVar[ArtifactKind] = ArtifactKind.SCRAPE

    def emit(self, sources: Sources) -> Iterator[Artifact]:
        """Yield the PodMonitor and the two plain scrape configurations."""
        yield Artifact(
            self.kind,
            "scrape/podmonitor.yaml",
            to_yaml(_pod_monitor(sources), _coordination_monitor(sources), header=header(sources)),
            kubernetes=True,
            summary="PodMonitor for the agents and ServiceMonitor for coordination servers (Prometheus operator)",
        )
        yield Artifact(
            self.kind,
            "scrape/prometheus.yaml",
            to_yaml(_plain(sources, _kubernetes_jobs(sources)), header=header(sources)),
            summary="a whole configuration for a plain Prometheus inside the cluster",
        )
        yield Artifact(
            self.kind,
            "scrape/prometheus-files.yaml",
            to_yaml(_plain(sources, _file_jobs(sources)), header=header(sources)),
            summary="the same without Kubernetes: targets come from scrape/targets/*.yaml or *.json (file_sd)",
        )


def label_limit(registry: Registry) -> int:
    """Return how many labels a series may carry: its own, the target's, the name, `le` and room for two."""
    own = max((len(metric.labels) for metric in registry.metrics), default=0)
    return own + len(TARGET_LABELS) + 4


def _limits(registry: Registry, spelling: dict[str, str]) -> dict[str, int]:
    limits = {
        "sample": registry.sample_limit,
        "label": label_limit(registry),
        "label_name_length": 128,
        "label_value_length": 256,
    }
    return {spelling[name]: value for name, value in limits.items()}


_OPERATOR = {
    "sample": "sampleLimit",
    "label": "labelLimit",
    "label_name_length": "labelNameLengthLimit",
    "label_value_length": "labelValueLengthLimit",
}
_PLAIN = {
    "sample": "sample_limit",
    "label": "label_limit",
    "label_name_length": "label_name_length_limit",
    "label_value_length": "label_value_length_limit",
}


def _pod_monitor(sources: Sources) -> dict[str, Any]:
    config = sources.config
    return {
        "apiVersion": "monitoring.coreos.com/v1",
        "kind": "PodMonitor",
        "metadata": object_metadata(
            sources, "obs-agents", config.kubernetes.namespace, dict(config.prometheus.monitor_labels)
        ),
        "spec": {
            "namespaceSelector": {"matchNames": _namespaces(sources)},
            "selector": {"matchLabels": dict(POD_LABELS)},
            **_limits(sources.registry, _OPERATOR),
            "podMetricsEndpoints": [
                {
                    "port": config.kubernetes.metrics_port,
                    "path": "/metrics",
                    "interval": duration(config.prometheus.scrape_interval),
                    "honorLabels": False,
                    "relabelings": [
                        {"sourceLabels": [FLEET_LABEL], "targetLabel": "fleet", "action": "replace"}
                    ],
                    "metricRelabelings": [
                        {"sourceLabels": [label], "regex": ".+", "action": "drop"}
                        for label in sources.registry.forbidden_labels
                    ],
                }
            ],
        },
    }


def _coordination_monitor(sources: Sources) -> dict[str, Any]:
    config = sources.config
    return {
        "apiVersion": "monitoring.coreos.com/v1",
        "kind": "ServiceMonitor",
        "metadata": object_metadata(
            sources, "obs-coordination", config.kubernetes.namespace, dict(config.prometheus.monitor_labels)
        ),
        "spec": {
            "namespaceSelector": {"matchNames": _namespaces(sources)},
            "selector": {"matchLabels": {"app.kubernetes.io/component": "coordination"}},
            "endpoints": [
                {
                    "port": config.kubernetes.metrics_port,
                    "path": "/metrics",
                    "interval": duration(config.prometheus.scrape_interval),
                }
            ],
        },
    }


def _namespaces(sources: Sources) -> list[str]:
    named = {fleet.namespace for fleet in sources.config.fleets}
    return sorted(named | {sources.config.kubernetes.namespace})


def _plain(sources: Sources, jobs: list[dict[str, Any]]) -> dict[str, Any]:
    prometheus = sources.config.prometheus
    return {
        "global": {
            "scrape_interval": duration(prometheus.scrape_interval),
            "evaluation_interval": duration(prometheus.evaluation_interval),
        },
        "rule_files": ["../rules/recording.yaml", "../rules/alerts.yaml"],
        "scrape_configs": jobs,
    }


def _agent_job(
    sources: Sources, discovery: dict[str, Any], relabelling: list[dict[str, Any]]
) -> dict[str, Any]:
    return {
        "job_name": "agents",
        "metrics_path": "/metrics",
        **_limits(sources.registry, _PLAIN),
        **discovery,
        "relabel_configs": relabelling,
        "metric_relabel_configs": [
            {"source_labels": [label], "regex": ".+", "action": "drop"}
            for label in sources.registry.forbidden_labels
        ],
    }


def _kubernetes_jobs(sources: Sources) -> list[dict[str, Any]]:
    def discovery(role: str) -> dict[str, Any]:
        return {"kubernetes_sd_configs": [{"role": role, "namespaces": {"names": _namespaces(sources)}}]}

    port = sources.config.kubernetes.metrics_port
    keep_agents = [
        {
            "source_labels": [f"__meta_kubernetes_pod_label_{name.translate(_TO_LABEL)}"],
            "regex": value,
            "action": "keep",
        }
        for name, value in POD_LABELS.items()
    ]
    pods = [
        *keep_agents,
        {"source_labels": ["__meta_kubernetes_pod_container_port_name"], "regex": port, "action": "keep"},
        *_copied({"__meta_kubernetes_namespace": "namespace", "__meta_kubernetes_pod_name": "pod"}),
        *_copied({"__meta_kubernetes_pod_container_name": "container", FLEET_LABEL: "fleet"}),
    ]
    services = [
        {
            "source_labels": ["__meta_kubernetes_service_label_app_kubernetes_io_component"],
            "regex": "coordination",
            "action": "keep",
        },
        {"source_labels": ["__meta_kubernetes_endpoint_port_name"], "regex": port, "action": "keep"},
        *_copied({"__meta_kubernetes_namespace": "namespace", "__meta_kubernetes_service_name": "service"}),
    ]
    coordination = {"job_name": "coordination", **discovery("endpoints"), "relabel_configs": services}
    return [
        _agent_job(sources, discovery("pod"), pods),
        coordination,
        {"job_name": "conformance", **discovery("pod"), "relabel_configs": _conformance(sources)},
    ]


def _conformance(sources: Sources) -> list[dict[str, Any]]:
    """Relabelling for sidecars and checkers: whatever pod has a port of that name."""
    port = sources.config.kubernetes.sidecar_port
    return [
        {"source_labels": ["__meta_kubernetes_pod_container_port_name"], "regex": port, "action": "keep"},
        *_copied({"__meta_kubernetes_namespace": "namespace", "__meta_kubernetes_pod_name": "pod"}),
        *_copied({"__meta_kubernetes_pod_container_name": "container", FLEET_LABEL: "fleet"}),
    ]


_TO_LABEL = str.maketrans("./-", "___")


def _copied(labels: dict[str, str]) -> list[dict[str, Any]]:
    return [
        {"source_labels": [source], "target_label": target, "action": "replace"}
        for source, target in labels.items()
    ]


def _file_jobs(sources: Sources) -> list[dict[str, Any]]:
    """Targets from files, labels as their author wrote them (at least `fleet`)."""

    def discovery(name: str) -> dict[str, Any]:
        return {"file_sd_configs": [{"files": [f"targets/{name}*.yaml", f"targets/{name}*.json"]}]}

    others = [{"job_name": name, **discovery(name)} for name in ("coordination", "conformance")]
    return [_agent_job(sources, discovery("agents"), []), *others]
