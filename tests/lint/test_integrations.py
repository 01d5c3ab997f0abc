"""The pre-commit hook and the GitHub Action do what their documentation says: their command lines are run."""

from __future__ import annotations

import os
import shlex
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from obs.documents.load import load_yaml
from tests.home import REPO
from tests.lint.commands import READY, lone_registry

HOOKS = REPO / ".pre-commit-hooks.yaml"
ACTION = REPO / "action.yml"


@pytest.fixture
def path_with_obs(tmp_path: Path) -> dict[str, str]:
    """An environment in which `obs` is the one of this checkout, as after an installation."""
    folder = tmp_path / "bin"
    folder.mkdir()
    script = folder / "obs"
    script.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m obs "$@"\n')
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    return {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}", "PYTHONPATH": str(REPO)}


def load(path: Path) -> Any:
    """The data of a YAML file."""
    return load_yaml(path.read_text(), path.name).data


@pytest.mark.parametrize(("text", "code"), [(READY, 0), ("acme_load 0,5\nacme_load 1\n", 1)])
def test_the_hook(tmp_path: Path, path_with_obs: dict[str, str], text: str, code: int) -> None:
    """pre-commit appends `args` and the changed files to `entry`; a bad file fails the commit."""
    (hook,) = load(HOOKS)
    assert hook["id"] == "obs-lint"
    body = tmp_path / "golden.prom"
    body.write_text(text)
    command = [*shlex.split(hook["entry"]), "--select", "format,style", str(body)]
    ran = subprocess.run(command, env=path_with_obs, cwd=tmp_path, capture_output=True, check=False)
    assert ran.returncode == code, ran.stderr


def run_action(folder: Path, env: dict[str, str], **given: str) -> subprocess.CompletedProcess[str]:
    """Run the last step of the action as a runner does: its script in bash, its inputs as variables."""
    action = load(ACTION)
    step = action["runs"]["steps"][-1]
    values = {name: str(spec.get("default", "")) for name, spec in action["inputs"].items()}
    values |= {name.replace("_", "-"): value for name, value in given.items()}
    variables = {
        name: values[expression.removeprefix("${{ inputs.").removesuffix(" }}")]
        for name, expression in step["env"].items()
    }
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
    return subprocess.run(
        command, env={**env, **variables}, cwd=folder, capture_output=True, text=True, check=False
    )


def test_the_action_annotates(tmp_path: Path, path_with_obs: dict[str, str]) -> None:
    """Findings in files are workflow commands with the right level; several inputs and options are taken."""
    (tmp_path / "good.txt").write_text(READY)
    (tmp_path / "bad.txt").write_text(READY + "acme_load 0,5\n# TYPE acme_size gauge\nacme_size 1\n")
    registry = lone_registry(tmp_path)
    given = {"inputs": "good.txt\n  bad.txt", "arguments": f"--registry={registry}\n--ignore=OBS409\n"}
    ran = run_action(tmp_path, path_with_obs, **given)
    assert ran.returncode == 1
    assert "::error file=bad.txt,line=4,col=11" in ran.stdout
    assert "::warning file=bad.txt,line=5" in ran.stdout
    assert run_action(tmp_path, path_with_obs, **{**given, "inputs": "good.txt"}).returncode == 0


def test_an_input_of_the_action_is_no_command(tmp_path: Path, path_with_obs: dict[str, str]) -> None:
    """What a user passes in is data: it is not run, and an option cannot be smuggled in through a file name."""
    ran = run_action(tmp_path, path_with_obs, inputs="$(touch pwned) ; `touch pwned`")
    assert ran.returncode == 3
    assert not (tmp_path / "pwned").exists()


def test_the_action_installs_itself_only() -> None:
    """The action needs nothing but Python and this repository, and hands inputs over as variables."""
    action = load(ACTION)
    steps = action["runs"]["steps"]
    assert [step["uses"].split("@")[0] for step in steps if "uses" in step] == ["actions/setup-python"]
    assert all("${{" not in step.get("run", "") for step in steps)


def test_the_documentation_names_every_input() -> None:
    """docs/lint.md describes the hook's id and each input of the action."""
    text = (REPO / "docs" / "lint.md").read_text()
    assert "id: obs-lint" in text
    for name in load(ACTION)["inputs"]:
        assert f"`{name}`" in text
