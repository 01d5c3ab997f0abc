"""`obs simulate` as people and CI meet it."""

from __future__ import annotations

import csv
import json
import os
import pty
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from obs.documents.load import load_yaml
from obs.sim.scaled_object import read

if TYPE_CHECKING:
    from tests.conftest import Golden

DATA = Path(__file__).parent / "data"
GOLDEN = Path(__file__).parent / "golden"
BASE = ("inbox.yaml", "--load", "burst.csv", "--work", "4m", "--capacity", "4", "--drain", "16m")


def obs(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command in the folder with the test's files."""
    return subprocess.run(
        [sys.executable, "-m", "obs", "simulate", *arguments],
        cwd=DATA,
        env={"PYTHONPATH": str(DATA.parents[2]), "PATH": "", "COLUMNS": "100"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.mark.parametrize(
    ("name", "arguments", "code"),
    [
        ("summary", (*BASE, "--why"), 0),
        ("compare", (*BASE, "--compare", "blind.yaml"), 0),
        ("faults", (*BASE, "--faults", "outage:5m-20m,slow-start:0s-1h:60s,crash:14m:1", "--why"), 0),
        ("budget", (*BASE, "--budget", "p95_wait<5m,interrupted==0,cost<0.1"), 1),
        ("broken", ("broken.yaml", "--load", "burst.csv", "--work", "4m"), 2),
        ("flags", ("inbox.yaml", "--work", "soon", "--faults", "outge:1-2", "--victims", "oldest"), 2),
        ("shape", ("inbox.yaml", "--load", "brust", "--work", "4m"), 2),
        ("typo", ("inbox.yaml", "--load", "burst", "--work", "4m", "--peak", "1e9"), 2),
        ("missing", ("nothing.yaml", "--load", "burst", "--work", "4m"), 3),
    ],
)
def test_transcripts(name: str, arguments: tuple[str, ...], code: int, golden: Golden) -> None:
    """The command prints exactly this, and ends with this code."""
    run = obs(*arguments)
    assert run.returncode == code
    golden(GOLDEN / f"{name}.txt", f"$ obs simulate {' '.join(arguments)}\n{run.stdout}{run.stderr}")


def test_json_holds_what_the_text_says() -> None:
    """The JSON output has summary, changes and budget of every run."""
    run = obs(*BASE, "--format", "json", "--compare", "blind.yaml", "--budget", "left==0")
    found = json.loads(run.stdout)
    assert [one["scaled_object"] for one in found["runs"]] == ["inbox", "blind"]
    assert found["runs"][0]["summary"]["items"] == 61
    assert found["runs"][0]["changes"][0]["rule"] == "keda-activated"
    assert found["budget"] == [{"condition": "left==0", "holds": True}]


def test_timelines_and_pictures(tmp_path: Path) -> None:
    """Files are written in the format that their names say; both timelines tell the same."""
    for name in ("t.csv", "t.json"):
        assert obs(*BASE, "--timeline", str(tmp_path / name)).returncode == 0
    for name in ("p.svg", "p.html"):
        assert obs(*BASE, "--picture", str(tmp_path / name)).returncode == 0
    rows = list(csv.DictReader((tmp_path / "t.csv").read_text().splitlines()))
    timeline = json.loads((tmp_path / "t.json").read_text())["timeline"]
    assert [int(row["replicas"]) for row in rows] == [row["replicas"] for row in timeline]
    assert [float(row["metric backlog"] or -1) for row in rows] == [
        -1 if row["metrics"][0] is None else row["metrics"][0] for row in timeline
    ]
    assert (tmp_path / "p.svg").read_text().startswith("<svg")
    assert (tmp_path / "p.html").read_text().startswith("<!DOCTYPE html>")


def test_a_file_that_cannot_be_written(tmp_path: Path) -> None:
    """A picture into a folder that is not there is a usage error, in one line."""
    run = obs(*BASE, "--picture", str(tmp_path / "no" / "p.svg"))
    assert run.returncode == 2
    assert run.stderr.count("\n") == 1
    assert "cannot be written" in run.stderr


def test_a_file_with_several(tmp_path: Path) -> None:
    """Of several ScaledObjects one must be named; documents of other kinds are passed over."""
    both = tmp_path / "all.yaml"
    other = "kind: TriggerAuthentication\nmetadata: {name: token}\n"
    both.write_text(
        "---\n".join(((DATA / "inbox.yaml").read_text(), other, (DATA / "blind.yaml").read_text()))
    )
    arguments = (str(both), "--load", "burst.csv", "--work", "4m")
    assert "choose with --name: inbox, blind" in obs(*arguments).stderr
    assert obs(*arguments, "--name", "blind").stdout.split()[0] == "blind"
    assert "it has inbox, blind" in obs(*arguments, "--name", "x").stderr


def test_tuning_prints_a_scaled_object() -> None:
    """The output of a search is YAML that can be applied; what was found stands above it as comments."""
    run = obs(*BASE, "--tune", "--points", "30", "--seeds", "2", "--jobs", "1", "--slo", "5m")
    assert run.returncode == 0
    assert run.stderr == ""
    assert run.stdout.startswith("# ")
    assert read(load_yaml(run.stdout, "stdout").data).name == "inbox"


def test_help_shows_an_example() -> None:
    """The help has an example that a reader can change."""
    assert "Example: obs simulate" in obs("--help").stdout


def test_a_closed_pipe_is_no_traceback() -> None:
    """`| head` ends the command without a word."""
    run = subprocess.run(
        f"{sys.executable} -m obs simulate {' '.join(BASE)} --why | head -1",
        shell=True,
        cwd=DATA,
        env={"PYTHONPATH": str(DATA.parents[2]), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert run.stderr == ""


def test_ctrl_c_ends_a_search_without_a_traceback() -> None:
    """Ctrl-C during a search with several processes ends all of them, quietly, with the shell's code for it."""
    terminal, theirs = pty.openpty()
    arguments = (*BASE, "--tune", "--points", "5000", "--jobs", "2")
    with subprocess.Popen(
        [sys.executable, "-m", "obs", "simulate", *arguments],
        cwd=DATA,
        env={"PYTHONPATH": str(DATA.parents[2]), "PATH": ""},
        stdout=subprocess.DEVNULL,
        stderr=theirs,
        start_new_session=True,
    ) as run:
        seen = b""
        while b"points" not in seen:
            seen += os.read(terminal, 1000)
        os.killpg(run.pid, signal.SIGINT)
        assert run.wait(timeout=120) == 128 + signal.SIGINT
    os.close(theirs)
    with suppress(OSError):  # Linux says so when the other end is closed and everything was read
        while said := os.read(terminal, 1000):
            seen += said
    os.close(terminal)
    assert b"Traceback" not in seen
    assert seen.endswith(b"\r")


def test_an_empty_budget_passes_nothing() -> None:
    """A variable of CI that is not set does not make a run without conditions a passed one."""
    done = obs(*BASE, "--budget", "")
    assert (done.returncode, done.stdout) == (2, "")
    assert "--budget: there is no condition" in done.stderr


def test_a_load_without_end_is_refused_in_a_line(tmp_path: Path) -> None:
    """A number with three hundred digits is not printed as such."""
    load = tmp_path / "load.csv"
    load.write_text("time,arrivals\n0,1e300\n")
    done = obs("inbox.yaml", "--load", str(load), "--work", "60s")
    assert done.returncode == 2
    assert "1e+300 items are more than the simulator follows" in done.stderr
