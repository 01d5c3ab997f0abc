"""How finished boards reach Grafana: files and their provider, ConfigMaps, or objects of grafana-operator."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from obs.documents.dump import to_json, to_yaml
from obs.emit.base import header, object_metadata
from obs.errors import Problem, SpecInvalidError
from obs.model.artifact import Artifact, ArtifactKind
from obs.model.config import Delivery
from obs.specs.sources import Sources

MAX_BYTES = 240_000
"""The largest minified board: `kubectl apply` copies an object into an annotation, and those end at 262,144 bytes."""

MAX_UID = 40
"""Grafana's longest uid."""


@dataclass(frozen=True, slots=True)
class Finished:
    """A finished board: its JSON model, its minified bytes, and (series, place) of what its panels read."""

    model: dict[str, Any]
    minified: bytes
    summary: str
    uses: tuple[tuple[str, str], ...]

    @property
    def uid(self) -> str:
        """Return the board's uid."""
        return str(self.model["uid"])

    @property
    def title(self) -> str:
        """Return the board's title."""
        return str(self.model["title"])


def check_set(boards: Sequence[Finished]) -> None:
    """Raise SpecInvalidError when two boards share a uid or a title, or one is too long or too large to deliver.

    Grafana stops all provisioning of a folder at the first duplicate.
    """
    problems = [*_repeated("uid", (board.uid for board in boards))]
    problems += _repeated("title", (board.title for board in boards))
    for board in boards:
        where = f"dashboards/{board.uid}.json"
        if len(board.uid) > MAX_UID:
            problems.append(
                Problem(where, f"uid is longer than {MAX_UID} characters", "shorten the file's name")
            )
        if len(board.minified) > MAX_BYTES:
            message = f"{len(board.minified)} bytes do not fit into a ConfigMap that kubectl can apply"
            problems.append(Problem(where, message, "split the board in two files"))
    if problems:
        raise SpecInvalidError(problems)


def _repeated(what: str, values: Iterable[str]) -> Iterator[Problem]:
    for value, count in sorted(Counter(values).items()):
        if count > 1:
            yield Problem("dashboards", f"{count} boards have the {what} `{value}`", "rename all but one")


def files(boards: Sequence[Finished]) -> Iterator[Artifact]:
    """Yield the boards as files, and the provider that makes Grafana read them."""
    for board in boards:
        yield Artifact(
            ArtifactKind.DASHBOARDS,
            f"dashboards/{board.uid}.json",
            to_json(board.model),
            summary=board.summary,
            uses=board.uses,
        )


def provider(sources: Sources) -> Artifact:
    """Return Grafana's file provider for the folder of boards."""
    entry = {
        "name": "obs-agents",
        "type": "file",
        "folder": sources.config.grafana.folder,
        "allowUiUpdates": False,
        "disableDeletion": False,
        "updateIntervalSeconds": 60,
        "options": {"path": "/var/lib/grafana/dashboards/obs", "foldersFromFilesStructure": False},
    }
    return Artifact(
        ArtifactKind.DASHBOARDS,
        "dashboards/provisioning.yaml",
        to_yaml({"apiVersion": 1, "providers": [entry]}, header=header(sources)),
        summary="Grafana's file provider: put it into provisioning/dashboards/ when you copy the JSON files",
    )


def objects(sources: Sources, boards: Sequence[Finished]) -> Iterator[Artifact]:
    """Yield one Kubernetes object a board, of the kind the configuration asks for; none when it asks for files."""
    delivery = sources.config.grafana.delivery
    if delivery is Delivery.FILES:
        return
    build = _config_map if delivery is Delivery.CONFIGMAP else _operator_object
    for board in boards:
        yield Artifact(
            ArtifactKind.DASHBOARDS,
            f"dashboards/k8s/{board.uid}.yaml",
            to_yaml(build(sources, board), header=header(sources)),
            kubernetes=True,
            summary=f"the board {board.title} as a Kubernetes object",
        )


def _config_map(sources: Sources, board: Finished) -> dict[str, Any]:
    grafana = sources.config.grafana
    metadata = object_metadata(sources, board.uid, grafana.namespace, {"grafana_dashboard": "1"})
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": _in_folder(metadata, grafana.folder),
        "data": {f"{board.uid}.json": board.minified.decode()},
    }


def _in_folder(metadata: dict[str, Any], folder: str) -> dict[str, Any]:
    return metadata | {"annotations": {**metadata["annotations"], "grafana_folder": folder}}


def _operator_object(sources: Sources, board: Finished) -> dict[str, Any]:
    grafana = sources.config.grafana
    return {
        "apiVersion": "grafana.integreatly.org/v1beta1",
        "kind": "GrafanaDashboard",
        "metadata": object_metadata(sources, board.uid, grafana.namespace),
        "spec": {
            "instanceSelector": {"matchLabels": dict(grafana.instance_selector)},
            "folder": grafana.folder,
            "uid": board.uid,
            "json": board.minified.decode(),
        },
    }
