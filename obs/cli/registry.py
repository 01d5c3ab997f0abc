"""`obs registry`: look at a metrics registry and judge it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

registry = typer.Typer(
    help="Show and validate a metrics registry.",
    no_args_is_help=True,
    rich_markup_mode=None,
    add_completion=False,
)

_File = Annotated[Path | None, typer.Argument(help="A metrics.registry.json; the frozen one when left out.")]


@registry.command()
def validate(file: _File = None) -> None:
    """Say everything that is wrong with a registry, each with its JSON path; exit 2 if anything is.

    Example: obs registry validate metrics.registry.json
    """
    from obs.adapters.sources import Inputs, load_registry, load_semantics

    inputs = Inputs(registry=file)
    loaded = load_registry(inputs, load_semantics(inputs))
    typer.echo(
        f"{file or 'the frozen registry'}: valid, {len(loaded.metrics)} metrics, sha256 {loaded.sha256}"
    )


@registry.command()
def show(
    file: _File = None,
    sha256: Annotated[
        bool, typer.Option("--sha256", help="Print the sha256 that artifacts carry, nothing else.")
    ] = False,
) -> None:
    """List the metrics of a registry.

    Example: obs registry show | grep legacy
    """
    from obs.adapters.sources import Inputs, load_registry, load_semantics

    inputs = Inputs(registry=file)
    loaded = load_registry(inputs, load_semantics(inputs))
    if sha256:
        typer.echo(loaded.sha256)
        return
    for metric in loaded.metrics:
        labels = ",".join(f"{label.key}:{label.domain.name}" for label in metric.labels)
        typer.echo(f"{metric.name}\t{metric.kind}\t{metric.status}\t{metric.unit}\t{labels}\t{metric.help}")
