"""What describes the rest of the tree: README.md and kustomization.yaml."""

from __future__ import annotations

from collections.abc import Sequence

from obs.documents.dump import to_yaml
from obs.emit.base import header, markdown_header
from obs.model.artifact import Artifact, ArtifactKind
from obs.model.config import Delivery
from obs.specs.sources import Sources


def kustomization(sources: Sources, artifacts: Sequence[Artifact]) -> Artifact:
    """Return the kustomization that lists every Kubernetes object among `artifacts`."""
    document = {
        "apiVersion": "kustomize.config.k8s.io/v1beta1",
        "kind": "Kustomization",
        "resources": sorted(artifact.path for artifact in artifacts if artifact.kubernetes),
    }
    return Artifact(
        ArtifactKind.BUNDLE,
        "kustomization.yaml",
        to_yaml(document, header=header(sources)),
        summary="lists every Kubernetes object, for `kubectl apply -k`",
    )


def readme(sources: Sources, artifacts: Sequence[Artifact]) -> Artifact:
    """Return the README of the tree: what is here, how to apply it, what it was made from.

    An artifact without a summary is one of many that an index page of its own lists.
    """
    registry = sources.registry
    lines = [
        "# What an operator needs for these fleets",
        "",
        markdown_header(sources),
        "",
        f"Made from metrics registry {registry.schema_version} (contract {registry.contract_version or 'unknown'}),",
        f"sha256 `{registry.sha256}`.",
        "",
        "## Files",
        "",
        "| file | what it is |",
        "|---|---|",
        *(
            f"| `{artifact.path}` | {artifact.summary} |"
            for artifact in sorted(artifacts, key=lambda a: a.path)
            if artifact.summary
        ),
        "",
        *_apply(sources),
        *_fleets(sources),
    ]
    return Artifact(
        ArtifactKind.BUNDLE,
        "README.md",
        ("\n".join(lines).rstrip() + "\n").encode(),
        summary="this page",
    )


def _apply(sources: Sources) -> list[str]:
    grafana = sources.config.grafana
    boards = {
        Delivery.FILES: "copy `dashboards/*.json` to the path that `dashboards/provisioning.yaml` names, and that file"
        " to Grafana's `provisioning/dashboards/`",
        Delivery.CONFIGMAP: f"come with the kustomization as ConfigMaps in namespace `{grafana.namespace}`, for the"
        " dashboard sidecar of the Grafana chart",
        Delivery.OPERATOR: f"come with the kustomization as GrafanaDashboard objects in namespace"
        f" `{grafana.namespace}`, for grafana-operator",
    }
    return [
        "## Apply",
        "",
        "- Kubernetes: `kubectl apply -k .` (or `--server-side` if you prefer). It needs the CRDs of the Prometheus"
        " operator and, where there are scalers, of KEDA.",
        f"- Grafana: the boards {boards[grafana.delivery]}.",
        "- A plain Prometheus: load `rules/recording.yaml` and `rules/alerts.yaml` under `rule_files:`, and take the"
        " jobs of `scrape/prometheus.yaml` or, without Kubernetes, of `scrape/prometheus-files.yaml`.",
        "- Check the rules: `promtool check rules rules/recording.yaml rules/alerts.yaml` and"
        " `promtool test rules rules/tests/*.yaml`.",
        "",
    ]


def _fleets(sources: Sources) -> list[str]:
    if not sources.config.fleets:
        return ["## Fleets", "", "obs.yaml names no fleet, so there is no scaler.", ""]
    rows = [
        f"| `{fleet.name}` | {fleet.mode} | {fleet.workload.kind} `{fleet.workload.name}` | `{fleet.namespace}` |"
        for fleet in sources.config.fleets
    ]
    return ["## Fleets", "", "| fleet | mode | workload | namespace |", "|---|---|---|---|", *rows, ""]
