"""The generated boards as JSON, and ways to walk them."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from obs.adapters.sources import Inputs, load_sources
from obs.emit.dashboards import DashboardsEmitter
from obs.model.artifact import Artifact
from obs.model.config import Delivery
from obs.model.metric import Metric
from obs.specs.sources import Sources

REPOSITORY = Path(__file__).resolve().parents[2]

Json = dict[str, Any]


@functools.cache
def home() -> Sources:
    """Return the packaged sources with the example configuration."""
    return load_sources(Inputs(folder=REPOSITORY))


def delivered(sources: Sources, delivery: Delivery) -> tuple[Artifact, ...]:
    """Return the dashboard artifacts for a way of delivery."""
    grafana = replace(sources.config.grafana, delivery=delivery)
    changed = replace(sources, config=replace(sources.config, grafana=grafana))
    return tuple(DashboardsEmitter().emit(changed))


def models(sources: Sources) -> dict[str, Json]:
    """Return the boards of these sources by uid."""
    artifacts = delivered(sources, Delivery.FILES)
    boards = [json.loads(item.content) for item in artifacts if item.path.endswith(".json")]
    return {board["uid"]: board for board in boards}


@functools.cache
def home_models() -> dict[str, Json]:
    """Return the boards of the packaged sources by uid."""
    return models(home())


def panels(board: Json) -> Iterator[Json]:
    """Yield every panel, those in closed rows and the rows themselves included."""
    for panel in board["panels"]:
        yield panel
        yield from panel.get("panels", ())


def data_panels(board: Json) -> Iterator[Json]:
    """Yield the panels that ask for data."""
    return (panel for panel in panels(board) if panel.get("targets"))


def expressions(board: Json) -> Iterator[str]:
    """Yield every query of the panels and annotations of a board."""
    for panel in data_panels(board):
        for target in panel["targets"]:
            yield target["expr"]
    for annotation in board["annotations"]["list"]:
        yield annotation["expr"]


SELECTOR = re.compile(r"([a-zA-Z_:][\w:]*)?\{((?:[^{}\"]|\"(?:[^\"\\]|\\.)*\")*)\}")


def selectors(expr: str) -> Iterator[tuple[str, str]]:
    """Yield (metric name or nothing, matchers) of every selector with braces in an expression."""
    for match in SELECTOR.finditer(expr):
        yield match[1] or "", match[2]


DATASOURCE = {"type": "prometheus", "uid": "${datasource}"}


def metric_of(series: str, sources: Sources | None = None) -> Metric | None:
    """Return the metric of the registry that a series belongs to."""
    by_name = (sources or home()).registry.by_name
    for part in ("", "_bucket", "_sum", "_count"):
        found = by_name.get(series.removesuffix(part) if part and series.endswith(part) else series)
        if found is not None:
            return found
    return None


def is_about(panel: Json, sources: Sources | None = None) -> tuple[Metric, ...]:
    """Return the metrics that the queries of a panel name, in order; a pattern of names counts too."""
    found: list[Metric] = []
    for target in panel["targets"]:
        for name, matchers in selectors(target["expr"]):
            patterns = re.findall(r'__name__=~"([^"]*)"', matchers)
            for each in (name, *(word for pattern in patterns for word in pattern.split("|"))):
                metric = metric_of(each, sources)
                if metric is not None and metric not in found:
                    found.append(metric)
    return tuple(found)
