"""Runs `obs lint` in this process."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from typer.testing import CliRunner

from obs.cli.main import app
from obs.errors import ObsError
from tests.checks.judge import write_registry

READY = "# HELP agent_ready Ready.\n# TYPE agent_ready gauge\nagent_ready 1\n"
"""A clean body for the registry of one metric that `lone_registry` writes."""


@dataclass(frozen=True, slots=True)
class Ran:
    """What a run did."""

    code: int
    out: str
    err: str


def obs(*arguments: object, stdin: bytes | str = b"") -> Ran:
    """Type `obs` and the arguments; errors become lines and exit codes as in the real process."""
    result = CliRunner().invoke(app, [str(each) for each in arguments], input=stdin)
    if isinstance(result.exception, ObsError):
        lines = "".join(f"obs: {problem}\n" for problem in result.exception.problems)
        return Ran(result.exception.exit_code, result.stdout, result.stderr + lines)
    assert result.exception is None or isinstance(result.exception, SystemExit), repr(result.exception)
    return Ran(result.exit_code, result.stdout, result.stderr)


def lone_registry(folder: Path, *names: str) -> Path:
    """Write a registry of `agent_ready` and the named metrics."""
    return write_registry(folder / "registry.json", ("agent_ready", *names))
