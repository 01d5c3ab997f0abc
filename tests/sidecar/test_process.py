"""The process: what it serves, what signals do, what it says and what it keeps to itself."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from obs.checks.engine import run
from obs.exposition import parse
from obs.model.finding import Severity
from tests.home import REPO, parsed
from tests.sidecar.bodies import TEXT, full_body
from tests.sidecar.hostile import HostileServer, hangs, response, says
from tests.sidecar.process import Running, eventually

FAST = ("--interval", "100ms", "--timeout", "100ms", "--warmup", "0s")


@pytest.fixture
def agent() -> Iterator[HostileServer]:
    """An agent with a sound body, one with a broken one, and one that hangs."""
    sound, broken = full_body(5), full_body(5).replace("agent_up 1", "agent_up 2")
    behaviours = {
        "metrics": says(response(sound.encode(), content_type=TEXT)),
        "broken": says(response(broken.encode(), content_type=TEXT)),
        "hang": hangs,
    }
    with HostileServer(behaviours) as running:
        yield running


def test_it_serves_what_it_found(agent: HostileServer) -> None:
    """Every path answers; the verdicts of two targets differ; the page explains the finding."""
    environment = {"AGENT_POD_NAME": "worker-7", "AGENT_POD_NAMESPACE": ""}
    flags = ("--target", agent.url("metrics"), "--target", agent.url("broken"), *FAST)
    with Running(*flags, environment=environment) as sidecar:
        sound, broken = f"localhost:{agent.port}", f"localhost:{agent.port}/broken"
        sidecar.until(f'obs_target_conformant{{target="{broken}"}}', 0)
        sidecar.until(f'obs_target_conformant{{target="{sound}"}}', 1)
        assert sidecar.get("/healthz") == (200, "ok\n")
        assert sidecar.get("/readyz") == (200, "ready\n")
        status, page = sidecar.get("/?x=1")
        assert status == 200
        assert "OBS207" in page
        assert "worker-7" in page
        assert "Why it matters" in page
        findings = json.loads(sidecar.get("/findings.json")[1])
        assert findings["summary"] == {
            "targets": 2,
            "conformant": 1,
            "not_conformant": 1,
            "without_verdict": 0,
        }
        assert [one["code"] for one in findings["findings"]] == ["OBS207"]
        assert findings["findings"][0]["targets"] == [broken]
        assert sidecar.get("/debug/pprof")[0] == 404
        body = sidecar.get("/metrics")[1]
        assert "worker-7" not in body
    assert sidecar.process.returncode == 0
    assert all(event["pod_name"] == "worker-7" and "pod_namespace" not in event for event in sidecar.events)


def test_its_own_metrics_pass_its_own_lint(agent: HostileServer) -> None:
    """What the sidecar exposes is judged by the registry it ships, in the shape it asks of others."""
    registry = parsed(json.loads((REPO / "registry" / "obs.registry.json").read_text()))
    with Running("--target", agent.url("metrics"), "--target", agent.url("broken"), *FAST) as sidecar:
        sidecar.until(f'obs_target_conformant{{target="localhost:{agent.port}/broken"}}', 0)
        body = sidecar.get("/metrics")[1]
    scrape = parse(body.encode(), content_type=TEXT)
    findings = run(scrape, registry)
    assert [f"{one.code} {one.message}" for one in findings if one.severity > Severity.INFO] == []
    assert set(registry.by_name) == {family.name for family in scrape.families}


def test_sigterm_ends_it_although_a_target_hangs(agent: HostileServer) -> None:
    """The scrape in flight is given up after a second, and the exit code is 0."""
    with Running("--target", agent.url("hang"), "--interval", "60s", "--timeout", "50s") as sidecar:
        eventually(lambda: agent.seen["hang"], "a scrape is in flight")
        sidecar.process.send_signal(signal.SIGTERM)
        assert sidecar.process.wait(10) == 0
    assert [event["event"] for event in sidecar.events][-2:] == ["stopping", "stopped"]


def test_sighup_reads_the_file_again(agent: HostileServer, tmp_path: Path) -> None:
    """A new target is watched and an old one forgotten; a file that is wrong changes nothing and says so."""
    path = tmp_path / "sidecar.yaml"
    path.write_text(f"target: [{agent.url('metrics')}]\ninterval: 100ms\nwarmup: 0s\n")
    with Running("--config", str(path)) as sidecar:
        sidecar.until("obs_targets", 1)
        path.write_text(f"target: [{agent.url('broken')}]\ninterval: 100ms\nwarmup: 0s\n")
        sidecar.process.send_signal(signal.SIGHUP)
        sidecar.until(f'obs_target_conformant{{target="localhost:{agent.port}/broken"}}', 0)
        sidecar.until(f'obs_target_expected{{target="localhost:{agent.port}"}}', None)
        path.write_text("interval: never\n")
        sidecar.process.send_signal(signal.SIGHUP)
        sidecar.until('obs_config_reloads_total{result="rejected"}', 1)
        assert sidecar.metric("obs_targets") == 1
        assert sidecar.metric('obs_config_reloads_total{result="applied"}') == 1
        assert "never" in sidecar.wait("reload_rejected")["problem"]


def test_targets_come_and_go_with_their_file(agent: HostileServer, tmp_path: Path) -> None:
    """A file_sd file is read again when it changes; one that is half written keeps the targets it had."""
    path = tmp_path / "targets.json"
    address = f"127.0.0.1:{agent.port}"
    path.write_text(json.dumps([{"targets": [address], "labels": {"fleet": "a"}}]))
    with Running("--targets-file", str(path), *FAST) as sidecar:
        sidecar.until(f'obs_target_conformant{{target="localhost:{agent.port}"}}', 1)
        path.write_text('[{"targets": [')
        sidecar.until('obs_discovery_reads_total{result="failed"}', 1)
        assert sidecar.metric("obs_targets") == 1
        group = {"targets": [address], "labels": {"__metrics_path__": "/broken"}}
        path.write_text(json.dumps([{"targets": [address]}, group]))
        sidecar.until(f'obs_target_conformant{{target="localhost:{agent.port}/broken"}}', 0)
        path.write_text("[]")
        sidecar.until("obs_targets", 0)


def test_targets_are_asked_for(agent: HostileServer) -> None:
    """An http_sd server names the targets; when it fails they stay."""
    groups = json.dumps([{"targets": [f"127.0.0.1:{agent.port}"]}]).encode()
    agent.behaviours["sd"] = says(response(groups, content_type="application/json"))
    with Running("--http-sd", agent.url("sd"), "--discovery-interval", "100ms", *FAST) as sidecar:
        sidecar.until(f'obs_target_conformant{{target="localhost:{agent.port}"}}', 1)
        agent.behaviours["sd"] = says(response(b"{}", content_type="application/json"))
        eventually(
            lambda: (sidecar.metric('obs_discovery_reads_total{result="failed"}') or 0) > 0, "a failure"
        )
        assert sidecar.metric("obs_targets") == 1


def test_secrets_stay_out_of_the_log(agent: HostileServer, tmp_path: Path) -> None:
    """A token is sent to the target, read anew when it is rotated, and written nowhere else."""
    token = tmp_path / "token"
    token.write_text("first-secret\n")
    flags = ("--target", agent.url("metrics") + "?key=query-secret", "--bearer-token-file", str(token), *FAST)
    with Running(*flags) as sidecar:
        eventually(lambda: b"Bearer first-secret" in agent.requests.get("metrics", b""), "the token")
        token.write_text("second-secret\n")
        eventually(lambda: b"Bearer second-secret" in agent.requests["metrics"], "the new token")
        shown = sidecar.get("/metrics")[1] + sidecar.get("/")[1] + sidecar.get("/findings.json")[1]
    assert "secret" not in shown + json.dumps(sidecar.events)


@pytest.mark.parametrize(
    ("request_bytes", "status"),
    [
        (b"POST /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n", b"405"),
        (b"DELETE / HTTP/1.1\r\n\r\n", b"405"),
        (b"HEAD /healthz HTTP/1.1\r\n\r\n", b"200"),
        (b"GET /../etc/passwd HTTP/1.1\r\n\r\n", b"404"),
        (b"GET /healthz HTTP/1.1\r\nContent-Length: 5\r\n\r\nabcde", b"413"),
        (b"GET /healthz HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", b"413"),
        (b"GET /" + b"a" * 20_000 + b" HTTP/1.1\r\n\r\n", b"431"),
        (b"GET /healthz HTTP/2.0\r\n\r\n", b"400"),
        (b"\x16\x03\x01\r\n\r\n", b"400"),
    ],
)
def test_only_reading_is_served(agent: HostileServer, request_bytes: bytes, status: bytes) -> None:
    """GET and HEAD of known paths, within limits; anything else is refused and counted."""
    with Running("--target", agent.url("metrics")) as sidecar:
        host, port = sidecar.address.rsplit(":", 1)
        with socket.create_connection((host, int(port)), timeout=10) as client:
            client.sendall(request_bytes)
            answer = client.makefile("rb").read()
        assert answer.split(b" ")[1] == status
        assert not (request_bytes.startswith(b"HEAD") and answer.endswith(b"ok\n"))
        assert sidecar.get("/healthz") == (200, "ok\n")


def test_a_crowd_of_clients_is_not_served_but_survived(agent: HostileServer) -> None:
    """More connections than places: the rest is dropped, and afterwards everything works again."""
    with Running("--target", agent.url("metrics"), *FAST) as sidecar:
        host, port = sidecar.address.rsplit(":", 1)
        crowd = [socket.create_connection((host, int(port)), timeout=10) for _ in range(100)]
        eventually(lambda: b"" in {_received(client) for client in crowd}, "one is dropped")
        for client in crowd:
            client.close()
        sidecar.until("obs_targets", 1)
        assert (sidecar.metric("obs_requests_refused_total") or 0) > 0


def _received(client: socket.socket) -> bytes | None:
    client.settimeout(0.01)
    try:
        return client.recv(1)
    except TimeoutError:
        return None
    except ConnectionResetError:
        return b""


WRONG = [
    (["--target", "http://x/m", "--interval", "never"], "--interval"),
    (["--target", "http://x/m", "--tiemout", "5s"], "did you mean `--timeout`?"),
    (["--target", "http://user:pw@x/m"], "--bearer-token-file"),
    (["--target", "ftp://x/m"], "is not a URL"),
    (["--target", "http://x/m", "--listen", "nowhere"], "--listen"),
    (["--target", "http://x/m", "--registry", "/no/such.json"], "no such file"),
    (["--target", "http://x/m", "--config", "/no/such.yaml"], "no such file"),
    (["--target", "http://x/m", "--cert", "a.pem"], "give both"),
    (["--target", "http://x/m", "--select", "contrct"], "did you mean `contract`?"),
    (["--target", "http://x/m", "--timeout", "2m"], "longer than the interval"),
    (["--targets-file", "/no/such.json"], "no such file"),
    ([], "nothing to scrape"),
    (["http://x/m"], "--target URL"),
    (["--target"], "needs a value"),
]


@pytest.mark.parametrize(("arguments", "says_so"), WRONG)
def test_a_bad_value_is_exit_2_before_anything_is_bound(arguments: list[str], says_so: str) -> None:
    """The problem is one line that says what to write, and no port was opened."""
    done = subprocess.run(
        [sys.executable, "-m", "obs", "sidecar", *arguments],
        cwd=REPO,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2
    assert says_so in done.stderr
    assert "listening" not in done.stderr
    assert "Traceback" not in done.stderr


def test_a_taken_address_is_exit_2(agent: HostileServer) -> None:
    """Two sidecars at one address: the second says so."""
    command = [sys.executable, "-m", "obs", "sidecar", "--target", agent.url("metrics")]
    done = subprocess.run(
        [*command, "--listen", f"127.0.0.1:{agent.port}"],
        cwd=REPO,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2
    assert "cannot listen" in done.stderr


def test_the_help_is_the_table() -> None:
    """Both ways to ask show each flag and an example."""
    done = subprocess.run(
        [sys.executable, "-m", "obs", "sidecar", "--help"],
        cwd=REPO,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0
    for word in ("--target", "--manifest-command", "--max-bytes", "Example: obs sidecar", "default: 15s"):
        assert word in done.stdout


def test_it_carries_no_library_it_does_not_use() -> None:
    """What every sidecar would hold in memory for ever is not imported."""
    code = (
        "import sys, obs.cli.entry, obs.cli.sidecar, obs.adapters.sidecar.run as run;"
        "run.configuration(['--target', 'http://x/m'], {}); run.packaged_registry();"
        "print([m for m in ('typer', 'yaml', 'jsonschema', 'jinja2', 'grafanalib', 'promql_parser', 'http.client', "
        "'prometheus_client') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=REPO, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.stdout == "[]\n", done.stderr


def test_a_target_that_serves_no_metrics_is_a_state_and_no_error(agent: HostileServer) -> None:
    """The manifest is asked for by URL; what it switches off is not scraped, and when it is on again it is."""

    def manifest(surfaces: dict[str, object]) -> bytes:
        document = json.dumps({"contract_version": "2.0", "surfaces": surfaces}).encode()
        return response(document, content_type="application/json")

    agent.behaviours["capabilities"] = says(manifest({"metrics": False, "metrics_schema": "1.0"}))
    target = f'{{target="localhost:{agent.port}"}}'
    with Running("--target", agent.url("metrics"), "--manifest", agent.url("capabilities"), *FAST) as sidecar:
        sidecar.until("obs_target_expected" + target, 0)
        assert sidecar.get("/readyz")[0] == 200
        assert sidecar.metric("obs_target_last_success_timestamp_seconds" + target) is None
        assert sidecar.metric("obs_target_conformant" + target) is None
        assert agent.seen["metrics"] == 0
        agent.behaviours["capabilities"] = says(
            manifest({"metrics": "0.0.0.0:9090", "metrics_schema": "1.0"})
        )
        sidecar.process.send_signal(signal.SIGHUP)
        sidecar.until("obs_target_conformant" + target, 1)
        info = f'obs_target_contract_info{{contract="2.0",schema="1.0",target="localhost:{agent.port}"}}'
        sidecar.until(info, 1)
