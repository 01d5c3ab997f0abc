"""A real Prometheus scrapes a synthetic fleet with the configuration the fleet hands out."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from obs.documents.load import load_all_yaml
from obs.emit.scalers import ScalersEmitter
from tests.home import sources
from tests.tools import require

pytestmark = pytest.mark.tools

PATIENCE = 90  # seconds until the server has seen what is waited for


@dataclass
class Stack:
    """A fleet and a Prometheus that scrapes it every second."""

    fleet: str
    prometheus: str

    def ask(self, query: str) -> list[tuple[dict[str, str], float]]:
        """Return the labels and value of each series of an instant query."""
        url = f"{self.prometheus}/api/v1/query?{urllib.parse.urlencode({'query': query})}"
        with urllib.request.urlopen(url, timeout=20) as reply:
            found = json.load(reply)["data"]["result"]
        return [(one["metric"], float(one["value"][1])) for one in found]

    def value(self, query: str) -> float:
        """Return the value of a query with one series; NaN when it has none."""
        found = self.ask(query)
        return found[0][1] if found else float("nan")

    def switch(self, path: str) -> None:
        """PUT a switch of the fleet."""
        urllib.request.urlopen(urllib.request.Request(self.fleet + path, method="PUT"), timeout=20).close()


def _until(true: Callable[[], bool], what: str) -> None:
    for _ in range(PATIENCE * 2):
        if true():
            return
        time.sleep(0.5)
    pytest.fail(f"never came true: {what}")


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=5):
            return True
    except OSError:
        return False


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """Run twelve agents in three fleets and a Prometheus that is configured by `/prometheus.yml`."""
    program, folder = require("prometheus"), tmp_path_factory.mktemp("prometheus")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [
        sys.executable,
        "-m",
        "obs",
        "emit",
        "--agents",
        "12",
        "--fleets",
        "3",
        "--listen",
        "127.0.0.1:0",
    ]
    with subprocess.Popen([*command, "--speed", "5"], stdout=subprocess.PIPE, text=True) as emit:
        assert emit.stdout is not None
        url = emit.stdout.readline().removeprefix("listening on ").split()[0]
        with urllib.request.urlopen(f"{url}/prometheus.yml?scrape_interval=1s", timeout=20) as reply:
            Path(folder / "prometheus.yml").write_bytes(reply.read())
        with subprocess.Popen(
            [
                program,
                f"--config.file={folder}/prometheus.yml",
                f"--storage.tsdb.path={folder}/data",
                f"--web.listen-address=127.0.0.1:{port}",
            ],
            stderr=subprocess.DEVNULL,
        ) as server:
            here = Stack(url, f"http://127.0.0.1:{port}")
            _until(lambda: _answers(f"{here.prometheus}/-/ready"), "Prometheus is ready")
            yield here
            server.terminate()
        emit.terminate()


def test_every_target_is_up(stack):
    """All agents, servers and the platform are scraped without an error."""
    _until(
        lambda: stack.value("count(up == 1)") == 18, "12 agents, 2 backlogs, 2 scalers, the platform's two"
    )
    assert stack.value("count(agent_up == 1)") == 12
    assert {labels["fleet"] for labels, _ in stack.ask("count by (fleet) (agent_up)")} == {
        "inbox-workers",
        "alert-reactors",
        "inbox-workers-2",
    }


def test_objects_keep_their_own_namespace(stack):
    """Series of kube-state-metrics name the object's namespace, KEDA's the exported one, as a cluster has them."""
    _until(lambda: stack.value("count(kube_deployment_spec_replicas)") == 3, "the platform is scraped")
    assert {labels["namespace"] for labels, _ in stack.ask("kube_deployment_spec_replicas")} == {"agents"}
    assert {labels["exported_namespace"] for labels, _ in stack.ask("keda_scaler_active")} == {"agents"}


def test_every_query_of_the_example_scalers_has_one_element(stack):
    """What KEDA will ask for is there, once, without labels: backlog, work and saturation of the right fleet."""
    artifacts = [one for one in ScalersEmitter().emit(sources()) if one.kubernetes]
    documents = [one for a in artifacts for one in load_all_yaml(a.content.decode(), a.path)]
    queries = [
        trigger["metadata"]["query"]
        for document in documents
        if document.data["kind"] == "ScaledObject"
        for trigger in document.data["spec"]["triggers"]
    ]
    assert len(queries) == 3
    for query in queries:
        _until(lambda query=query: [labels for labels, _ in stack.ask(query)] == [{}], query)


def test_rates_follow_the_scenario(stack):
    """Work is done in steady, and none after a switch to idle once the last runs have ended."""
    query = "sum(rate(agent_runs_total[10s]))"
    _until(lambda: stack.value(query) > 0, "runs end")
    stack.switch("/scenario/idle")
    _until(lambda: stack.value("sum(agent_inflight_reactions)") == 0, "nothing is in flight")
    _until(lambda: stack.value(query) == 0, "no run ends any more")
    stack.switch("/scenario/steady")


def test_a_crash_loop_takes_targets_down_and_resets_counters(stack):
    """The server sees targets go away and counters start over."""
    stack.switch("/scenario/crashloop?fleet=alert-reactors")
    _until(lambda: stack.value("count(up{fleet='alert-reactors'} == 0)") > 0, "a target is down")
    _until(lambda: stack.value("sum(resets(agent_loop_steps_total[1m]))") > 0, "a counter starts over")
    assert stack.value("count(up{fleet='inbox-workers'} == 0)") != stack.value("count(up == 0)")
    stack.switch("/scenario/steady")
