"""How a Prometheus finds a synthetic fleet: targets with the labels a cluster would attach, and a configuration."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from obs.documents.dump import to_yaml
from obs.model.config import Fleet, Mode
from obs.model.metric import Registry
from obs.synth.plan import Plan

JOBS = ("agents", "coordination", "scaler", "kubernetes", "keda")

Target = dict[str, Any]


def targets(plan: Plan, host: str) -> dict[str, list[Target]]:
    """Return the targets of each job in the form of http_sd and file_sd; all of them are paths of `host`."""
    claiming = [fleet for fleet in plan.fleets if fleet.mode is Mode.CLAIM]
    return {
        "agents": [
            _target(
                host,
                f"/agents/{agent.index}/metrics",
                fleet=plan.fleet_of(agent.index).name,
                namespace=plan.fleet_of(agent.index).namespace,
                pod=agent.pod,
                instance=f"{agent.pod}:9090",
            )
            for agent in plan.agents
        ],
        "coordination": [
            _target(host, f"/coordination/{fleet.name}/metrics", **_coordination_labels(fleet))
            for fleet in claiming
        ],
        "scaler": [
            _target(
                host,
                f"/scaler/{fleet.name}/metrics",
                namespace=fleet.namespace,
                service="agentctl-scaler",
                instance=f"{fleet.name}-scaler:9100",
            )
            for fleet in claiming
        ],
        "kubernetes": [_target(host, "/platform/kubernetes/metrics", instance="kube-state-metrics:8080")],
        "keda": [
            _target(host, "/platform/keda/metrics", namespace="keda", instance="keda-operator:8080"),
        ],
    }


def _coordination_labels(fleet: Fleet) -> dict[str, str]:
    """Return the labels by which this fleet's backlog is told apart, as its configuration names them."""
    labels = dict(fleet.backlog.matchers) if fleet.backlog else {"service": f"{fleet.name}-coord"}
    return {
        "namespace": fleet.namespace,
        **labels,
        "instance": f"{labels.get('service', fleet.name)}:9090",
    }


def _target(host: str, path: str, **labels: str) -> Target:
    return {"targets": [host], "labels": {"__metrics_path__": path, **labels}}


def prometheus_config(
    registry: Registry,
    host: str,
    interval: str,
    *,
    platform: bool,
    rules: Sequence[str] = (),
    checkers: Sequence[str] = (),
) -> bytes:
    """Return a whole Prometheus configuration that scrapes everything `host` serves, every `interval`.

    `rules` are paths of rule files to evaluate at the same interval; `checkers` are addresses of `obs sidecar`.
    """
    names = JOBS if platform else JOBS[:3]
    jobs: list[dict[str, Any]] = [
        {
            "job_name": name,
            **(
                {"honor_labels": True} if name == "kubernetes" else {}
            ),  # its series name other objects' namespaces
            "http_sd_configs": [{"url": f"http://{host}/targets/{name}.json"}],
        }
        for name in names
    ]
    if checkers:
        jobs.append({"job_name": "sidecar", "static_configs": [{"targets": list(checkers)}]})
    header = f"scrapes a synthetic fleet of obs emit; registry {registry.sha256}"
    document = {
        "global": {"scrape_interval": interval, "evaluation_interval": interval},
        **({"rule_files": list(rules)} if rules else {}),
        "scrape_configs": jobs,
    }
    return to_yaml(document, header=header)
