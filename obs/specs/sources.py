"""Everything an emitter may know, in one frozen value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from obs.documents.load import Document
from obs.model.config import Config
from obs.model.metric import Registry
from obs.promql.catalog import Catalog
from obs.specs.alerts import GroupSpec
from obs.specs.boards import BoardSpec
from obs.specs.resolve import Resolver
from obs.specs.thresholds import Threshold


@dataclass(frozen=True, slots=True)
class Sources:
    """The inputs of `obs generate`, parsed.

    `catalog` is what an expression may name; `resolver` turns the names of the packaged sources into metrics of the
    registry in use; `documents` are the declarative files by their path (`alerts/agents.yaml`); `boards` are those of
    dashboards/ and `alerts` the groups of alerts/, read; `config_document` is obs.yaml with the positions of its
    keys, for messages.
    """

    registry: Registry
    config: Config
    catalog: Catalog
    resolver: Resolver
    thresholds: Mapping[str, Threshold]
    documents: Mapping[str, Document]
    boards: tuple[BoardSpec, ...] = ()
    alerts: tuple[GroupSpec, ...] = ()
    config_document: Document = field(default_factory=lambda: Document("obs.yaml", {}))

    def folder(self, name: str) -> tuple[Document, ...]:
        """Return the documents of a folder, sorted by path."""
        return tuple(self.documents[path] for path in sorted(self.documents) if path.startswith(f"{name}/"))
