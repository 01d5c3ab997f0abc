"""Manifests of the conformance checker: a container beside each agent, or one Deployment for a namespace.

The requests are measured (docs/sidecar.md): 25 MiB resident, and 1.3 ms of CPU a scrape, which is a tenth of a
millicore at the usual interval.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from obs.documents.dump import to_yaml
from obs.emit.base import header, object_metadata
from obs.emit.scrape import FLEET_LABEL, POD_LABELS
from obs.model.artifact import Artifact, ArtifactKind
from obs.model.config import Fleet
from obs.specs.durations import duration
from obs.specs.sources import Sources

AGENT_PORT = 9090
"""Where an agent serves /metrics by default."""

PORT = 9464
"""Where the checker serves its verdict."""

IMAGE = "obs:stable"
"""The image of the Containerfile; name your own with `kustomize edit set image obs=...`."""

USER = 65532
"""The user of the image: nobody in particular, without a name or a home."""

_CHECKER = "obs-checker"
_CONTAINER = "obs-sidecar"
_COMPONENT = "sidecar/component/kustomization.yaml"
_POD_TEMPLATES = {"Deployment": "apps/v1", "StatefulSet": "apps/v1", "DaemonSet": "apps/v1"}
_JOBS = {"Job": "batch/v1", "CronJob": "batch/v1"}


class SidecarEmitter:
    """A kustomize component for the fleets' workloads, a checker for each namespace, and PodMonitors for both."""

    kind: ClassVar[ArtifactKind] = ArtifactKind.SIDECAR

    def emit(self, sources: Sources) -> Iterator[Artifact]:
        """Yield the component (where a fleet has a workload it can patch), the checkers and the monitors."""
        top = header(sources)
        patches = [patch for fleet in sources.config.fleets if (patch := _patch(sources, fleet))]
        if patches:
            component = {
                "apiVersion": "kustomize.config.k8s.io/v1alpha1",
                "kind": "Component",
                "patches": patches,
            }
            yield Artifact(
                self.kind, _COMPONENT, to_yaml(component, header=top),
                summary="kustomize component that puts the checker beside each agent; Jobs get it as a native sidecar",
            )  # fmt: skip
        documents = [document for name in _namespaces(sources) for document in _checker(sources, name)]
        yield Artifact(
            self.kind, "sidecar/namespace.yaml", to_yaml(*documents, header=top),
            summary="one checker for all agents of a namespace, instead of the component",
        )  # fmt: skip
        yield Artifact(
            self.kind, "sidecar/podmonitor.yaml", to_yaml(*_monitors(sources), header=top), kubernetes=True,
            summary="PodMonitors that collect the verdicts of sidecars and checkers (Prometheus operator)",
        )  # fmt: skip


def _namespaces(sources: Sources) -> list[str]:
    named = {fleet.namespace for fleet in sources.config.fleets}
    return sorted(named | {sources.config.kubernetes.namespace})


def _patch(sources: Sources, fleet: Fleet) -> dict[str, Any] | None:
    """Return the patch of a fleet's workload; None for a kind whose pod template is not known."""
    workload = fleet.workload
    container = _sidecar(sources)
    if workload.kind in _POD_TEMPLATES:
        spec: dict[str, Any] = {"template": {"spec": {"containers": [container]}}}
    elif workload.kind in _JOBS:
        # A container of a Job must end; an init container that restarts always is ended when the others are done.
        spec = {"template": {"spec": {"initContainers": [{**container, "restartPolicy": "Always"}]}}}
        spec = {"jobTemplate": {"spec": spec}} if workload.kind == "CronJob" else spec
    else:
        return None
    api_version = {**_POD_TEMPLATES, **_JOBS}[workload.kind]
    body = {
        "apiVersion": api_version,
        "kind": workload.kind,
        "metadata": {"name": workload.name},
        "spec": spec,
    }
    target = {"kind": workload.kind, "name": workload.name, "namespace": fleet.namespace}
    return {"target": target, "patch": to_yaml(body).decode()}


def _sidecar(sources: Sources) -> dict[str, Any]:
    """Return the container beside an agent.

    It has no readiness probe: that would make the agent unready until its contract has been checked. A full agent's
    body is 10 KiB; within these limits no body, however hostile, takes the container over its memory.
    """
    arguments = [f"--target=http://127.0.0.1:{AGENT_PORT}/metrics", "--max-bytes=256KiB", "--max-series=5000"]
    return _container(sources, _CONTAINER, arguments, memory=("32Mi", "64Mi"))


def _container(sources: Sources, name: str, arguments: list[str], memory: tuple[str, str]) -> dict[str, Any]:
    interval = duration(sources.config.prometheus.scrape_interval)
    port = sources.config.kubernetes.sidecar_port
    return {
        "name": name,
        "image": IMAGE,
        "args": ["sidecar", *arguments, f"--interval={interval}", f"--listen=:{PORT}"],
        "ports": [{"name": port, "containerPort": PORT}],
        "env": [_from_field(variable, path) for variable, path in _IDENTITY.items()],
        # No limit on CPU: throttling would only make the verdict late.
        "resources": {"requests": {"cpu": "5m", "memory": memory[0]}, "limits": {"memory": memory[1]}},
        "livenessProbe": {
            "httpGet": {"path": "/healthz", "port": port},
            "periodSeconds": 30,
            "timeoutSeconds": 5,
        },
        "securityContext": {
            "runAsNonRoot": True,
            "runAsUser": USER,
            "readOnlyRootFilesystem": True,
            "allowPrivilegeEscalation": False,
            "capabilities": {"drop": ["ALL"]},
            "seccompProfile": {"type": "RuntimeDefault"},
        },
    }


_IDENTITY = {
    "AGENT_POD_NAME": "metadata.name",
    "AGENT_POD_NAMESPACE": "metadata.namespace",
    "AGENT_POD_UID": "metadata.uid",
    "AGENT_NODE_NAME": "spec.nodeName",
}


def _from_field(variable: str, path: str) -> dict[str, Any]:
    return {"name": variable, "valueFrom": {"fieldRef": {"fieldPath": path}}}


def _checker(sources: Sources, namespace: str) -> list[dict[str, Any]]:
    """Return a headless Service, whose name resolves to every agent, and the Deployment that checks them."""
    labels = {"app.kubernetes.io/name": _CHECKER}
    port = sources.config.kubernetes.metrics_port
    service = {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": object_metadata(sources, "obs-agents", namespace),
        "spec": {
            "clusterIP": "None",
            "publishNotReadyAddresses": True,  # an unready agent keeps the contract too
            "selector": dict(POD_LABELS),
            "ports": [{"name": port, "port": AGENT_PORT, "targetPort": port}],
        },
    }
    # The trailing dot: a search path would multiply the look-ups.
    arguments = [f"--dns-sd=obs-agents.{namespace}.svc.cluster.local.:{AGENT_PORT}"]
    container = _container(sources, _CHECKER, arguments, memory=("64Mi", "256Mi"))
    ready = {
        "httpGet": {"path": "/readyz", "port": sources.config.kubernetes.sidecar_port},
        "periodSeconds": 10,
    }
    template = {
        "metadata": {"labels": labels},
        "spec": {
            "automountServiceAccountToken": False,  # it asks DNS, never the API server
            "containers": [{**container, "readinessProbe": ready}],
        },
    }
    deployment = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": object_metadata(sources, _CHECKER, namespace, labels),
        "spec": {"replicas": 1, "selector": {"matchLabels": labels}, "template": template},
    }
    return [service, deployment]


def _monitors(sources: Sources) -> Iterator[dict[str, Any]]:
    fleet = [{"sourceLabels": [FLEET_LABEL], "targetLabel": "fleet", "action": "replace"}]
    yield _monitor(sources, "obs-sidecars", dict(POD_LABELS), fleet)
    yield _monitor(sources, "obs-checkers", {"app.kubernetes.io/name": _CHECKER}, [])


def _monitor(
    sources: Sources, name: str, labels: dict[str, str], relabelings: list[dict[str, Any]]
) -> dict[str, Any]:
    config = sources.config
    endpoint: dict[str, Any] = {
        "port": config.kubernetes.sidecar_port,
        "path": "/metrics",
        "interval": duration(config.prometheus.scrape_interval),
    }
    if relabelings:
        endpoint["relabelings"] = relabelings
    return {
        "apiVersion": "monitoring.coreos.com/v1",
        "kind": "PodMonitor",
        "metadata": object_metadata(
            sources, name, config.kubernetes.namespace, dict(config.prometheus.monitor_labels)
        ),
        "spec": {
            "namespaceSelector": {"matchNames": _namespaces(sources)},
            "selector": {"matchLabels": labels},
            "podMetricsEndpoints": [endpoint],
        },
    }
