"""Judges that nobody here wrote: Grafana's schema, Grafana's SDK, and the rules dashboards are linted by."""

from __future__ import annotations

import importlib.util
import json
import os
import warnings
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.dashboards.boards import home_models

BOARDS = sorted(home_models())
DRILL = "obs-instance"


def check(name: str) -> ModuleType:
    """Return a check script of the shared folder as a module."""
    shared = os.environ.get("OBS_SHARED")
    if not shared:
        pytest.skip("OBS_SHARED does not name the folder of shared checks")
    spec = importlib.util.spec_from_file_location(name, Path(shared) / "checks" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("uid", BOARDS)
def test_property_01_valid_against_grafanas_schema(uid: str) -> None:
    """A board breaks nothing in Grafana's schema of dashboards, panels and queries."""
    module = check("grafana_schema")
    assert list(module.defects(home_models()[uid], module.dashboard_schema())) == []


@pytest.mark.parametrize("uid", BOARDS)
def test_property_24_lint_clean(uid: str) -> None:
    """A board passes the rules that Grafana's community lints dashboards by, with no exclusion."""
    module = check("dashboard_lint")
    board = home_models()[uid]
    found = [*module.variable_findings(board, {DRILL}), *module.panel_findings(board)]
    assert found == []


def through_the_sdk(board: dict[str, Any]) -> Any:
    """Return a board as Grafana's SDK writes it after reading it, panels by their own types."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # the SDK would rather have the newer model
        from grafana_foundation_sdk.cog.encoder import JSONEncoder  # noqa: PLC0415  # it warns when imported
        from grafana_foundation_sdk.cog.plugins import register_default_plugins  # noqa: PLC0415  # as above
        from grafana_foundation_sdk.models.dashboard import Dashboard  # noqa: PLC0415  # as above

        register_default_plugins()
        return json.loads(json.dumps(Dashboard.from_json(board), cls=JSONEncoder))


def lost(before: Any, after: Any, path: str = "$") -> list[str]:
    """Return the paths of what `before` has and `after` lacks."""
    if isinstance(before, dict):
        found = []
        for key, value in before.items():
            if not isinstance(after, dict) or key not in after:
                found.append(f"{path}.{key}")
            else:
                found += lost(value, after[key], f"{path}.{key}")
        return found
    if isinstance(before, list):
        if not isinstance(after, list) or len(after) != len(before):
            return [path]
        pairs = zip(before, after, strict=True)
        return [each for index, (a, b) in enumerate(pairs) for each in lost(a, b, f"{path}[{index}]")]
    return [] if before == after else [f"{path}: {before!r} became {after!r}"]


@pytest.mark.parametrize("uid", BOARDS)
def test_property_02_round_trip_through_the_sdk(uid: str) -> None:
    """Grafana's SDK reads a board and writes it again without losing a key but the empty id."""
    board = home_models()[uid]
    again = through_the_sdk(board)
    assert [path for path in lost(board, again) if path != "$.id"] == []


def test_the_oracle_sees_a_lost_key() -> None:
    """The comparison would notice: a key that Grafana does not know does not survive the SDK."""
    board = dict(home_models()["obs-cost"], unheardOf=1)
    again = through_the_sdk(board)
    assert "$.unheardOf" in lost(board, again)
