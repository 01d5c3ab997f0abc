"""The `obs` command: registers the commands. How it starts and ends is in obs/cli/entry.py.

Exit codes: 0 clean, 1 findings at or above --fail-on or drift, 2 usage or configuration, 3 an input could not be read
or fetched, 4 nothing was observed.
"""

from __future__ import annotations

from typing import Annotated

import typer

from obs import __version__
from obs.cli.audit import audit
from obs.cli.check import check
from obs.cli.demo import demo
from obs.cli.emit import emit
from obs.cli.explain import explain
from obs.cli.generate import generate
from obs.cli.init import init
from obs.cli.preview import preview
from obs.cli.registry import registry
from obs.cli.sidecar import EXAMPLE, SUMMARY, sidecar
from obs.cli.simulate import simulate

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


@app.command(
    add_help_option=False,
    context_settings={
        "ignore_unknown_options": True,
        "allow_extra_args": True,
        "allow_interspersed_args": False,
    },
)
def lint(context: typer.Context) -> None:
    """Judge what a target exposes: format, contract, cardinality, style. See `obs lint --help`.

    Example: curl -s http://localhost:9090/metrics | obs lint -
    """
    from obs.cli.lint import run

    raise typer.Exit(run(context.args))


app.command()(explain)
app.command()(simulate)
app.command()(emit)
app.command()(preview)
app.command()(demo)

app.command()(check)


@app.command(
    "sidecar",
    help=f"{SUMMARY}\n\nExample: {EXAMPLE}",
    add_help_option=False,
    context_settings={"allow_extra_args": True, "ignore_unknown_options": True},
)
def _sidecar(context: typer.Context) -> None:
    sidecar(context.args)


app.command()(audit)
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
