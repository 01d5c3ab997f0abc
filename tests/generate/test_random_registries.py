"""Any registry of the published shape makes a valid tree or is refused with a JSON path; never a traceback.

OBS_EXAMPLES sets how many are drawn. Of every few trees one has its rules' unit tests run: they take ten times as long
as all the rest.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import zlib
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest
import yaml
from hypothesis import HealthCheck, Phase, given, settings

from obs.adapters.registries import Inputs
from obs.adapters.sources import load_sources
from obs.adapters.tree import apply_plan, make_plan
from obs.emit.tree import render
from obs.errors import RegistryInvalidError
from tests.strategies import registries
from tests.tools import require

EXAMPLES = int(os.environ.get("OBS_EXAMPLES", "15"))


@cache
def acceptance(name: str) -> ModuleType | None:
    """A script of the published acceptance checks, where they are at hand."""
    if "OBS_SHARED" not in os.environ:
        return None
    path = Path(os.environ["OBS_SHARED"]) / "checks" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@cache
def crd_validators():
    """One validator a kind."""
    module = acceptance("crd_schema")
    return module.validators() if module else {}


@cache
def dashboard_schema():
    """Grafana's own schema."""
    module = acceptance("grafana_schema")
    return module.dashboard_schema() if module else None


def check_dashboards(out: Path) -> None:
    """Every board passes Grafana's schema and the community's lint rules."""
    schema, lint = acceptance("grafana_schema"), acceptance("dashboard_lint")
    for path in sorted((out / "dashboards").glob("*.json")):
        board = json.loads(path.read_text())
        assert board["panels"], path
        if schema and lint:
            assert list(schema.defects(board, dashboard_schema())) == [], path
            single = {board["uid"]} if board["uid"].startswith("obs-instance") else set()
            assert [*lint.variable_findings(board, single), *lint.panel_findings(board)] == [], path


def check_objects(out: Path) -> None:
    """Every Kubernetes object whose kind has a CRD passes it; every YAML file loads."""
    for path in sorted(out.rglob("*.yaml")):
        for document in yaml.safe_load_all(path.read_text()):
            validator = crd_validators().get((document.get("apiVersion"), document.get("kind")))
            if validator is not None:
                assert [error.message for error in validator.iter_errors(document)] == [], path


def promtool(*words: object) -> None:
    """Run promtool; its output is the failure message."""
    done = subprocess.run(
        [require("promtool"), *map(str, words)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def check_tree(out: Path, *, unit_tests: bool) -> None:
    """The whole tree is what its readers accept."""
    check_dashboards(out)
    check_objects(out)
    rules = out / "rules"
    if rules.exists():
        promtool("check", "rules", rules / "recording.yaml", rules / "alerts.yaml")
        tests = sorted((rules / "tests").glob("*.yaml"))
        if tests and unit_tests:
            promtool("test", "rules", *tests)
    # Debian builds promtool without Kubernetes discovery, so the file-based twin stands in for both
    promtool("check", "config", "--syntax-only", out / "scrape" / "prometheus-files.yaml")


@pytest.mark.slow
@pytest.mark.tools
@pytest.mark.timeout(0)
@settings(
    max_examples=EXAMPLES,
    deadline=None,
    phases=[
        Phase.explicit,
        Phase.reuse,
        Phase.generate,
    ],  # to shrink a tree that takes a second takes an hour
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
)
@given(registries())
def test_a_random_registry_makes_a_valid_tree_or_is_refused(tmp_path_factory, data):
    """Names clash, labels and units are odd, the prefix is another: valid output or a JSON path."""
    folder = tmp_path_factory.mktemp("registry")
    path = folder / "r.json"
    path.write_text(json.dumps(data))
    try:
        sources = load_sources(Inputs(registry=path))
    except RegistryInvalidError as error:
        assert all("$" in problem.where for problem in error.problems)
        return
    out = folder / "deploy"
    apply_plan(out, make_plan(out, render(sources)))
    turn = zlib.crc32(path.read_bytes())
    check_tree(out, unit_tests=turn % (20 if EXAMPLES > 100 else 5) == 0)
