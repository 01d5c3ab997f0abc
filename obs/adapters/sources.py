"""Reads the inputs of `obs generate` from disk and hands them to the pure readers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from obs.adapters.files import read_text
from obs.adapters.resources import data_folder
from obs.documents import schema
from obs.documents.load import Document, load_json, load_yaml
from obs.errors import ObsError, Problem, RegistryInvalidError, SpecInvalidError, UnreadableError
from obs.model.config import Config
from obs.model.metric import Registry
from obs.promql.catalog import catalog, platform_series
from obs.registry.parse import parse_registry
from obs.registry.semantics import SemanticsTable, read_semantics
from obs.specs.config import read_config
from obs.specs.resolve import Resolver
from obs.specs.sources import Sources
from obs.specs.thresholds import read_thresholds

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Inputs:
    """Where to read from. None means: what is packaged with obs.

    `folder` holds registry/, dashboards/, alerts/ and examples/; `registry` and `config` are single files.
    """

    registry: Path | None = None
    config: Path | None = None
    folder: Path | None = None

    @property
    def root(self) -> Path:
        """Return the folder of the data files."""
        return self.folder or data_folder()


def load_semantics(inputs: Inputs) -> SemanticsTable:
    """Return `registry/semantics.yaml`; raise RegistryInvalidError when it breaks its schema."""
    document = _yaml(inputs.root, "registry/semantics.yaml")
    problems = schema.problems(document, _schema(inputs.root, "registry/semantics.schema.json"))
    if problems:
        raise RegistryInvalidError(problems)
    return read_semantics(document)


def load_registry(inputs: Inputs, semantics: SemanticsTable) -> Registry:
    """Return the registry in use; the packaged one is checked against its semantics in both directions."""
    if inputs.registry is not None:
        return parse_registry(read_text(inputs.registry), str(inputs.registry), semantics)
    return load_home_registry(inputs, semantics)


def load_home_registry(inputs: Inputs, semantics: SemanticsTable) -> Registry:
    """Return the registry that semantics, boards and alerts are written for."""
    name = "registry/metrics.registry.json"
    registry = parse_registry(read_text(inputs.root / name), name, semantics)
    semantics.check(registry)
    return registry


def load_config(inputs: Inputs) -> tuple[Config, Document]:
    """Return the configuration in use and the document it came from."""
    path = inputs.config or inputs.root / "examples" / "obs.yaml"
    shown = str(inputs.config) if inputs.config else "examples/obs.yaml"
    document = load_yaml(read_text(path), shown)
    return read_config(document, _schema(inputs.root, "registry/obs.schema.json")), document


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
    if errors or config_and_document is None or home is None or registry is None:
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
        resolver=Resolver(registry, home, known),
        thresholds=read_thresholds(_yaml(inputs.root, "alerts/thresholds.yaml"), config, config_document),
        documents=documents,
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


def _schema(root: Path, name: str) -> dict[str, object]:
    loaded = load_json(read_text(root / name), name)
    return dict(loaded)
