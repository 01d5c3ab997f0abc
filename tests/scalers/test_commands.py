"""The commands around scalers: `obs lint` over YAML files, and `obs generate` that refuses."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from obs.checks.scaling.examples import CLAIM, edited
from tests.home import REPO
from tests.scalers.fleets import CLAIM as CLAIM_FLEET
from tests.scalers.fleets import with_scaling


def lint(*files: Path) -> subprocess.CompletedProcess[str]:
    """Run the command as a user does."""
    command = [sys.executable, "-m", "obs", "lint", *map(str, files)]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=REPO)


def test_a_scaler_is_judged_with_the_line_and_the_way_out(tmp_path: Path) -> None:
    """The report shows the line of the file with carets under the key, and what to write instead."""
    file = tmp_path / "scaler.yaml"
    file.write_text(edited(CLAIM, ('activationThreshold: "0"', 'activationThreshold: "1"')))
    done = lint(file)
    assert done.returncode == 1
    line = next(n for n, text in enumerate(CLAIM.splitlines(), 1) if "activationThreshold" in text)
    assert f"{file}:{line}:9: error[K003 activation-strands]" in done.stdout
    assert "^" * len("activationThreshold") in done.stdout
    assert 'set `activationThreshold: "0"`' in done.stdout


def test_a_good_scaler_is_clean(tmp_path: Path) -> None:
    """Exit code 0."""
    file = tmp_path / "scaler.yaml"
    file.write_text(CLAIM)
    assert lint(file).returncode == 0


def test_files_are_judged_together(tmp_path: Path) -> None:
    """A workload that sets its replicas is reported only beside its scaler."""
    scaler, workload = tmp_path / "scaler.yaml", tmp_path / "workload.yaml"
    scaler.write_text(CLAIM)
    workload.write_text(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: inbox-workers, namespace: agents}\n"
        "spec:\n  replicas: 3\n  template: {spec: {terminationGracePeriodSeconds: 90}}\n"
    )
    done = lint(scaler, workload)
    assert done.returncode == 1
    assert f"{workload}:5:3: error[K015 replicas-owned-twice]" in done.stdout


def test_a_file_without_a_scaler_is_not_called_clean(tmp_path: Path) -> None:
    """Nothing was judged: exit code 4, and a line that says so."""
    file = tmp_path / "workload.yaml"
    file.write_text("apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: x}\n")
    done = lint(file)
    assert done.returncode == 4
    assert "no ScaledObject" in done.stderr


def test_a_refusal_writes_nothing(tmp_path: Path) -> None:
    """Exit code 2, every problem on its own line, and not even a folder."""
    config = tmp_path / "obs.yaml"
    config.write_text(with_scaling(CLAIM_FLEET, activation=1, scale_down_window="2h"))
    out = tmp_path / "deploy"
    command = [sys.executable, "-m", "obs", "generate", "--config", str(config), "--out", str(out)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=REPO)
    assert done.returncode == 2
    lines = done.stderr.splitlines()
    assert sorted(line.split(": ")[2] for line in lines) == ["K003", "K023"]
    assert all(f"{config}:" in line for line in lines)
    assert not out.exists()
