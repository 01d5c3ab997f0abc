"""The packaged registry, at once: what starts often reads no JSON and no YAML for it."""

from __future__ import annotations

from binascii import crc32
from pathlib import Path

from obs.adapters.resources import data_folder
from obs.model.metric import Registry

FILES = ("registry/metrics.registry.json", "registry/semantics.yaml")
"""The files that `obs.registry.packaged` holds in a form that loads at once."""


def packaged_registry() -> Registry:
    """Return the packaged registry, joined with the packaged semantics.

    It is parsed only when a file is not the one that `obs.registry.packaged` was made from, so that an edit counts.
    """
    from obs.registry import packaged  # noqa: PLC0415 - not for those who bring their own

    if checksums(data_folder()) == packaged.FILES:
        return packaged.REGISTRY
    from obs.adapters.registries import Inputs, load_registry, load_semantics  # noqa: PLC0415 - reads YAML

    inputs = Inputs()
    return load_registry(inputs, load_semantics(inputs))


def checksums(folder: Path) -> dict[str, int]:
    """Return the CRC-32 of each of `FILES` under `folder`; -1 for one that cannot be read."""
    return {name: _checksum(folder / name) for name in FILES}


def _checksum(path: Path) -> int:
    try:
        return crc32(path.read_bytes())
    except OSError:
        return -1
