"""Reads the JSON Schemas of registry/."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from obs.adapters.files import read_text
from obs.documents.load import load_json


def load_schema(root: Path, name: str) -> dict[str, Any]:
    """Return the schema `name` (such as `registry/obs.schema.json`) under `root`."""
    return dict(load_json(read_text(root / name), name))
