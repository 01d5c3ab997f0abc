"""What all rules cost a real Prometheus that watches a thousand agents, by its own account.

One endpoint stands for the agents: every stable series of each, with the labels of a target. It is scraped every two
seconds at first, so that within minutes a window of half an hour holds as many samples as at the usual fifteen; then as
seldom as usual, and the quickest of several evaluations of each group counts.
"""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import yaml

from benchmarks.measure import Row
from obs.adapters.registries import Inputs
from obs.adapters.sources import load_sources
from obs.emit.rules import RulesEmitter
from obs.model.metric import Kind, Metric, Presence, Status, Unit
from obs.specs.sources import Sources

AGENTS = 1000
FILLING, USUAL = 2, 30
MINUTES = 3
LOOKS = 15
_DURATION = re.compile(
    r'^prometheus_rule_group_last_duration_seconds\{rule_group="[^;]*;obs-([^"]*)"\} (\S+)$', re.MULTILINE
)


def rows() -> list[Row]:
    """Return the seconds that one evaluation of all rules takes; nothing where there is no Prometheus."""
    if shutil.which("prometheus") is None:
        return []
    sources = load_sources(Inputs())
    with tempfile.TemporaryDirectory() as temporary, agents(sources) as target:
        folder = Path(temporary)
        _write(folder, sources)
        _configure(folder, target, FILLING)
        with prometheus(folder) as (process, address):
            time.sleep(MINUTES * 60)
            _configure(folder, target, USUAL)
            process.send_signal(signal.SIGHUP)
            before, began = _cpu(address), time.monotonic()
            took = _quickest(address)
            cycles = (time.monotonic() - began) / USUAL
            cpu = (_cpu(address) - before) / cycles
    slowest = ", ".join(f"{group} {took[group]:.2f}" for group in sorted(took, key=took.__getitem__)[:-4:-1])
    detail = (
        f"{_series(sources) * AGENTS:,} series; {len(took)} groups, the slowest: {slowest};"
        f" the server's CPU for one evaluation and one scrape: {cpu:.2f}s"
    )
    return [
        Row(f"rules over {AGENTS:,} agents, one evaluation in s", sum(took.values()), 1, "the budget", detail)
    ]


def _cpu(address: str) -> float:
    """Return the CPU seconds that a Prometheus has used, which other work on the machine does not lengthen."""
    text = urllib.request.urlopen(f"{address}/metrics").read().decode()
    return float(re.search(r"^process_cpu_seconds_total (\S+)$", text, re.MULTILINE)[1])


def _quickest(address: str) -> dict[str, float]:
    """Return the least seconds that each group took over a few evaluations."""
    took: dict[str, float] = {}
    for _ in range(LOOKS):
        time.sleep(10)
        text = urllib.request.urlopen(f"{address}/metrics").read().decode()
        for group, seconds in _DURATION.findall(text):
            took[group] = min(took.get(group, float(seconds)), float(seconds))
    return took


def _series(sources: Sources) -> int:
    return sum(metric.series_per_instance for metric in _stable(sources))


def _stable(sources: Sources) -> tuple[Metric, ...]:
    return sources.registry.with_status(Status.STABLE)


@contextmanager
def agents(sources: Sources) -> Iterator[str]:
    """Serve the series of all agents; yield host:port."""
    heads = list(_heads(sources))
    started = time.time()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            counted = int((time.time() - started) / 120)
            body = "".join(f"{head}{counted if level is None else level}\n" for head, level in heads).encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/plain; version=0.0.4")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()


def _heads(sources: Sources) -> Iterator[tuple[str, int | None]]:
    """Yield each line without its value, and the level of what does not count: a sound fleet, so that nothing fires."""
    for number in range(AGENTS):
        target = f'namespace="agents",fleet="fleet-{number % 20}",pod="pod-{number}",instance="10.0.0.{number}:9090"'
        yield f"up{{{target}}} ", 1
        for metric in _stable(sources):
            if metric.semantics.presence is Presence.LAZY and number % 10:
                continue  # a series appears with its first event, which few agents have seen
            for labels in _children(metric):
                yield f"{metric.name}{{{target}{labels}}} ", _level(metric)


def _level(metric: Metric) -> int | None:
    if metric.kind is Kind.COUNTER:
        return None
    if metric.unit is Unit.BOOL:
        return metric.semantics.healthy or 0
    return {"memory_max_bytes": 2, "memory_current_bytes": 1}.get(metric.name.partition("_")[2], 0)


def _children(metric: Metric) -> Iterator[str]:
    if not metric.labels:
        yield ""
        return
    label = metric.labels[0]
    values = label.domain.values or tuple(f"server-{slot}" for slot in range(label.domain.size))
    yield from (f',{label.key}="{value}"' for value in values)


def _write(folder: Path, sources: Sources) -> None:
    for artifact in RulesEmitter().emit(sources):
        if artifact.path in ("rules/recording.yaml", "rules/alerts.yaml"):
            (folder / Path(artifact.path).name).write_bytes(artifact.content)


def _configure(folder: Path, target: str, scrape: int) -> None:
    job = {
        "job_name": "agents",
        "honor_labels": True,
        "scrape_interval": f"{scrape}s",
        "scrape_timeout": f"{scrape}s",
        "static_configs": [{"targets": [target]}],
    }
    config = {"rule_files": ["recording.yaml", "alerts.yaml"], "scrape_configs": [job]}
    (folder / "prometheus.yaml").write_text(yaml.safe_dump(config))


@contextmanager
def prometheus(folder: Path) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """Run a Prometheus on a free port; yield it and its address."""
    with HTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler) as probe:
        port = probe.server_address[1]
    address = f"127.0.0.1:{port}"
    command = [
        "prometheus",
        f"--config.file={folder / 'prometheus.yaml'}",
        f"--storage.tsdb.path={folder / 'data'}",
        f"--web.listen-address={address}",
    ]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield process, f"http://{address}"
    finally:
        process.terminate()
        process.wait()
