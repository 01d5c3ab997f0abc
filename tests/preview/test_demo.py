"""`obs demo` where something is missing, and what it leaves behind."""

from __future__ import annotations

import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from obs.adapters.demo import CYCLE, demo_sources
from obs.adapters.mutants import find_mutant
from obs.adapters.registries import Inputs
from obs.synth.scenario import Scenario
from tests.tools import require

DEMO = (sys.executable, "-m", "obs", "demo", "--listen", "127.0.0.1:0")


def _folders() -> set[Path]:
    return set(Path(tempfile.gettempdir()).glob("obs-demo-*"))


def test_without_a_prometheus_it_says_how_to_get_one():
    """No program is exit code 3 and one line with the ways to install it."""
    done = subprocess.run(
        [*DEMO, "--prometheus", "no-such-program"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 3
    assert done.stderr.count("\n") == 1
    assert "apt-get install prometheus" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--scenario", "brust"), "did you mean `burst`"),
        (("--agents", "0"), "choose 1 to"),
        (("--listen", "x"), "address"),
    ],
)
def test_a_wrong_command_line_starts_nothing(arguments, said):
    """What cannot be carried out is said before anything runs."""
    done = subprocess.run(
        [*DEMO, "--prometheus", sys.executable, *arguments], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert said in done.stderr
    assert "boards" not in done.stdout


def test_a_prometheus_that_will_not_run_is_said(tmp_path):
    """A program that ends at once is exit code 3 with its last words, and nothing is left behind."""
    program = tmp_path / "prometheus"
    program.write_text("#!/bin/sh\necho 'I will not' >&2\nexit 1\n")
    program.chmod(0o755)
    before = _folders()
    done = subprocess.run([*DEMO, "--prometheus", str(program)], capture_output=True, text=True, check=False)
    assert done.returncode == 3
    assert "I will not" in done.stderr
    assert _folders() == before


def test_a_demonstration_is_quick_and_complete():
    """Sources are those of `obs generate`, for the fleet that runs, with alerts that need seconds, not minutes."""
    sources, plan = demo_sources(Inputs(), 12, 3)
    assert sources.config.fleets == plan.fleets
    assert sources.config.prometheus.scrape_interval == 1
    assert sources.config.alerting.for_factor < 0.1
    large, _ = demo_sources(Inputs(), 400, 3)
    assert large.config.prometheus.scrape_interval == 10


def test_the_turns_show_every_scenario():
    """No scenario is left out, and the rules that are broken exist."""
    assert {turn.scenario for turn in CYCLE} == set(Scenario)
    assert [find_mutant(turn.mutant).slug for turn in CYCLE if turn.mutant]


@pytest.mark.tools
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_nothing_is_left_behind(number):
    """After Ctrl-C and SIGTERM there is no process, no folder, no word on stderr, and the exit code is 0."""
    require("prometheus")
    before = _folders()
    with subprocess.Popen(DEMO, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        while not process.stdout.readline().startswith("scenario"):
            assert process.poll() is None, process.communicate()[1]
        (folder,) = _folders() - before
        process.send_signal(number)
        _, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (0, "")
    assert _folders() == before
    running = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    assert str(folder) not in running
