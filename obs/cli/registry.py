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
    from obs.adapters.registries import Inputs, load_registry, load_semantics

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
    from obs.adapters.registries import Inputs, load_registry, load_semantics

    inputs = Inputs(registry=file)
    loaded = load_registry(inputs, load_semantics(inputs))
    if sha256:
        typer.echo(loaded.sha256)
        return
    for metric in loaded.metrics:
        labels = ",".join(f"{label.key}:{label.domain.name}" for label in metric.labels)
        typer.echo(f"{metric.name}\t{metric.kind}\t{metric.status}\t{metric.unit}\t{labels}\t{metric.help}")


@registry.command()
def diff(
    old: Annotated[Path, typer.Argument(help="The registry before.")],
    new: Annotated[
        Path | None, typer.Argument(help="The registry after; the frozen one when left out.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of lines.")] = False,
) -> None:
    """Say what changed between two registries, what generated files it touches, and whether the version says so.

    Exit 1 when a change is breaking or the version does not fit the changes.

    Example: obs registry diff old/metrics.registry.json new/metrics.registry.json
    """
    from obs.adapters.registries import Inputs, load_registry, load_semantics
    from obs.adapters.sources import load_sources
    from obs.documents.dump import to_json
    from obs.emit.docs import usage
    from obs.emit.tree import render
    from obs.registry.diff import Weight, version_problem
    from obs.registry.diff import diff as changes_between

    before, after = Inputs(registry=old), Inputs(registry=new)
    semantics = load_semantics(before)
    first, second = load_registry(before, semantics), load_registry(after, semantics)
    changes = changes_between(first, second)
    wrong = version_problem(first, second, changes)
    used = (
        usage(render(load_sources(before)))
        if any(change.weight is Weight.BREAKING for change in changes)
        else {}
    )
    if as_json:
        rows = [
            {"weight": c.weight.word, "subject": c.subject, "message": c.message, "series": c.series}
            | ({"used_in": used.get(c.subject, [])} if c.weight is Weight.BREAKING else {})
            for c in changes
        ]
        typer.echo(to_json({"version": 1, "changes": rows, "version_problem": wrong}), nl=False)
    else:
        for change in changes:
            series = f" ({change.series:+d} series an instance)" if change.series else ""
            typer.echo(f"{change.weight.word}: {change.subject}: {change.message}{series}")
            if change.weight is Weight.BREAKING:
                for place in used.get(change.subject, []):
                    typer.echo(f"    used in {place}")
        if not changes:
            typer.echo("no difference")
    if wrong:
        typer.echo(f"obs: metrics_schema: {wrong}", err=True)
    raise typer.Exit(1 if wrong or any(change.weight is Weight.BREAKING for change in changes) else 0)


@registry.command()
def docs(file: _File = None) -> None:
    """Print the registry as a Markdown page: every metric, what is normal, where generated files use it.

    Example: obs registry docs > metrics.md
    """
    from obs.adapters.registries import Inputs
    from obs.adapters.sources import load_sources
    from obs.emit.tree import render

    artifacts = render(load_sources(Inputs(registry=file)))
    page = next(artifact for artifact in artifacts if artifact.path == "docs/metrics.md")
    typer.echo(page.content.decode(), nl=False)
