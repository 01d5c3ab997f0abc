"""What the sidecar costs: resident set, CPU of one scrape and check, time to the first verdict."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

from benchmarks.measure import REPO, Row

YARDSTICK = "import prometheus_client"
SCRAPES = 60


def rows() -> list[Row]:
    """Return the figures of an idle sidecar beside one agent that exposes everything."""
    with agent() as url:
        first = min(_start(url) for _ in range(5))
        with sidecar(url, "--interval", "50ms", "--timeout", "50ms", "--warmup", "0s") as (process, _):
            time.sleep(2)
            resident, cpu = _resident(process.pid), _cpu_of_a_scrape(process.pid)
    yardstick = _idle(YARDSTICK)
    mebi = resident / (1 << 20)
    return [
        Row(
            "sidecar, resident set in MiB",
            mebi,
            30,
            "the budget",
            f"after scrapes of {len(body(0)):,} bytes",
        ),
        Row(
            "sidecar, resident set",
            resident / yardstick,
            1.35,
            f"python -c '{YARDSTICK}'",
            _mebis(resident, yardstick),
        ),
        Row(
            "sidecar, CPU of a scrape and check in ms",
            cpu,
            3,
            "the budget",
            f"{series(body(0))} series, HTTP included",
        ),
        Row(
            "sidecar, start to first verdict in s", first, 0.6, "the budget", "process start to its log line"
        ),
    ]


def _idle(code: str) -> int:
    """Return the resident set of an interpreter that ran `code`, measured as that of the sidecar is."""
    command = [sys.executable, "-c", f"{code}; import sys; print(flush=True); sys.stdin.read()"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        return _resident(process.pid)


def _mebis(one: float, other: float) -> str:
    return f"{one / (1 << 20):.1f} MiB against {other / (1 << 20):.1f} MiB"


def series(text: bytes) -> int:
    """Return how many sample lines a body has."""
    return sum(1 for line in text.splitlines() if line and not line.startswith(b"#"))


def body(turn: int) -> bytes:
    """Return what an agent with every stable and legacy series exposes, counters that move."""
    data = json.loads((REPO / "registry" / "metrics.registry.json").read_text())
    domains = data["closed_label_domains"]
    lines: list[str] = []
    for metric in data["metrics"]:
        if metric["status"] == "provisional":
            continue
        lines += [f"# HELP {metric['name']} {metric['help']}", f"# TYPE {metric['name']} {metric['type']}"]
        lines += (
            f"{metric['name']}{labels} {_value(metric, turn)}" for labels in _label_sets(metric, domains)
        )
    return ("\n".join(lines) + "\n").encode()


def _label_sets(metric: dict[str, list[dict[str, str]]], domains: dict[str, list[str]]) -> Iterator[str]:
    if not metric["labels"]:
        yield ""
    for label in metric["labels"]:
        for value in domains.get(label["domain"], [f"server-{n}" for n in range(15)] + ["other"]):
            yield f'{{{label["key"]}="{value}"}}'


def _value(metric: dict[str, str], turn: int) -> str:
    if metric["unit"] == "bool":
        return "1"
    return "0.5" if metric["unit"] == "ratio" else str(1000 + turn)


@contextmanager
def agent() -> Iterator[str]:
    """Serve the body of a full agent in a thread; yield its URL."""
    bodies = [body(turn) for turn in range(1000)]
    turns = iter(range(1 << 30))

    class Agent(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            content = bodies[min(next(turns), len(bodies) - 1)]
            self.send_response(200)
            self.send_header("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            with suppress(OSError):
                self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Agent) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/metrics"
        server.shutdown()


@contextmanager
def sidecar(url: str, *flags: str) -> Iterator[tuple[subprocess.Popen[bytes], float]]:
    """Run a sidecar on `url`; yield its process and the seconds to its first verdict."""
    command = [sys.executable, "-m", "obs", "sidecar", "--target", url, "--listen", "127.0.0.1:0", *flags]
    started = time.perf_counter()
    process = subprocess.Popen(
        command, cwd=REPO, stderr=subprocess.PIPE, env={**os.environ, "PYTHONPATH": str(REPO)}
    )
    try:
        yield process, _first_verdict(process, started)
    finally:
        process.terminate()
        process.wait()


def _first_verdict(process: subprocess.Popen[bytes], started: float) -> float:
    assert process.stderr is not None
    while select.select([process.stderr], [], [], 10)[0]:
        line = process.stderr.readline()
        if b'"event": "verdict"' in line:
            return time.perf_counter() - started
        if not line:
            break
    raise RuntimeError("the sidecar gave no verdict")


def _resident(pid: int) -> int:
    """Return the resident set of a process in bytes, shared pages included (Linux)."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def _start(url: str) -> float:
    with sidecar(url) as (_, first):
        return first


def _cpu_of_a_scrape(pid: int) -> float:
    """Return the CPU milliseconds of a scrape and check, its HTTP included: the least of five rounds."""
    return min(_round(pid) for _ in range(5))


def _round(pid: int) -> float:
    before = _cpu(pid)
    time.sleep(0.05 * SCRAPES)
    return (_cpu(pid) - before) * 1000 / SCRAPES


def _cpu(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
