"""The packaged inputs, loaded once for the tests that need them."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from obs.adapters.registries import Inputs, load_semantics
from obs.adapters.sources import load_sources
from obs.model.metric import Registry
from obs.registry.parse import parse_registry
from obs.registry.semantics import SemanticsTable
from obs.specs.sources import Sources

REPO = Path(__file__).resolve().parent.parent


@cache
def semantics() -> SemanticsTable:
    """The packaged semantics."""
    return load_semantics(Inputs())


@cache
def sources() -> Sources:
    """The packaged sources with the example configuration."""
    return load_sources(Inputs())


def registry_data() -> dict[str, Any]:
    """A fresh copy of the packaged registry as JSON, to break."""
    return dict(json.loads((REPO / "registry" / "metrics.registry.json").read_text()))


def parsed(data: Any) -> Registry:
    """The registry that `data` makes; raises as the product does."""
    return parse_registry(json.dumps(data), "r.json", semantics())
