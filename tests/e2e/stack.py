"""The servers of an end-to-end test: each a process of its own on a free port, stopped by its own id."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import yaml

from tests.home import REPO
from tests.tools import require

START = 120.0  # seconds a server may take to answer on a busy machine


@dataclass(frozen=True)
class Told:
    """One alert in one notification: who was told, whether it is firing or resolved, what it is about."""

    receiver: str
    status: str
    alert: str
    fleet: str
    severity: str


@dataclass
class Webhook:
    """Keeps what an Alertmanager tells it; the last part of the path is the receiver's name."""

    address: str = ""
    told: list[Told] = field(default_factory=list)

    def hear(self, path: str, body: Any) -> None:
        """Keep the alerts of one notification."""
        self.told += [
            Told(
                path.rpartition("/")[2],
                alert["status"],
                alert["labels"]["alertname"],
                alert["labels"].get("fleet", ""),
                alert["labels"]["severity"],
            )
            for alert in body["alerts"]
        ]


@contextmanager
def webhook() -> Iterator[Webhook]:
    """Run a receiver of notifications."""
    heard = Webhook()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            heard.hear(self.path, json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    heard.address = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield heard
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@dataclass(frozen=True)
class Stack:
    """Where everything answers."""

    emit: str
    prometheus: str
    alertmanager: str
    webhook: Webhook

    def switch(self, scenario: str, fleet: str) -> None:
        """Let a fleet go through a scenario from now on."""
        url = f"{self.emit}/scenario/{scenario}?fleet={fleet}"
        urllib.request.urlopen(urllib.request.Request(url, method="PUT"), timeout=30).close()

    def ask(self, query: str) -> list[tuple[dict[str, str], float]]:
        """Return the labels and the value of each series of an instant query."""
        address = f"{self.prometheus}/api/v1/query?{urllib.parse.urlencode({'query': query})}"
        return [(one["metric"], float(one["value"][1])) for one in get(address)["data"]["result"]]

    def silenced(self) -> set[tuple[str, str]]:
        """Return (fleet, alert) of what is inhibited at this moment."""
        return {
            (alert["labels"].get("fleet", ""), alert["labels"]["alertname"])
            for alert in get(f"{self.alertmanager}/api/v2/alerts")
            if alert["status"]["inhibitedBy"]
        }


def get(url: str) -> Any:
    """Return the JSON at an address."""
    with urllib.request.urlopen(url, timeout=30) as reply:
        return json.load(reply)


def until(true: Callable[[], bool], seconds: float) -> bool:
    """Return whether it comes true in time; a server that does not answer yet is not true."""
    end = time.monotonic() + seconds
    while True:
        try:
            if true():
                return True
        except OSError:
            pass
        if time.monotonic() > end:
            return False
        time.sleep(0.5)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def _process(command: list[str], log: Path) -> Iterator[subprocess.Popen[str]]:
    environment = {**os.environ, "PYTHONPATH": str(REPO)}
    with (
        log.open("w") as errors,
        subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=errors, text=True, cwd=log.parent, env=environment
        ) as process,
    ):
        try:
            yield process
        finally:
            process.terminate()


@contextmanager
def running(folder: Path, config: str, *, agents: int, speed: float) -> Iterator[Stack]:
    """Run a fleet, a Prometheus and an Alertmanager with what `obs generate` makes of an obs.yaml."""
    prometheus, alertmanager = require("prometheus"), require("prometheus-alertmanager")
    settings, tree = folder / "obs.yaml", folder / "deploy"
    settings.write_text(config)
    obs = [sys.executable, "-m", "obs"]
    subprocess.run([*obs, "generate", "-c", str(settings), "-o", str(tree)], check=True, cwd=REPO, stdout=-3)
    with ExitStack() as parts:
        told = parts.enter_context(webhook())
        fleet = [
            *obs, "emit", "-c", str(settings), "-n", str(agents), "--listen", "127.0.0.1:0", "--speed", str(speed),
        ]  # fmt: skip
        emit = parts.enter_context(_process(fleet, folder / "emit.log"))
        assert emit.stdout is not None
        emitting = emit.stdout.readline().removeprefix("listening on ").split()[0]
        here = Stack(emitting, f"http://127.0.0.1:{_free_port()}", f"http://127.0.0.1:{_free_port()}", told)
        _configure(tree, here)
        for name, command in (
            (
                "alertmanager",
                [
                    alertmanager,
                    f"--config.file={tree}/rules/alertmanager-here.yaml",
                    f"--storage.path={folder}/alertmanager",
                    "--cluster.listen-address=",
                ],
            ),
            (
                "prometheus",
                [
                    prometheus,
                    f"--config.file={tree}/scrape/prometheus-here.yaml",
                    f"--storage.tsdb.path={folder}/data",
                    "--log.level=warn",
                ],
            ),
        ):
            address = getattr(here, name)
            listen = f"--web.listen-address={address.removeprefix('http://')}"
            parts.enter_context(_process([*command, listen], folder / f"{name}.log"))
            log = folder / f"{name}.log"
            assert until(lambda at=address: _ready(at), START), log.read_text()
        yield here


def _ready(address: str) -> bool:
    with urllib.request.urlopen(f"{address}/-/ready", timeout=5):
        return True


def _configure(tree: Path, here: Stack) -> None:
    """Complete the generated configurations: targets, the platform's jobs, and addresses of this machine."""
    scrape = tree / "scrape"
    (scrape / "targets").mkdir()
    for job in ("agents", "coordination", "kubernetes", "keda"):
        targets = get(f"{here.emit}/targets/{job}.json")
        (scrape / "targets" / f"{job}.json").write_text(json.dumps(targets))
    server = yaml.safe_load((scrape / "prometheus-files.yaml").read_text())
    server["scrape_configs"] += [
        {
            "job_name": job,
            "honor_labels": job == "kubernetes",  # its series name the namespaces of other objects
            "file_sd_configs": [{"files": [f"targets/{job}.json"]}],
        }
        for job in ("kubernetes", "keda")
    ]
    target = here.alertmanager.removeprefix("http://")
    server["alerting"] = {"alertmanagers": [{"static_configs": [{"targets": [target]}]}]}
    (scrape / "prometheus-here.yaml").write_text(yaml.safe_dump(server))
    manager = yaml.safe_load((tree / "rules" / "alertmanager.yaml").read_text())
    manager["route"] |= {"group_wait": "5s", "group_interval": "5s"}
    for route in manager["route"]["routes"]:
        if route["receiver"] == "log":
            route["group_wait"] = (
                "1s"  # a first failure is told at once, or the alert it leads to silences it
            )
    for receiver in manager["receivers"]:
        for hook in receiver["webhook_configs"]:
            hook["url"] = f"{here.webhook.address}/{receiver['name']}"
    (tree / "rules" / "alertmanager-here.yaml").write_text(yaml.safe_dump(manager))
