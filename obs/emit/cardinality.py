"""The cardinality rules as data: what `obs lint --rules` and anybody else may check a scrape against."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from obs.documents.dump import to_yaml
from obs.emit.base import header
from obs.model.artifact import Artifact, ArtifactKind
from obs.model.metric import DomainKind, Label, Metric
from obs.specs.sources import Sources

FORMAT = 1
"""Version of this file's shape; raised when a reader would have to change."""


class CardinalityEmitter:
    """`lint/cardinality.yaml`: allowed labels, values and series of each metric, forbidden labels, the whole budget."""

    kind: ClassVar[ArtifactKind] = ArtifactKind.LINT

    def emit(self, sources: Sources) -> Iterator[Artifact]:
        """Yield the one file."""
        yield Artifact(
            self.kind,
            "lint/cardinality.yaml",
            to_yaml(_rules(sources), header=header(sources)),
            summary="allowed labels, values and series of each metric, for `obs lint --rules`",
        )


def _rules(sources: Sources) -> dict[str, Any]:
    registry = sources.registry
    return {
        "version": FORMAT,
        "registry": {"metrics_schema": registry.schema_version, "sha256": registry.sha256},
        "forbidden_labels": list(registry.forbidden_labels),
        "max_series_per_instance": registry.series_per_instance,
        "metrics": {metric.name: _rule(metric) for metric in registry.metrics},
    }


def _rule(metric: Metric) -> dict[str, Any]:
    return {
        "type": str(metric.kind),
        "status": str(metric.status),
        "labels": {label.key: _values(label) for label in metric.labels},
        "max_series_per_instance": metric.series_per_instance,
    }


def _values(label: Label) -> dict[str, Any]:
    domain = label.domain
    if domain.kind is DomainKind.CLOSED:
        return {"values": list(domain.values)}
    return {"max_values": domain.size}
