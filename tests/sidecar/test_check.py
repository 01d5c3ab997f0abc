"""`obs check`: the sidecar's engine once, with every report and exit code of obs lint."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from obs.cli.main import app
from tests.sidecar.bodies import TEXT, full_body
from tests.sidecar.hostile import HostileServer, response, says, unused_port

QUICK = ["--warmup", "0s"]


@pytest.fixture(scope="module")
def agent() -> Iterator[HostileServer]:
    """A sound agent, a broken one, and things that are no agents."""
    sound = full_body(5)
    behaviours = {
        "sound": says(response(sound.encode(), content_type=TEXT)),
        "broken": says(response(sound.replace("agent_up 1", "agent_up 2").encode(), content_type=TEXT)),
        "html": says(response(b"<html></html>", content_type="text/html")),
        "empty": says(response(b"", content_type=TEXT)),
        "gone": says(response(b"", status="404 Not Found")),
    }
    with HostileServer(behaviours) as running:
        yield running


def run(*arguments: str) -> tuple[int, str, str]:
    """Exit code, standard output and errors of `obs check`."""
    result = CliRunner().invoke(app, ["check", *arguments])
    said = str(result.exception) if result.exception and not isinstance(result.exception, SystemExit) else ""
    code = getattr(result.exception, "exit_code", result.exit_code)
    return code, result.stdout, said


@pytest.mark.parametrize(
    ("path", "code"), [("sound", 0), ("broken", 1), ("html", 1), ("empty", 1), ("gone", 3)]
)
def test_the_exit_code_says_what_happened(agent: HostileServer, path: str, code: int) -> None:
    """Clean, broken, no exposition, and no answer are told apart."""
    assert run(agent.url(path), *QUICK)[0] == code


def test_nobody_there_is_exit_3() -> None:
    """A closed port is an input that could not be fetched."""
    with unused_port() as port:
        assert run(f"127.0.0.1:{port}", *QUICK)[0] == 3


@pytest.mark.parametrize("form", ["text", "json", "sarif", "github", "junit"])
def test_it_reports_like_lint(agent: HostileServer, form: str) -> None:
    """The finding is in every format."""
    assert "OBS207" in run(agent.url("broken"), *QUICK, "--format", form)[1]


def manifest(folder: Path, surfaces: object) -> str:
    """A manifest in a file."""
    path = folder / "manifest.json"
    path.write_text(json.dumps({"contract_version": "2.0", "surfaces": surfaces}))
    return str(path)


@pytest.mark.parametrize(
    ("surfaces", "code", "says_so"),
    [
        ({"metrics": "0.0.0.0:9090", "metrics_schema": "1.0"}, 0, ""),
        ({"metrics": "0.0.0.0:9090", "metrics_schema": "1.9"}, 0, "OBS511"),
        ({"metrics": "0.0.0.0:9090", "metrics_schema": "2.0"}, 1, "OBS510"),
        ({"metrics": True, "metrics_schema": "1.0"}, 1, "OBS512"),
        ({"metrics": "0.0.0.0:9090"}, 1, "OBS512"),
        ({"metrics": False, "metrics_schema": "1.0"}, 4, ""),
        ({}, 4, ""),
        (None, 1, "OBS512"),
    ],
)
def test_the_manifest_decides(
    agent: HostileServer, tmp_path: Path, surfaces: object, code: int, says_so: str
) -> None:
    """Unknown major: refused. Newer minor: noted. No metrics: nothing to scrape. Wrong shapes: said."""
    found, out, _ = run(agent.url("sound"), *QUICK, "--manifest", manifest(tmp_path, surfaces))
    assert found == code
    assert says_so in out


def test_a_refused_target_is_not_scraped(agent: HostileServer, tmp_path: Path) -> None:
    """A major that is not known means that not one request is made (law L3)."""
    before = agent.seen["sound"]
    run(
        agent.url("sound"),
        *QUICK,
        "--manifest",
        manifest(tmp_path, {"metrics": "x:1", "metrics_schema": "7.0"}),
    )
    assert agent.seen["sound"] == before


def test_a_newer_minor_is_tolerated(agent: HostileServer, tmp_path: Path) -> None:
    """What the newer minor adds is noted and not held against the agent."""
    more = full_body(5) + "# HELP agent_new_total New.\n# TYPE agent_new_total counter\nagent_new_total 1\n"
    agent.behaviours["newer"] = says(response(more.encode(), content_type=TEXT))
    assert run(agent.url("newer"), *QUICK)[0] == 1
    surfaces = {"metrics": "0.0.0.0:9090", "metrics_schema": "1.1"}
    assert run(agent.url("newer"), *QUICK, "--manifest", manifest(tmp_path, surfaces))[0] == 0


def test_the_manifest_of_a_command(agent: HostileServer, tmp_path: Path) -> None:
    """What `agent --capabilities` prints is the manifest; a command that fails is a finding."""
    path = manifest(tmp_path, {"metrics": "x:1", "metrics_schema": "3.0"})
    assert "OBS510" in run(agent.url("sound"), *QUICK, "--manifest-command", f"cat {path}")[1]
    assert "OBS512" in run(agent.url("sound"), *QUICK, "--manifest-command", "false")[1]
    assert (
        "OBS512" in run(agent.url("sound"), *QUICK, "--manifest-command", "/no/such/agent --capabilities")[1]
    )


def test_what_must_be_there_is_asked_for_after_the_warm_up(agent: HostileServer) -> None:
    """A process that exposes little is given time, and then held to it."""
    little = says(response(b"# HELP agent_up Up.\n# TYPE agent_up gauge\nagent_up 1\n", content_type=TEXT))
    full = says(response(full_body(5).encode(), content_type=TEXT))
    turns = iter([little, little])

    async def grows(reader: object, writer: object) -> None:
        await next(turns, full)(reader, writer)  # type: ignore[arg-type] # passed on

    agent.behaviours["grows"] = grows
    assert run(agent.url("grows"), "--warmup", "300ms", "--interval", "50ms")[0] == 0
    agent.behaviours["little"] = little
    code, out, _ = run(agent.url("little"), "--warmup", "100ms", "--interval", "50ms")
    assert code == 1
    assert "OBS210" in out
