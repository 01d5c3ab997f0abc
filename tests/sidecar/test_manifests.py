"""The manifests that run the checker: beside each agent, or once a namespace."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import yaml

from obs.adapters.sidecar.configuration import configuration
from obs.emit.sidecar import SidecarEmitter
from obs.model.config import Fleet
from obs.specs.sources import Sources
from tests.home import sources


def emitted(given: Sources | None = None) -> dict[str, list[dict[str, Any]]]:
    """The documents by path."""
    return {
        artifact.path: list(yaml.safe_load_all(artifact.content))
        for artifact in SidecarEmitter().emit(given or sources())
    }


def patches(kind: str) -> list[dict[str, Any]]:
    """The pod specs that the component merges into workloads of a kind."""
    config = sources().config
    fleets: tuple[Fleet, ...] = tuple(
        replace(fleet, workload=replace(fleet.workload, kind=kind)) for fleet in config.fleets
    )
    tree = emitted(replace(sources(), config=replace(config, fleets=fleets)))
    component = tree.get("sidecar/component/kustomization.yaml")
    return [yaml.safe_load(patch["patch"]) for patch in component[0]["patches"]] if component else []


def containers() -> list[dict[str, Any]]:
    """Every container that is emitted."""
    beside = [patch["spec"]["template"]["spec"]["containers"][0] for patch in patches("Deployment")]
    deployments = [one for one in emitted()["sidecar/namespace.yaml"] if one["kind"] == "Deployment"]
    return beside + [one["spec"]["template"]["spec"]["containers"][0] for one in deployments]


def test_the_arguments_are_ones_the_sidecar_takes() -> None:
    """What the manifests say on the command line is read without a problem."""
    for container in containers():
        assert container["args"][0] == "sidecar"
        read = configuration(container["args"][1:], {})
        assert read.listen == ("", container["ports"][0]["containerPort"])
        assert read.targets or read.dns_sd


def test_it_runs_with_nothing_it_does_not_need() -> None:
    """Not as root, nothing writable, no capability, a limit on memory, and no token."""
    for container in containers():
        context = container["securityContext"]
        assert context["runAsNonRoot"]
        assert context["readOnlyRootFilesystem"]
        assert not context["allowPrivilegeEscalation"]
        assert context["capabilities"] == {"drop": ["ALL"]}
        assert "memory" in container["resources"]["limits"]
    for document in emitted()["sidecar/namespace.yaml"]:
        if document["kind"] == "Deployment":
            assert document["spec"]["template"]["spec"]["automountServiceAccountToken"] is False


def test_a_sidecar_does_not_decide_whether_its_agent_is_ready() -> None:
    """A readiness probe would take the agent out of service until its contract is checked."""
    assert all(
        "readinessProbe" not in patch["spec"]["template"]["spec"]["containers"][0]
        for patch in patches("Deployment")
    )


@pytest.mark.parametrize("kind", ["Job", "CronJob"])
def test_a_job_gets_a_native_sidecar(kind: str) -> None:
    """A plain container would keep a Job from ever ending."""
    for patch in patches(kind):
        spec = patch["spec"]["jobTemplate"]["spec"] if kind == "CronJob" else patch["spec"]
        assert spec["template"]["spec"]["initContainers"][0]["restartPolicy"] == "Always"
        assert "containers" not in spec["template"]["spec"]


def test_an_unknown_kind_is_left_alone() -> None:
    """A custom resource has a pod template of its own making: the checker of the namespace covers it."""
    assert patches("AgentFleet") == []


def test_the_monitors_ask_for_the_port_the_containers_have() -> None:
    """A verdict that nobody collects is none."""
    ports = {container["ports"][0]["name"] for container in containers()}
    asked = {
        monitor["spec"]["podMetricsEndpoints"][0]["port"] for monitor in emitted()["sidecar/podmonitor.yaml"]
    }
    assert ports == asked
