"""What an emitter makes: a relative path and bytes."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class ArtifactKind(StrEnum):
    """The part of the tree an artifact belongs to; the words of `obs generate --only`."""

    DASHBOARDS = "dashboards"
    RULES = "rules"
    SCALERS = "scalers"
    SCRAPE = "scrape"
    LINT = "lint"
    JOBS = "jobs"
    DOCS = "docs"
    SIDECAR = "sidecar"
    BUNDLE = "bundle"  # README and kustomization, which describe the other parts


@dataclass(frozen=True, slots=True)
class Artifact:
    """One generated file.

    `path` is relative, with forward slashes; `content` is what the file holds; `kubernetes` says that
    `kubectl apply` understands the file and the kustomization lists it; `summary` is its line in the tree's README;
    `uses` are (series name, place for people) of the series it reads, for the docs.
    """

    kind: ArtifactKind
    path: str
    content: bytes
    kubernetes: bool = False
    summary: str = ""
    uses: tuple[tuple[str, str], ...] = ()
