"""A whole installation on one machine: a synthetic fleet, a Prometheus with the generated rules, and the preview."""

from __future__ import annotations

import contextlib
import shutil
import socket
import subprocess
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from obs.adapters.emit_server import EmitServer, open_server
from obs.adapters.emit_targets import prometheus_config
from obs.adapters.live_fleet import LiveFleet, Settings
from obs.adapters.mutants import find_mutant
from obs.adapters.preview_server import PreviewServer, open_preview
from obs.adapters.prometheus_api import PrometheusApi
from obs.adapters.registries import Inputs
from obs.adapters.sources import load_sources
from obs.adapters.tree import apply_plan, make_plan
from obs.emit.tree import render
from obs.errors import Problem, UnreadableError
from obs.specs.sources import Sources
from obs.synth.plan import Plan
from obs.synth.plan import make_plan as make_fleet
from obs.synth.scenario import Scenario
from obs.synth.world import make_world

SCRAPE = 1  # seconds: a demonstration shows what it does at once
SPEED = 2.0  # model seconds a second
FOR_FACTOR = 0.05  # of every alert's `for`: minutes become seconds
RANGE = "15m"
REFRESH = "5s"
RULE_FILES = ("recording.yaml", "alerts.yaml")  # those of generated/rules that a plain Prometheus reads
READY = 60.0  # seconds a Prometheus may take to answer

CYCLE = (
    (Scenario.STEADY, 60.0),
    (Scenario.BURST, 60.0),
    (Scenario.CLAIM_CONTENTION, 30.0),
    (Scenario.DRAINING, 60.0),
    (Scenario.INTEL_OUTAGE, 40.0),
    (Scenario.STEADY, 40.0),
    (Scenario.STUCK, 40.0),
    (Scenario.BUDGET_EXHAUSTION, 40.0),
    (Scenario.CRASHLOOP, 60.0),
    (Scenario.IDLE, 40.0),
)
"""Scenarios in turn, each for so many seconds."""

_HOW_TO_GET = (
    "install it (Debian: apt-get install prometheus; macOS: brew install prometheus; others: "
    "https://prometheus.io/download) or name it with --prometheus"
)


@dataclass(frozen=True, slots=True)
class Demo:
    """A running demonstration and where its parts answer."""

    fleet: EmitServer
    preview: PreviewServer
    prometheus: str
    process: subprocess.Popen[bytes]
    folder: Path

    def play(self, cycle: bool, stop: threading.Event, say: Callable[[str], None]) -> None:
        """Go through the scenarios until `stop` is set; raise UnreadableError when Prometheus dies."""
        turn = 0
        while not stop.is_set():
            if cycle:
                scenario, seconds = CYCLE[turn % len(CYCLE)]
                self.fleet.fleet.switch(scenario)
                say(f"scenario {scenario}")
            else:
                seconds = 3600.0
            self._wait(stop, seconds)
            turn += 1

    def _wait(self, stop: threading.Event, seconds: float) -> None:
        until = time.monotonic() + seconds
        while time.monotonic() < until and not stop.wait(0.2):
            if self.process.poll() is not None:
                raise UnreadableError(
                    [Problem("prometheus", f"ended with {self.process.returncode}", _log(self.folder))]
                )


def find_prometheus(named: str | None) -> str:
    """Return the program to run; raise UnreadableError with how to get it when there is none."""
    program = shutil.which(named or "prometheus")
    if program is None:
        raise UnreadableError([Problem(named or "prometheus", "is not installed here", _HOW_TO_GET)])
    return program


def demo_sources(inputs: Inputs, agents: int, fleets: int | None) -> tuple[Sources, Plan]:
    """Return sources as `obs generate` has them, quickened for a demonstration, and the plan of its fleet."""
    sources = load_sources(inputs)
    plan = make_fleet(sources.config, agents, fleets, seed=1, tick=SPEED)
    config = replace(
        sources.config,
        fleets=plan.fleets,
        prometheus=replace(sources.config.prometheus, scrape_interval=SCRAPE, evaluation_interval=SCRAPE),
        grafana=replace(sources.config.grafana, default_range=RANGE, refresh=REFRESH),
        alerting=replace(sources.config.alerting, for_factor=FOR_FACTOR),
    )
    return replace(sources, config=config), plan


@contextmanager
def running(
    sources: Sources, plan: Plan, program: str, address: tuple[str, int], scenario: Scenario
) -> Iterator[Demo]:
    """Run everything inside the block; whatever happens, nothing is left behind."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="obs-demo-")))
        apply_plan(folder / "deploy", make_plan(folder / "deploy", render(sources)))
        live = LiveFleet(make_world(plan, scenario), Settings(sources.registry, speed=SPEED), time.monotonic)
        fleet = open_server(live, "127.0.0.1:0", find_mutant)
        stack.enter_context(_served(fleet))
        port = _free_port()
        process = stack.enter_context(_prometheus(program, folder, port, _config(sources, fleet, folder)))
        api = PrometheusApi(f"http://127.0.0.1:{port}")
        preview = open_preview(folder / "deploy" / "dashboards", api, address, time.time)
        stack.enter_context(_served(preview))
        yield Demo(fleet, preview, api.address, process, folder)


def _config(sources: Sources, fleet: EmitServer, folder: Path) -> bytes:
    named = (folder / "deploy" / "rules" / name for name in RULE_FILES)
    rules = [str(path) for path in named if path.exists()]
    return prometheus_config(sources.registry, fleet.address, f"{SCRAPE}s", platform=True, rules=rules)


@contextmanager
def _served(server: EmitServer | PreviewServer) -> Iterator[None]:
    thread = threading.Thread(target=server.serve, daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.stop()
        thread.join()


@contextmanager
def _prometheus(program: str, folder: Path, port: int, config: bytes) -> Iterator[subprocess.Popen[bytes]]:
    (folder / "prometheus.yml").write_bytes(config)
    command = [
        program,
        f"--config.file={folder / 'prometheus.yml'}",
        f"--storage.tsdb.path={folder / 'data'}",
        f"--web.listen-address=127.0.0.1:{port}",
    ]
    with (folder / "prometheus.log").open("wb") as log:
        # A session of its own: Ctrl-C reaches obs alone, which ends Prometheus in its turn.
        process = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)  # noqa: S603
        try:
            _until_ready(process, f"http://127.0.0.1:{port}/-/ready", folder)
            yield process
        finally:
            process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(10)
            process.kill()
            process.wait()


def _until_ready(process: subprocess.Popen[bytes], url: str, folder: Path) -> None:
    until = time.monotonic() + READY
    while time.monotonic() < until and process.poll() is None:
        with contextlib.suppress(OSError), urllib.request.urlopen(url, timeout=2):  # noqa: S310  # our own address
            return
        time.sleep(0.1)
    raise UnreadableError([Problem("prometheus", "did not become ready", _log(folder))])


def _log(folder: Path) -> str:
    """Return the last line Prometheus wrote."""
    lines = (folder / "prometheus.log").read_text(errors="replace").splitlines()
    return lines[-1] if lines else "it wrote nothing"


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
