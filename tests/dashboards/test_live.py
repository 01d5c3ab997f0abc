"""The boards against a real Prometheus that scrapes a synthetic fleet: every query is executed, not only parsed."""

from __future__ import annotations

import json
import math
import re
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.dashboards.boards import Json, data_panels, home_models
from tests.home import REPO
from tests.tools import require

pytestmark = [pytest.mark.tools, pytest.mark.slow]

AGENTS, FLEETS = 24, 3
WINDOWS = {"__rate_interval": "10s", "__range": "20s", "__interval": "1s"}
HISTORY = 20.0
"""Seconds of data that the queries look back on."""

ALLOWED = Path(__file__).with_name("allow-empty.txt")
"""Titles of panels that nothing here can feed, each with the reason after a tab."""


@dataclass(frozen=True)
class Live:
    """A running pair of a synthetic fleet and a Prometheus that scrapes it, by their addresses."""

    fleet: str
    prometheus: str

    def ask(self, path: str, **parameters: str) -> list[Json]:
        """Return the result of a query."""
        query = urllib.parse.urlencode(parameters)
        with urllib.request.urlopen(f"{self.prometheus}/api/v1/{path}?{query}", timeout=30) as reply:
            return list(json.load(reply)["data"]["result"])

    def switch(self, scenario: str) -> None:
        """Let the whole fleet go through a scenario from now on."""
        request = urllib.request.Request(f"{self.fleet}/scenario/{scenario}", method="PUT")
        urllib.request.urlopen(request, timeout=10).close()


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    """Start a fleet and a Prometheus, wait until there is enough history, and stop both at the end."""
    prometheus = require("prometheus")
    folder = tmp_path_factory.mktemp("live")
    emit = [sys.executable, "-m", "obs", "emit", "--agents", str(AGENTS), "--fleets", str(FLEETS)]
    started = subprocess.Popen(
        [*emit, "--listen", "127.0.0.1:0", "--speed", "15"], stdout=subprocess.PIPE, text=True, cwd=REPO
    )
    processes = [started]
    try:
        assert started.stdout is not None
        fleet = re.findall(r"http://\S+", started.stdout.readline())[0]
        config = folder / "prometheus.yml"
        with urllib.request.urlopen(f"{fleet}/prometheus.yml?scrape_interval=1s", timeout=10) as reply:
            config.write_bytes(reply.read())
        port = free_port()
        processes.append(
            subprocess.Popen(
                [
                    prometheus,
                    f"--config.file={config}",
                    f"--storage.tsdb.path={folder / 'data'}",
                    f"--web.listen-address=127.0.0.1:{port}",
                ],
                stderr=subprocess.DEVNULL,
            )
        )
        found = Live(fleet, f"http://127.0.0.1:{port}")
        wait_for_history(found)
        yield found
    finally:
        for process in processes:
            process.terminate()
        for process in processes:
            process.wait(timeout=20)
            if process.stdout is not None:
                process.stdout.close()


def free_port() -> int:
    """Return a port that is free now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_for_history(found: Live) -> None:
    """Return once every agent was scraped for long enough."""
    deadline = time.monotonic() + 120
    enough = f"count(count_over_time(agent_up[2m]) > {HISTORY:g})"
    while time.monotonic() < deadline:
        try:
            result = found.ask("query", query=enough)
            if result and float(result[0]["value"][1]) >= AGENTS - 2:
                return
        except (urllib.error.URLError, ConnectionError):
            pass
        time.sleep(0.5)
    pytest.fail("Prometheus did not scrape the synthetic fleet")


def expand(expr: str, board: Json) -> str:
    """Return a query as Grafana sends it with everything selected."""
    values = {each["name"]: each.get("allValue") or ".+" for each in board["templating"]["list"]}
    return re.sub(r"\$\{?([a-z_]\w*)\}?", lambda match: WINDOWS.get(match[1]) or values[match[1]], expr)


def answers(live: Live, board: Json, panel: Json) -> list[list[Json]]:
    """Return the series of each query of a panel: the newest values, or a range where the panel draws one."""
    found = []
    now = time.time()
    for target in panel["targets"]:
        query = expand(target["expr"], board)
        if target["instant"]:
            found.append(live.ask("query", query=query, time=f"{now:.3f}"))
        else:
            window = {"start": f"{now - HISTORY / 2:.3f}", "end": f"{now:.3f}", "step": "1"}
            found.append(live.ask("query_range", query=query, **window))
    return found


def numbers(series: Json) -> list[float]:
    """Return the values of a series."""
    return [float(value) for _, value in series.get("values", [series.get("value")])]


def legend(target: Json, series: Json) -> str:
    """Return the name Grafana gives a series."""
    return re.sub(r"\{\{(\w+)\}\}", lambda match: series["metric"].get(match[1], ""), target["legendFormat"])


BOARDS = sorted(home_models())


def allowed_empty() -> set[str]:
    """Return the titles of the panels that may be empty."""
    return {line.split("\t")[0] for line in ALLOWED.read_text().splitlines()}


@pytest.mark.parametrize("uid", BOARDS)
def test_property_14_every_panel_has_data(live: Live, uid: str) -> None:
    """On a fleet at work every panel has data, no value is NaN, and every query is one that Prometheus runs."""
    board = home_models()[uid]
    empty = []
    for panel in data_panels(board):
        found = answers(live, board, panel)
        if not any(found) and panel["title"] not in allowed_empty():
            empty.append(panel["title"])
        for series in (each for result in found for each in result):
            assert all(math.isfinite(value) for value in numbers(series)), panel["title"]
    assert empty == []


@pytest.mark.parametrize("uid", BOARDS)
def test_property_15_few_series_with_names_of_their_own(live: Live, uid: str) -> None:
    """No query returns more than twenty series over its range (tables that list metrics apart), no legend repeats."""
    board = home_models()[uid]
    for panel in data_panels(board):
        names: list[str] = []
        for target, result in zip(panel["targets"], answers(live, board, panel), strict=True):
            if "__name__" not in target["expr"]:
                assert len(result) <= 20, panel["title"]
            names += [legend(target, series) for series in result]
        if panel["type"] != "table":
            assert len(names) == len(set(names)), panel["title"]


def test_property_14_nothing_is_nan_without_traffic(live: Live) -> None:
    """On a fleet without work no query returns NaN: a share of nothing has no value at all."""
    live.switch("idle")
    quiet = "max(sum by (instance) (rate(agent_runs_total[10s]))) == 0"
    deadline = time.monotonic() + 90
    while not live.ask("query", query=quiet):
        assert time.monotonic() < deadline, "the fleet did not come to rest"
        time.sleep(1)
    for board in home_models().values():
        for panel in data_panels(board):
            now = f"{time.time():.3f}"
            for target in panel["targets"]:
                for series in live.ask("query", query=expand(target["expr"], board), time=now):
                    assert all(math.isfinite(value) for value in numbers(series)), panel["title"]


def test_variables_offer_values(live: Live) -> None:
    """Each variable of a board finds its values, with and without a cluster label."""
    for board in home_models().values():
        for variable in board["templating"]["list"][2:]:
            match = re.fullmatch(r"label_values\((.+), (\w+)\)", variable["query"])
            assert match is not None
            parameters: Any = {"match[]": expand(match[1], board)}
            query = urllib.parse.urlencode(parameters)
            url = f"{live.prometheus}/api/v1/label/{match[2]}/values?{query}"
            with urllib.request.urlopen(url, timeout=30) as reply:
                assert json.load(reply)["data"], variable["name"]


def test_the_folder_of_this_test_is_the_repository() -> None:
    """The emitting process runs from the tree under test, not from an installed copy."""
    assert (Path(REPO) / "obs" / "synth").is_dir()
