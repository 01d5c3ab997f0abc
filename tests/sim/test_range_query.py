"""A load from Prometheus: from a server that answers as it should, from ones that do not, and from a real one."""

from __future__ import annotations

import itertools
import json
import socket
import subprocess
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

import pytest

from obs.adapters.simulation import MOST_POINTS, fetch_load
from obs.errors import InvalidInputError, NothingObservedError, UnreadableError, UsageError
from tests.tools import require

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

QUERY = "sum(rate(agentctl_coordination_submitted_total[5m]))"


@contextmanager
def answering(*bodies: object, code: int = 200) -> Iterator[tuple[str, list[dict[str, list[str]]]]]:
    """Serve the bodies one after the other (the last one for ever); yield the address and the queries seen."""
    seen: list[dict[str, list[str]]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            seen.append(urllib.parse.parse_qs(urllib.parse.urlsplit(self.path).query))
            body = bodies[min(len(seen), len(bodies)) - 1]
            text = body if isinstance(body, str) else json.dumps(body)
            self.send_response(code)
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, *_arguments: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/", seen
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def matrix(*series: list[tuple[float, str]]) -> dict[str, object]:
    """Return the answer to a range query."""
    return {
        "status": "success",
        "data": {"resultType": "matrix", "result": [{"metric": {}, "values": one} for one in series]},
    }


def test_a_rate_becomes_arrivals() -> None:
    """The rate of each step times its length arrives in it; a step without a sample brings nothing."""
    with answering(matrix([(940, "0.1"), (1060, "0.05")])) as (address, seen):
        load = fetch_load(address, QUERY, span=60, step=60, end=1000)
    assert (len(load.arrivals), load.duration) == (9, 180)
    assert seen == [{"query": [QUERY], "start": ["940"], "end": ["1000"], "step": ["60"]}]


def test_long_ranges_are_asked_in_parts() -> None:
    """No question asks for more points than Prometheus gives."""
    span = 30_000
    with answering(matrix([(0, "1")])) as (address, seen):
        fetch_load(address, QUERY, span=span, step=1, end=span)
    edges = [(int(one["start"][0]), int(one["end"][0])) for one in seen]
    assert edges[0][0] == 0
    assert edges[-1][1] == span
    assert all(end - start < MOST_POINTS for start, end in edges)
    assert all(after[0] == before[1] + 1 for before, after in itertools.pairwise(edges))


@pytest.mark.parametrize(
    ("body", "code", "error", "message"),
    [
        ({"status": "error", "error": "parse error"}, 400, UnreadableError, "400: parse error"),
        ("<html>teapot</html>", 418, UnreadableError, "418: <html>"),
        ("<html>login</html>", 200, UnreadableError, "cannot be asked"),
        ({"data": None}, 200, UnreadableError, "cannot be asked"),
        (matrix(), 200, NothingObservedError, "no sample in the last 60s"),
        (matrix([(0, "1")], [(0, "1")]), 200, InvalidInputError, "2 series"),
        (matrix([(0, "NaN")]), 200, InvalidInputError, "not a number"),
    ],
)
def test_bad_answers(body: object, code: int, error: type[Exception], message: str) -> None:
    """Whatever is wrong with the answer is said in a line, with the address."""
    with answering(body, code=code) as (address, _), pytest.raises(error, match=message):
        fetch_load(address, QUERY, span=60, step=60, end=1000)


def test_no_server_and_no_address() -> None:
    """A port that nobody listens on and an address of another kind are told apart."""
    with pytest.raises(UnreadableError, match="check the address"):
        fetch_load("http://127.0.0.1:1", QUERY, span=60, end=1000)
    with pytest.raises(UsageError, match="--prometheus"):
        fetch_load("file:///etc/passwd", QUERY, span=60, end=1000)


@pytest.mark.tools
def test_against_a_real_prometheus(tmp_path: Path) -> None:
    """Sixty items a minute for half an hour, recorded by a real Prometheus, come back as that load."""
    promtool, prometheus = require("promtool"), require("prometheus")
    now = int(time.time()) // 60 * 60
    start = now - 7200
    lines = ["# TYPE agentctl_coordination_submitted counter"]
    lines += [
        f"agentctl_coordination_submitted_total {min(max(0, at - start - 1800), 1800)} {at}"
        for at in range(start, start + 5400, 15)
    ]
    (tmp_path / "in.txt").write_text("\n".join([*lines, "# EOF", ""]))
    (tmp_path / "c.yml").write_text("")
    data = tmp_path / "data"
    subprocess.run(
        [promtool, "tsdb", "create-blocks-from", "openmetrics", tmp_path / "in.txt", data],
        check=True,
        capture_output=True,
    )
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    server = subprocess.Popen(
        [
            prometheus,
            f"--config.file={tmp_path / 'c.yml'}",
            f"--storage.tsdb.path={data}",
            f"--web.listen-address=127.0.0.1:{port}",
        ],
        stderr=subprocess.DEVNULL,
    )
    address = f"http://127.0.0.1:{port}"
    try:
        wait_until_ready(address)
        load = fetch_load(address, QUERY, span=7200, step=60, end=now)
    finally:
        server.terminate()
        server.wait()
    assert len(load.arrivals) == pytest.approx(1800, rel=0.02)
    assert load.arrivals[-1] - load.arrivals[0] == pytest.approx(1800 + 300, abs=120)


def wait_until_ready(address: str) -> None:
    """Wait until Prometheus answers questions."""
    for _ in range(300):
        try:
            with urllib.request.urlopen(f"{address}/-/ready", timeout=5):
                return
        except OSError:
            time.sleep(0.1)
    pytest.fail("Prometheus did not become ready")
