"""What a real Prometheus server drops: the parser's word `fatal` against the server's."""

from __future__ import annotations

import json
import socket
import subprocess
import threading
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from obs.exposition import DiagnosisKind
from tests.exposition.faults import FAULTS, SOUND
from tests.tools import require

pytestmark = pytest.mark.tools

PATIENCE = 60  # seconds until the server has scraped every body once
# Version 3 reads these, version 2 drops the scrape; the parser speaks of version 3 and says so in the message.
SINCE_VERSION_3 = {DiagnosisKind.QUOTED_NAME, DiagnosisKind.MISPLACED_EXEMPLAR}


@dataclass(frozen=True, slots=True)
class Served:
    """One body a server scrapes, and whether it is expected to drop it."""

    name: str
    content_type: str
    body: bytes
    dropped: bool


BODIES = (
    *(Served(str(f), f.content_type, f.body, f.fatal) for f in FAULTS if f.kind not in SINCE_VERSION_3),
    *(Served(f"sound-{name}", media, body.encode(), dropped=False) for name, (media, body) in SOUND.items()),
)


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        served = BODIES[int(self.path.split("/")[1])]
        self.send_response(200)
        self.send_header("Content-Type", served.content_type)
        self.send_header("Content-Length", str(len(served.body)))
        self.end_headers()
        self.wfile.write(served.body)

    def log_message(self, *_: object) -> None:
        """Keep quiet."""


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _job(number: int, port: int) -> dict[str, object]:
    target = [{"targets": [f"127.0.0.1:{port}"]}]
    return {"job_name": str(number), "metrics_path": f"/{number}/metrics", "static_configs": target}


@pytest.fixture(scope="module")
def health(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[int, str]]:
    """Run a Prometheus server against all bodies; yield what it says of each: "" when it stored the scrape."""
    program = require("prometheus")
    folder = tmp_path_factory.mktemp("prometheus")
    targets = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    threading.Thread(target=targets.serve_forever, daemon=True).start()
    jobs = [_job(number, targets.server_port) for number in range(len(BODIES))]
    config = folder / "prometheus.yml"
    config.write_text(
        json.dumps({"global": {"scrape_interval": "1s", "scrape_timeout": "1s"}, "scrape_configs": jobs})
    )
    port = _free_port()
    command = [
        program,
        f"--config.file={config}",
        f"--storage.tsdb.path={folder / 'data'}",
        f"--web.listen-address=127.0.0.1:{port}",
    ]
    with (folder / "log").open("w") as log, subprocess.Popen(command, stderr=log, stdout=log) as server:
        try:
            yield _wait(port, folder / "log")
        finally:
            server.terminate()
            targets.shutdown()
            targets.server_close()


def _wait(port: int, log: Path) -> dict[int, str]:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        time.sleep(0.5)
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/v1/targets") as answer:
                targets = json.load(answer)["data"]["activeTargets"]
        except OSError:
            continue
        if len(targets) == len(BODIES) and all(one["health"] != "unknown" for one in targets):
            return {int(one["scrapePool"]): one["lastError"] for one in targets}
    pytest.fail(f"the server did not scrape everything in {PATIENCE} s: {log.read_text()[-2000:]}")


@pytest.mark.parametrize("number", range(len(BODIES)), ids=[one.name for one in BODIES])
def test_fatal_is_what_a_server_drops(number: int, health: dict[int, str]) -> None:
    """A scrape is dropped exactly when the parser says so; the server's own words are in the failure."""
    assert bool(health[number]) is BODIES[number].dropped, health[number]
