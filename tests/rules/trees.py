"""Rules as they are generated, for the tests to look at."""

from __future__ import annotations

from pathlib import Path

import yaml

from obs.adapters.registries import Inputs
from obs.adapters.sources import load_sources
from obs.emit.rules import RulesEmitter


def write_rules(out: Path, inputs: Inputs) -> Path:
    """Write what the emitter of rules makes of `inputs` below `out`."""
    for artifact in RulesEmitter().emit(load_sources(inputs)):
        path = out / artifact.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(artifact.content)
    return out


def deploy(tmp_path: Path, config: str = "", registry: Path | None = None) -> Path:
    """Write the rules for an obs.yaml with this text (empty: the example's) and a registry (None: the frozen one)."""
    path = None
    tmp_path.mkdir(exist_ok=True)
    if config:
        path = tmp_path / "obs.yaml"
        path.write_text(config)
    return write_rules(tmp_path / "deploy", Inputs(registry=registry, config=path))


def alerts_of(out: Path) -> dict[str, dict]:
    """The alerts of a tree by name."""
    groups = yaml.safe_load((out / "rules/alerts.yaml").read_text())["groups"]
    return {rule["alert"]: rule for group in groups for rule in group["rules"]}
