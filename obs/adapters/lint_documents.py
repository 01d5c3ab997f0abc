"""Reads YAML documents and judges what is in them: ScaledObjects, with the workloads beside them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from obs.adapters.files import read_text
from obs.adapters.registries import Inputs, load_registry, load_semantics
from obs.adapters.resources import data_folder
from obs.checks.scaling import check_scaled_objects
from obs.checks.scaling.rule import Facts
from obs.documents.load import Document, load_all_yaml, load_yaml
from obs.errors import NothingObservedError, Problem
from obs.model.metric import Registry
from obs.model.report import TargetResult
from obs.promql.catalog import Catalog, catalog, platform_series


def lint_documents(paths: Sequence[Path], registry: Registry | None) -> tuple[TargetResult, ...]:
    """Return the judgement of each file; the documents of all files are judged together.

    Raise UnreadableError or InvalidInputError for a file that is not YAML, NothingObservedError for an empty one.
    """
    documents: list[Document] = []
    for path in paths:
        found = load_all_yaml(read_text(path), str(path))
        if not any(document.data for document in found):
            raise NothingObservedError([Problem(str(path), "holds no document", "check the path")])
        documents += found
    facts = Facts(_catalog(registry), prefix=registry.prefix if registry else "agent_")
    findings = check_scaled_objects(documents, facts)
    return tuple(
        TargetResult(
            str(path),
            tuple(finding for finding in findings if finding.location.source == str(path)),
            size=path.stat().st_size,
        )
        for path in paths
    )


def _catalog(registry: Registry | None) -> Catalog:
    inputs = Inputs()
    known = registry or load_registry(inputs, load_semantics(inputs))
    name = "registry/platform.yaml"
    return catalog(known, platform_series(load_yaml(read_text(data_folder() / name), name).data))
