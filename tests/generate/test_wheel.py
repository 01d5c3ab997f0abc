"""The installed package does the main job anywhere, with the same bytes as a checkout."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile

import pytest

from tests.generate.test_cli import obs, tree
from tests.home import REPO


def run(*command, cwd, env=None):
    """Run a command; its output is the failure message."""
    done = subprocess.run([*map(str, command)], cwd=cwd, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.slow
def test_the_wheel_in_a_fresh_environment_makes_the_same_tree(tmp_path):
    """Build, install into a new virtual environment, run in an empty directory, compare byte by byte."""
    run(sys.executable, "-m", "build", "--wheel", "--outdir", tmp_path / "dist", REPO, cwd=tmp_path)
    (wheel,) = (tmp_path / "dist").glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert "obs/_data/registry/metrics.registry.json" in names
    assert "obs/py.typed" in names
    assert not [name for name in names if name.startswith(("tests/", "generated/", "benchmarks/"))]

    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    run(sys.executable, "-m", "venv", tmp_path / "venv", cwd=tmp_path)
    bin_ = tmp_path / "venv" / "bin"
    run(
        bin_ / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", wheel, cwd=tmp_path
    )
    empty = tmp_path / "empty"
    empty.mkdir()
    run(bin_ / "obs", "generate", "--out", "deploy/", cwd=empty, env=environment)
    obs("generate", "--out", tmp_path / "checkout")
    assert tree(empty / "deploy") == tree(tmp_path / "checkout")
    assert "51 metrics" in run(bin_ / "obs", "registry", "validate", cwd=empty, env=environment)
