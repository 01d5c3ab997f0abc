"""A whole installation on one machine: a synthetic fleet, its checker, a Prometheus with the rules, the preview."""

from __future__ import annotations

import contextlib
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
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

AGENTS_A_SECOND = 40  # scrapes a second that leave room for everything else on two processors
SPEED = 2.0  # model seconds a second
FOR_FACTOR = 0.05  # of every alert's `for`: minutes become seconds
RANGE = "15m"
REFRESH = "5s"
RULE_FILES = ("recording.yaml", "alerts.yaml")  # those of generated/rules that a plain Prometheus reads
READY = 60.0  # seconds a Prometheus may take to answer


@dataclass(frozen=True, slots=True)
class Turn:
    """A part of the demonstration: a scenario for so many seconds, and a rule that one agent breaks meanwhile."""

    scenario: Scenario
    seconds: float
    mutant: str = ""


CYCLE = (
    Turn(Scenario.STEADY, 60),
    Turn(Scenario.BURST, 60),
    Turn(Scenario.CLAIM_CONTENTION, 30),
    Turn(Scenario.DRAINING, 60),
    Turn(Scenario.STEADY, 40, "value-outside-domain"),
    Turn(Scenario.INTEL_OUTAGE, 40),
    Turn(Scenario.STEADY, 40),
    Turn(Scenario.STUCK, 40),
    Turn(Scenario.BUDGET_EXHAUSTION, 40),
    Turn(Scenario.CRASHLOOP, 60),
    Turn(Scenario.IDLE, 40),
)
"""What a demonstration goes through, again and again."""

BROKEN_AGENT = 2  # which one breaks rules

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
    sidecar: str
    processes: Mapping[str, subprocess.Popen[bytes]]
    folder: Path

    def play(self, cycle: bool, stop: threading.Event, say: Callable[[str], None]) -> None:
        """Go through the scenarios until `stop` is set; raise UnreadableError when a process dies."""
        turn = 0
        while not stop.is_set():
            now = CYCLE[turn % len(CYCLE)]
            if cycle:
                say(self._begin(now))
            self._wait(stop, now.seconds)
            turn += 1

    def _begin(self, turn: Turn) -> str:
        """Switch to a turn and return what to say about it."""
        live = self.fleet.fleet
        live.switch(turn.scenario)
        live.mutate(None)
        if not turn.mutant or len(live.world.agents) <= BROKEN_AGENT:
            return f"scenario {turn.scenario}"
        live.mutate(find_mutant(turn.mutant), [BROKEN_AGENT])
        return f"scenario {turn.scenario}, and agent {BROKEN_AGENT} breaks {turn.mutant}"

    def _wait(self, stop: threading.Event, seconds: float) -> None:
        until = time.monotonic() + seconds
        while time.monotonic() < until and not stop.wait(0.2):
            for name, process in self.processes.items():
                if process.poll() is not None:
                    said = f"ended with {process.returncode}"
                    raise UnreadableError([Problem(name, said, _log(self.folder, name))])


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
        prometheus=replace(
            sources.config.prometheus, scrape_interval=_scrape(plan), evaluation_interval=_scrape(plan)
        ),
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
        ports = _free_port(), _free_port()
        checker, server = (f"127.0.0.1:{port}" for port in ports)
        processes = {
            "sidecar": _sidecar(fleet, checker, _scrape(plan)),
            "prometheus": _prometheus(program, folder, server, _config(sources, fleet, folder, checker)),
        }
        started = {
            name: stack.enter_context(_process(name, command, folder)) for name, command in processes.items()
        }
        _until_ready(started["prometheus"], f"http://{server}/-/ready", folder)
        preview = open_preview(
            folder / "deploy" / "dashboards", PrometheusApi(f"http://{server}"), address, time.time
        )
        stack.enter_context(_served(preview))
        yield Demo(fleet, preview, f"http://{server}", f"http://{checker}", started, folder)


def _scrape(plan: Plan) -> int:
    """Return the seconds between scrapes: one for a small fleet, more for one that a machine cannot serve so often."""
    return max(1, len(plan.agents) // AGENTS_A_SECOND)


def _config(sources: Sources, fleet: EmitServer, folder: Path, checker: str) -> bytes:
    named = (folder / "deploy" / "rules" / name for name in RULE_FILES)
    rules = [str(path) for path in named if path.exists()]
    interval = f"{sources.config.prometheus.scrape_interval}s"
    return prometheus_config(
        sources.registry, fleet.address, interval, platform=True, rules=rules, checkers=[checker]
    )


def _sidecar(fleet: EmitServer, listen: str, interval: int) -> list[str]:
    targets = f"http://{fleet.address}/targets/agents.json"
    command = [sys.executable, "-m", "obs", "sidecar", "--http-sd", targets, "--listen", listen]
    return [*command, "--interval", f"{interval}s", "--timeout", f"{interval}s"]


def _prometheus(program: str, folder: Path, listen: str, config: bytes) -> list[str]:
    (folder / "prometheus.yml").write_bytes(config)
    return [
        program,
        f"--config.file={folder / 'prometheus.yml'}",
        f"--storage.tsdb.path={folder / 'data'}",
        f"--web.listen-address={listen}",
    ]


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
def _process(name: str, command: list[str], folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    with (folder / f"{name}.log").open("wb") as log:
        # A session of its own: Ctrl-C reaches obs alone, which ends the others in its turn.
        process = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)  # noqa: S603
        try:
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
    raise UnreadableError([Problem("prometheus", "did not become ready", _log(folder, "prometheus"))])


def _log(folder: Path, name: str) -> str:
    """Return the last line a process wrote."""
    lines = (folder / f"{name}.log").read_text(errors="replace").splitlines()
    return lines[-1] if lines else "it wrote nothing"


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
