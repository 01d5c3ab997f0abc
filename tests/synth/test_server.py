"""`obs emit` as its users run it: a process, an address, requests, signals."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest
import yaml

from obs.exposition import parse

_EMIT = (sys.executable, "-m", "obs", "emit")


@dataclass
class Running:
    """A running `obs emit`."""

    process: subprocess.Popen[str]
    url: str

    def ask(self, path: str, method: str = "GET") -> tuple[int, str, str]:
        """Return status, Content-Type and text of a request."""
        request = urllib.request.Request(self.url + path, method=method)
        try:
            with urllib.request.urlopen(request, timeout=20) as reply:
                return reply.status, reply.headers["Content-Type"], reply.read().decode()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.headers["Content-Type"], error.read().decode()


def _started(*arguments: str) -> Running:
    process = subprocess.Popen(
        [*_EMIT, "--listen", "127.0.0.1:0", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    line = process.stdout.readline()
    return Running(process, line.removeprefix("listening on ").split()[0])


def _stopped(running: Running, number: int = signal.SIGTERM) -> tuple[int, str]:
    running.process.send_signal(number)
    _, errors = running.process.communicate(timeout=20)
    return running.process.returncode, errors


@pytest.fixture
def start() -> Iterator[Callable[..., Running]]:
    """Return a function that starts a server; what a failed test leaves running is killed."""
    started: list[Running] = []

    def one(*arguments: str) -> Running:
        started.append(_started(*arguments))
        return started[-1]

    yield one
    for running in started:
        if running.process.poll() is None:
            running.process.kill()
            running.process.communicate()


@pytest.fixture(scope="module")
def server() -> Iterator[Running]:
    """Return a running fleet of four agents in two fleets."""
    running = _started("--agents", "4")
    yield running
    assert _stopped(running) == (0, "")


def test_each_agent_has_a_body_of_its_own(server):
    """Every agent answers with a clean body of text 0.0.4; a number too high is a 404 that says so."""
    for agent in range(4):
        status, kind, text = server.ask(f"/agents/{agent}/metrics")
        assert (status, kind) == (200, "text/plain; version=0.0.4; charset=utf-8")
        assert parse(text.encode(), content_type=kind).diagnoses == ()
    status, _, text = server.ask("/agents/4/metrics")
    assert status == 404
    assert "no agent 4; there are 4" in text


def test_targets_carry_the_labels_a_cluster_attaches(server):
    """Targets have the form of http_sd: fleet, namespace, pod and an instance for each agent."""
    status, kind, text = server.ask("/targets.json")
    assert (status, kind) == (200, "application/json")
    labels = [target["labels"] for target in json.loads(text)]
    assert [each["fleet"] for each in labels] == ["inbox-workers", "alert-reactors"] * 2
    assert len({each["instance"] for each in labels}) == len({each["pod"] for each in labels}) == 4
    assert {each["namespace"] for each in labels} == {"agents"}
    assert "http://" + json.loads(text)[0]["targets"][0] == server.url


def test_the_configuration_names_every_job(server):
    """`/prometheus.yml` scrapes each list of targets, and each list is there."""
    document = yaml.safe_load(server.ask("/prometheus.yml?scrape_interval=1s")[2])
    assert document["global"]["scrape_interval"] == "1s"
    for job in document["scrape_configs"]:
        url = job["http_sd_configs"][0]["url"]
        targets = json.loads(server.ask(url.removeprefix(server.url))[2])
        assert targets
        for target in targets:
            status, _, text = server.ask(target["labels"]["__metrics_path__"])
            assert status == 200
            assert parse(text.encode()).diagnoses == ()


def test_scenarios_switch_at_run_time(server):
    """A PUT switches all agents, those of a fleet or one; a typo is answered with a suggestion."""
    assert set(json.loads(server.ask("/scenario/burst", "PUT")[2]).values()) == {"burst"}
    answer = json.loads(server.ask("/scenario/idle?fleet=alert-reactors", "PUT")[2])
    assert [answer[str(agent)] for agent in range(4)] == ["burst", "idle", "burst", "idle"]
    assert json.loads(server.ask("/scenario/stuck?agent=2", "PUT")[2])["2"] == "stuck"
    assert json.loads(server.ask("/scenario")[2])["0"] == "burst"
    status, _, text = server.ask("/scenario/stedy", "PUT")
    assert status == 400
    assert "did you mean `steady`" in text
    assert server.ask("/scenario/steady?flete=x", "PUT")[0] == 400
    assert server.ask("/scenario/steady?fleet=inbox-worker", "PUT")[0] == 400


def test_mutants_switch_at_run_time(server):
    """A PUT breaks a rule on the chosen agents, DELETE mends them; a typo is answered with a suggestion."""
    assert json.loads(server.ask("/mutant/camel-case?agent=1", "PUT")[2]) == {"1": "camel-case"}
    assert "cpuModel" in server.ask("/agents/1/metrics")[2]
    assert "cpuModel" not in server.ask("/agents/0/metrics")[2]
    assert json.loads(server.ask("/mutant", "DELETE")[2]) == {}
    assert "cpuModel" not in server.ask("/agents/1/metrics")[2]
    status, _, text = server.ask("/mutant/camelcase", "PUT")
    assert status == 400
    assert "did you mean `camel-case`" in text


def test_a_reactive_fleet_has_no_coordination_server(server):
    """Asking for one is a 404 that says why."""
    status, _, text = server.ask("/coordination/alert-reactors/metrics")
    assert status == 404
    assert "reactive" in text


def test_an_address_in_use_is_an_error_with_a_remedy(server):
    """A second server at the same address exits with 3 and one line."""
    address = server.url.removeprefix("http://")
    second = subprocess.run([*_EMIT, "--listen", address], capture_output=True, text=True, check=False)
    assert second.returncode == 3
    assert second.stderr.count("\n") == 1
    assert address in second.stderr
    assert "--listen" in second.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_cleanly(start, number):
    """Ctrl-C and SIGTERM end the server with 0 and without a word."""
    assert _stopped(start("--agents", "1"), number) == (0, "")


def test_a_process_that_is_away_answers_no_scrape(start):
    """In a crash loop the target fails at times, and its counters start over."""
    running = start("--agents", "6", "--scenario", "crashloop", "--speed", "50")
    statuses: set[int] = set()
    for attempt in range(600):
        statuses.add(running.ask(f"/agents/{attempt % 6}/metrics")[0])
        if statuses == {200, 503}:
            break
        time.sleep(0.05)
    assert statuses == {200, 503}
    assert _stopped(running)[0] == 0


def test_without_the_platform_its_series_are_not_there(start):
    """`--no-platform` serves neither its series nor targets for it in the configuration."""
    running = start("--agents", "1", "--no-platform")
    assert running.ask("/platform/metrics")[0] == 404
    assert "keda" not in running.ask("/prometheus.yml")[2]
    assert _stopped(running)[0] == 0


def _emit(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*_EMIT, *arguments], capture_output=True, text=True, check=False)


def test_once_prints_one_body_the_same_each_time():
    """The same seed prints the same bytes; another seed or agent prints others."""
    first = _emit("--once", "--seed", "7")
    assert first.returncode == 0
    assert parse(first.stdout.encode()).diagnoses == ()
    assert _emit("--once", "--seed", "7").stdout == first.stdout
    assert _emit("--once", "--seed", "8").stdout != first.stdout
    assert _emit("--once", "--seed", "7", "--agent", "1").stdout != first.stdout


def test_once_speaks_openmetrics():
    """`--format openmetrics` ends in `# EOF` and is read without a complaint."""
    done = _emit("--once", "--format", "openmetrics", "--provisional")
    assert done.stdout.endswith("# EOF\n")
    assert parse(done.stdout.encode()).diagnoses == ()


def test_a_mutant_is_named_by_code_or_name():
    """The code of a check and its name break the same rule; --list names every one."""
    by_name = _emit("--once", "--mutant", "wrong-type")
    assert by_name.returncode == 0
    assert _emit("--once", "--mutant", "obs201").stdout == by_name.stdout != _emit("--once").stdout
    listed = _emit("--list").stdout.splitlines()
    assert "mutant\twrong-type\tOBS201\ta counter that says it is a gauge" in listed
    assert sum(line.startswith("scenario\t") for line in listed) == 9


def test_a_clean_body_passes_lint_and_a_mutant_does_not():
    """`obs emit | obs lint` is clean; with a mutant it names the rule."""
    lint = [sys.executable, "-m", "obs", "lint", "-"]
    clean = subprocess.run(lint, input=_emit("--once").stdout, capture_output=True, text=True, check=False)
    assert clean.returncode == 0
    broken = _emit("--once", "--mutant", "unequal-series").stdout
    found = subprocess.run(lint, input=broken, capture_output=True, text=True, check=False)
    assert found.returncode == 1
    assert "OBS215" in found.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "--once prints one body"),
        (("--once", "--listen", "127.0.0.1:0"), "--once and --listen together"),
        (("--once", "--agents", "0"), "choose 1 to"),
        (("--once", "--fleets", "4"), "a fleet needs at least one agent"),
        (("--once", "--agent", "3"), "no agent 3"),
        (("--once", "--scenario", "brust"), "did you mean `burst`"),
        (("--once", "--mutant", "nonsense"), "no mutant `nonsense`"),
        (("--once", "--speed", "0"), "--speed"),
        (("--listen", "nowhere"), "is not an address"),
    ],
)
def test_a_wrong_command_line_is_one_line_and_exit_2(arguments, said):
    """What cannot be carried out is said with a remedy."""
    done = _emit(*arguments)
    assert done.returncode == 2
    assert said in done.stderr
    assert done.stderr.count("\n") == 1


def test_more_fleets_than_the_configuration_has_are_made_up(start):
    """Twelve agents in three fleets: the third is like the first, under its own name."""
    running = start("--agents", "12", "--fleets", "3")
    targets = json.loads(running.ask("/targets.json")[2])
    assert {target["labels"]["fleet"] for target in targets} == {
        "inbox-workers",
        "alert-reactors",
        "inbox-workers-2",
    }
    assert running.ask("/coordination/inbox-workers-2/metrics")[0] == 200
    assert _stopped(running)[0] == 0
