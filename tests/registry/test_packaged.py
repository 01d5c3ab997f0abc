"""The packaged registry as Python is the packaged registry as data, and never out of date."""

from __future__ import annotations

from pathlib import Path

import pytest

from obs.adapters import packaged as adapter
from obs.adapters.registries import Inputs, load_registry
from obs.registry import packaged
from obs.registry.freeze import as_python
from tests.conftest import Golden
from tests.home import REPO, semantics


@pytest.mark.golden
def test_the_module_is_current(golden: Golden) -> None:
    """The module is what the registry and its semantics make today."""
    registry = load_registry(Inputs(), semantics())
    text = as_python(registry, adapter.checksums(REPO))
    golden(REPO / "obs" / "registry" / "packaged.py", text)


def test_the_module_is_the_registry() -> None:
    """Every value, in every field, is that of the parsed registry."""
    assert load_registry(Inputs(), semantics()) == packaged.REGISTRY
    assert adapter.packaged_registry() is packaged.REGISTRY


def test_an_edited_file_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever edits the packaged files gets what they wrote, not what was remembered."""
    folder = tmp_path / "registry"
    folder.mkdir()
    for name in adapter.FILES:
        text = (REPO / name).read_text()
        (tmp_path / name).write_text(text.replace("Agents up", "Agents that are up"))
    monkeypatch.setattr(adapter, "data_folder", lambda: tmp_path)
    monkeypatch.setattr("obs.adapters.registries.data_folder", lambda: tmp_path)
    found = adapter.packaged_registry()
    assert found.by_name["agent_up"].semantics.title == "Agents that are up"
