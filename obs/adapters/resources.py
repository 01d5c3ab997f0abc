"""Finds the data folders: beside the code in a wheel, at the top of a checkout otherwise."""

from __future__ import annotations

from pathlib import Path


def data_folder() -> Path:
    """Return the folder that holds registry/, dashboards/, alerts/ and examples/."""
    package = Path(__file__).resolve().parent.parent
    packaged = package / "_data"
    return packaged if packaged.is_dir() else package.parent
