"""Reads a metrics registry and its semantics from disk.

On its own, because the sidecar and `obs lint` start with it and must stay small: no jsonschema, no PromQL parser.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from obs.adapters.files import read_text
from obs.adapters.resources import data_folder
from obs.documents.load import load_yaml
from obs.errors import RegistryInvalidError
from obs.model.metric import Registry
from obs.registry.parse import parse_registry
from obs.registry.semantics import SemanticsTable, read_semantics


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
    """Return `registry/semantics.yaml`; raise RegistryInvalidError when it breaks its schema.

    The packaged file is not validated again on every start: the test suite has done it.
    """
    name = "registry/semantics.yaml"
    document = load_yaml(read_text(inputs.root / name), name)
    if inputs.folder is not None:
        from obs.adapters.schemas import load_schema  # noqa: PLC0415  # jsonschema is slow to import
        from obs.documents import schema  # noqa: PLC0415

        problems = schema.problems(document, load_schema(inputs.root, "registry/semantics.schema.json"))
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
