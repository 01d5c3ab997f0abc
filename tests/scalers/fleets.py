"""Configurations for the tests: obs.yaml as text, read and rendered as `obs generate` does."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

from obs.adapters.resources import data_folder
from obs.adapters.sources import Inputs, load_sources
from obs.checks.scaling.rule import Facts
from obs.documents.load import load_all_yaml, load_json, load_yaml
from obs.emit.scalers import ScalersEmitter
from obs.errors import ConfigInvalidError
from obs.model.artifact import Artifact
from obs.specs.config import read_config
from obs.specs.sources import Sources
from obs.specs.thresholds import read_thresholds

CLAIM = """\
fleets:
  - name: workers
    mode: claim
    replicas: {min: 0, max: 20}
    capacity: 4
    drain_timeout: 60s
    grace_period: 90s
    backlog: {namespace: agents, service: coord}
"""
REACTIVE = """\
fleets:
  - name: reactors
    mode: reactive
    replicas: {min: 2, max: 10}
    capacity: 5
"""
PUSH = """\
fleets:
  - name: workers
    mode: claim
    replicas: {min: 0, max: 20}
    backlog: {namespace: agents, service: coord}
    scaler: external-push
    external: {address: "scaler.agents.svc:9100", coordination_url: "http://coord.agents.svc/"}
"""


@cache
def packaged() -> Sources:
    """Return the sources of the packaged registry and example configuration."""
    return load_sources(Inputs())


@cache
def _data(folder: str, name: str) -> str:
    return (data_folder() / folder / name).read_text()


def sources(text: str) -> Sources:
    """Return the packaged sources with the configuration in `text`."""
    document = load_yaml(text, "obs.yaml")
    config = read_config(document, dict(load_json(_data("registry", "obs.schema.json"), "schema")))
    thresholds = read_thresholds(
        load_yaml(_data("alerts", "thresholds.yaml"), "thresholds"), config, document
    )
    return replace(packaged(), config=config, config_document=document, thresholds=thresholds)


def generate(text: str) -> dict[str, Artifact]:
    """Return the scaler artifacts of a configuration by path."""
    return {artifact.path: artifact for artifact in ScalersEmitter().emit(sources(text))}


def scaled_object(text: str) -> dict[str, Any]:
    """Return the one ScaledObject of a configuration."""
    found = [
        document.data
        for artifact in generate(text).values()
        if artifact.kubernetes
        for document in load_all_yaml(artifact.content.decode(), artifact.path)
        if document.data["kind"] == "ScaledObject"
    ]
    assert len(found) == 1
    return dict(found[0])


def refusals(text: str) -> list[str]:
    """Return the problems a configuration is refused with, as a person sees them; none when it is accepted."""
    try:
        generate(text)
    except ConfigInvalidError as error:
        return [str(problem) for problem in error.problems]
    return []


def with_scaling(text: str, **settings: object) -> str:
    """Return the configuration with settings under `scaling:` of its (one) fleet."""
    lines = "".join(f"      {key}: {value}\n" for key, value in settings.items())
    return f"{text}    scaling:\n{lines}"


def facts(keda: tuple[int, int] | None = None) -> Facts:
    """Return what the rules know of the packaged registry."""
    return Facts(packaged().catalog, keda=keda)
