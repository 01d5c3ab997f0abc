"""Reads the inputs of `obs generate` from disk and hands them to the pure readers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeVar

from obs.adapters.files import read_text
from obs.adapters.registries import Inputs, load_home_registry, load_registry, load_semantics
from obs.adapters.schemas import load_schema
from obs.documents.load import Document, load_yaml
from obs.errors import ObsError, Problem, SpecInvalidError, UnreadableError
from obs.model.config import Config
from obs.promql.catalog import catalog, platform_series
from obs.specs.alerts import THRESHOLDS, GroupSpec, read_groups
from obs.specs.boards import BoardSpec, read_board
from obs.specs.config import read_config
from obs.specs.resolve import Resolver
from obs.specs.sources import Sources
from obs.specs.thresholds import read_thresholds

_T = TypeVar("_T")


def load_config(inputs: Inputs) -> tuple[Config, Document]:
    """Return the configuration in use and the document it came from."""
    path = inputs.config or inputs.root / "examples" / "obs.yaml"
    shown = str(inputs.config) if inputs.config else "examples/obs.yaml"
    document = load_yaml(read_text(path), shown)
    return read_config(document, load_schema(inputs.root, "registry/obs.schema.json")), document


def load_sources(inputs: Inputs) -> Sources:
    """Return everything `obs generate` works from; raise an ObsError that carries the problems of all inputs."""
    problems: list[Problem] = []
    errors: list[ObsError] = []
    config_and_document = _collect(lambda: load_config(inputs), errors)
    semantics = _collect(lambda: load_semantics(inputs), errors)
    home = _collect(lambda: load_home_registry(inputs, semantics), errors) if semantics else None
    registry = home
    if semantics and inputs.registry is not None:
        registry = _collect(lambda: load_registry(inputs, semantics), errors)
    if errors or config_and_document is None or semantics is None or home is None or registry is None:
        problems = [problem for error in errors for problem in error.problems]
        raise type(errors[0])(problems)
    config, config_document = config_and_document
    platform = platform_series(_yaml(inputs.root, "registry/platform.yaml").data)
    known = catalog(registry, platform)
    documents = dict(_folder(inputs.root, ("dashboards", "alerts")))
    documents["registry/scaling.yaml"] = _optional(inputs.root, "registry/scaling.yaml")
    return Sources(
        registry=registry,
        config=config,
        catalog=known,
        resolver=Resolver(registry, home, known, frozenset(semantics.later)),
        thresholds=read_thresholds(documents[THRESHOLDS], config, config_document),
        documents=documents,
        boards=_boards(inputs.root, documents.values()),
        alerts=_alerts(inputs.root, documents.values()),
        config_document=config_document,
    )


def _boards(root: Path, documents: Iterable[Document]) -> tuple[BoardSpec, ...]:
    """Return the boards of dashboards/; raise SpecInvalidError with the problems of all of them."""
    json_schema = load_schema(root, "registry/dashboard.schema.json")
    found: list[BoardSpec] = []
    problems: list[Problem] = []
    for document in documents:
        if document.source.startswith("dashboards/"):
            try:
                found.append(read_board(document, json_schema))
            except SpecInvalidError as error:
                problems += error.problems
    if problems:
        raise SpecInvalidError(problems)
    return tuple(found)


def _alerts(root: Path, documents: Iterable[Document]) -> tuple[GroupSpec, ...]:
    """Return the groups of alerts/; raise SpecInvalidError with the problems of all of them."""
    json_schema = load_schema(root, "registry/alerts.schema.json")
    return read_groups(
        (
            document
            for document in documents
            if document.source.startswith("alerts/") and document.source != THRESHOLDS
        ),
        json_schema,
    )


def _collect(read: Callable[[], _T], errors: list[ObsError]) -> _T | None:
    try:
        return read()
    except ObsError as error:
        errors.append(error)
        return None


def _folder(root: Path, names: Iterable[str]) -> Iterable[tuple[str, Document]]:
    problems: list[Problem] = []
    for name in names:
        for path in sorted((root / name).glob("*.yaml")):
            shown = f"{name}/{path.name}"
            try:
                yield shown, load_yaml(read_text(path), shown)
            except UnreadableError:
                raise
            except ObsError as error:
                problems += error.problems
    if problems:
        raise SpecInvalidError(problems)


def _optional(root: Path, name: str) -> Document:
    path = root / name
    return load_yaml(read_text(path), name) if path.exists() else Document(name, {})


def _yaml(root: Path, name: str) -> Document:
    return load_yaml(read_text(root / name), name)
