"""The registry for people: every metric in its group, what it means, and where it is used."""

from __future__ import annotations

from collections.abc import Iterable

from obs.emit.base import markdown_header
from obs.model.artifact import Artifact, ArtifactKind
from obs.model.metric import DomainKind, Kind, Label, Metric, Presence
from obs.specs.sources import Sources

_HISTOGRAM_PARTS = ("_bucket", "_sum", "_count")


def metrics_page(sources: Sources, artifacts: Iterable[Artifact]) -> Artifact:
    """Return `docs/metrics.md`; `artifacts` say which series they read."""
    used = usage(artifacts)
    registry = sources.registry
    lines = [
        "# Metrics",
        "",
        markdown_header(sources),
        "",
        f"{len(registry.metrics)} metrics of registry {registry.schema_version} (sha256 `{registry.sha256}`).",
        f"An agent may expose {registry.series_per_instance} series; see `lint/cardinality.yaml`.",
        "",
    ]
    for group in registry.groups:
        lines += [f"## {group}", ""]
        for metric in registry.metrics:
            if metric.semantics.group == group:
                lines += _section(metric, used)
    return Artifact(
        ArtifactKind.DOCS,
        "docs/metrics.md",
        ("\n".join(lines).rstrip() + "\n").encode(),
        summary="the registry for people, with where each metric is used",
    )


def usage(artifacts: Iterable[Artifact]) -> dict[str, list[str]]:
    """Return the places that read each series, by series name."""
    used: dict[str, list[str]] = {}
    for artifact in artifacts:
        for series, place in artifact.uses:
            places = used.setdefault(series, [])
            if place not in places:
                places.append(place)
    return used


def _section(metric: Metric, used: dict[str, list[str]]) -> list[str]:
    semantics = metric.semantics
    names = [metric.name]
    if metric.kind is Kind.HISTOGRAM:
        names += [metric.name + part for part in _HISTOGRAM_PARTS]
    places = sorted({place for name in names for place in used.get(name, [])})
    facts = [
        f"- {metric.kind}, unit `{metric.unit}`, {metric.status}, {_presence(metric)}",
        f"- labels: {_labels(metric.labels)}",
        f"- over instances: {semantics.aggregation}; at most {metric.series_per_instance} series an instance",
    ]
    facts += [f"- {title}: {text}" for title, text in _extras(metric) if text]
    facts.append(
        "- used in: " + ("; ".join(escape(place) for place in places) if places else "nothing generated here")
    )
    return [f"### `{metric.name}`", "", escape(metric.help), "", *facts, ""]


def _extras(metric: Metric) -> Iterable[tuple[str, str]]:
    semantics = metric.semantics
    yield "normal", escape(semantics.normal)
    yield "otherwise", escape(semantics.act)
    yield "in place of it", f"`{semantics.replaced_by}`" if semantics.replaced_by else ""
    yield "scaling", escape(metric.scaling_role)
    yield "also called", ", ".join(f"`{alias}`" for alias in metric.aliases)
    yield "note", escape(metric.note)


def _presence(metric: Metric) -> str:
    semantics = metric.semantics
    words = {
        Presence.ALWAYS: "always there after warm-up",
        Presence.LAZY: "appears with its first event",
        Presence.CONDITIONAL: f"there when {semantics.condition or 'its source is'}",
        Presence.UNBUILT: "declared, not emitted",
    }
    return words[semantics.presence]


def _labels(labels: tuple[Label, ...]) -> str:
    if not labels:
        return "none"
    return "; ".join(f"`{label.key}` ({_values(label)})" for label in labels)


def _values(label: Label) -> str:
    if label.domain.kind is DomainKind.CLOSED:
        return ", ".join(escape(value) for value in label.domain.values)
    return f"at most {label.domain.size} values"


_MARKDOWN = str.maketrans({char: f"\\{char}" for char in "\\`*_[]<>|#"})


def escape(text: str) -> str:
    """Return `text` as Markdown that shows it literally, on one line."""
    return " ".join(text.translate(_MARKDOWN).split())
