"""The `obs` command: registers the commands, turns errors into one line each and an exit code.

Exit codes: 0 clean, 1 findings at or above --fail-on or drift, 2 usage or configuration, 3 an input could not be read
or fetched, 4 nothing was observed.
"""

from __future__ import annotations

import os
import signal
import sys
from typing import Annotated

import typer

from obs import __version__
from obs.cli.emit import emit
from obs.cli.explain import explain
from obs.cli.generate import generate
from obs.cli.init import init
from obs.cli.lint import lint
from obs.cli.registry import registry
from obs.cli.simulate import simulate
from obs.errors import ObsError

app = typer.Typer(
    name="obs",
    help="Dashboards, rules, scalers and checks for fleets of AI agents, from one frozen metrics registry.",
    epilog="Start with: obs generate --out deploy/",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command()(init)
app.command()(generate)
app.command()(lint)
app.command()(explain)
app.command()(simulate)
app.command()(emit)
app.add_typer(registry, name="registry")


def _version(value: bool) -> None:
    if value:
        typer.echo(f"obs {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Dashboards, rules, scalers and checks for fleets of AI agents, from one frozen metrics registry."""


def main() -> None:
    """Run the command line; the process ends here, always with one of the documented exit codes."""
    try:
        app()
    except ObsError as error:
        for problem in error.problems:
            typer.echo(f"obs: {problem}", err=True)
        sys.exit(error.exit_code)
    except BrokenPipeError:  # `obs … | head` closed its end: not our business
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(128 + signal.SIGPIPE)
    except KeyboardInterrupt:
        sys.exit(128 + signal.SIGINT)
