"""The exit code: input x profile x threshold x format, all combinations."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from tests.lint.commands import READY, lone_registry, obs

FORMATS = ("text", "json", "sarif", "github", "junit")

# By body: for a producer and for a consumer, with --fail-on error, warning, info. Bodies are held against a registry
# of agent_ready and agent_restarts_total.
TABLE = {
    "clean": ((0, 0, 0), (0, 0, 0)),
    "info": ((0, 0, 1), (0, 0, 1)),
    "warning": ((0, 1, 1), (0, 1, 1)),
    "error": ((1, 1, 1), (1, 1, 1)),
    "drift": ((1, 1, 1), (0, 0, 1)),
    "misspelt": ((1, 1, 1), (0, 1, 1)),
    "empty": ((4, 4, 4), (4, 4, 4)),
    "only comments": ((4, 4, 4), (4, 4, 4)),
    "html": ((4, 4, 4), (4, 4, 4)),
    "no such file": ((3, 3, 3), (3, 3, 3)),
}
RESTARTS = (
    "# HELP agent_restarts_total Restarts.\n# TYPE agent_restarts_total counter\nagent_restarts_total 0\n"
)
BODIES = {
    "clean": READY + RESTARTS,
    "info": READY + RESTARTS + "# HELP acme_gauge A gauge.\n# TYPE acme_gauge gauge\nacme_gauge 1\n",
    "warning": READY + RESTARTS + "# TYPE acme_load gauge\nacme_load 1\n",
    "error": READY + RESTARTS + "acme_load 0,5\n",
    "drift": READY + RESTARTS + "# HELP agent_mood Mood.\n# TYPE agent_mood gauge\nagent_mood 1\n",
    "misspelt": READY + RESTARTS.replace("_restarts_", "_restart_"),
    "empty": "",
    "only comments": "# HELP agent_ready Ready.\n# TYPE agent_ready gauge\n",
    "html": "<html><title>Sign in</title></html>\n",
}
ROWS = [
    (name, profile, fail_on, form)
    for name, profile, fail_on, form in itertools.product(
        TABLE, ("producer", "consumer"), ("error", "warning", "info"), FORMATS
    )
]


@pytest.mark.parametrize(("name", "profile", "fail_on", "form"), ROWS)
def test_exit_code(tmp_path: Path, name: str, profile: str, fail_on: str, form: str) -> None:
    """Each combination has the exit code of the table; a report is printed whenever there was something to read."""
    registry = lone_registry(tmp_path, "agent_restarts_total")
    body = tmp_path / "metrics.txt"
    if name in BODIES:
        body.write_text(BODIES[name])
    ran = obs(
        "lint", body, "--registry", registry, "--profile", profile, "--fail-on", fail_on, "--format", form
    )
    wanted = TABLE[name][profile == "consumer"][("error", "warning", "info").index(fail_on)]
    assert ran.code == wanted
    assert bool(ran.out) is (name in BODIES)
    assert ("0 samples" in ran.err) is (wanted == 4)


def test_the_worst_input_decides(tmp_path: Path) -> None:
    """Of several inputs each is reported; one that cannot be read beats an empty one, which beats findings."""
    registry = lone_registry(tmp_path)
    bodies = {}
    for name, text in {"clean": READY, "bad": READY + "acme 0,5\n", "empty": ""}.items():
        bodies[name] = tmp_path / f"{name}.txt"
        bodies[name].write_text(text)
    gone = tmp_path / "gone.txt"

    def run(*names: str) -> int:
        paths = [bodies.get(name, gone) for name in names]
        return obs("lint", *paths, "--registry", registry).code

    assert run("clean") == 0
    assert run("clean", "bad") == 1
    assert run("bad", "empty", "clean") == 4
    assert run("empty", "gone", "bad") == 3
    ran = obs("lint", gone, bodies["bad"], bodies["clean"], "--registry", registry)
    assert "bad.txt: 1 error" in ran.out
    assert "clean.txt: clean" in ran.out
    assert "gone.txt: no such file" in ran.err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([], "no input"),
        (["-", "-"], "read once"),
        (["x", "--key", "k.pem"], "--cert"),
        (["x", "y", "--before", "z"], "--before"),
        (["x", "--update-baseline"], "--baseline"),
        (["x", "--format", "xml"], "xml"),
        (["x", "--fail-on", "never"], "never"),
        (["x", "--select", "contrct"], "did you mean `contract`"),
        (["x", "--select", "K001"], "documents only"),
        (["x", "--max-bytes", "0"], "0"),
        (["x", "--timeout", "soon"], "soon"),
        (["x", "--no-such-option"], "--no-such-option"),
    ],
)
def test_usage_errors(arguments: list[str], says: str) -> None:
    """What cannot be meant is refused with exit code 2 and a line that names it; nothing is judged."""
    ran = obs("lint", *arguments)
    assert ran.code == 2
    assert says in ran.err
    assert ran.out == ""
