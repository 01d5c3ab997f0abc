"""`obs generate`: the registry and the operator's fleets become a tree to deploy."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from obs.errors import Problem, UsageError
from obs.model.artifact import ArtifactKind

if TYPE_CHECKING:
    from obs.adapters.tree import FileChange, Plan

KINDS = tuple(str(kind) for kind in ArtifactKind if kind is not ArtifactKind.BUNDLE)


def generate(
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder to write into; made if it is not there.")],
    config: Annotated[
        Path | None, typer.Option("--config", "-c", help="Your obs.yaml; `obs init` writes one.")
    ] = None,
    registry: Annotated[
        Path | None, typer.Option("--registry", help="A metrics.registry.json to use instead.")
    ] = None,
    sources: Annotated[
        Path | None,
        typer.Option("--sources", help="A folder with your own registry/, dashboards/ and alerts/."),
    ] = None,
    only: Annotated[
        list[str] | None, typer.Option("--only", help=f"Just this part, repeatable: {', '.join(KINDS)}.")
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; exit 1 when the folder is not current.")
    ] = False,
    diff: Annotated[bool, typer.Option("--diff", help="Write nothing; show what would change.")] = False,
    exact: Annotated[
        bool, typer.Option("--exact", help="With --check: a file that obs did not write is drift too.")
    ] = False,
) -> None:
    """Write dashboards, rules, scalers, scrape and lint configuration for your fleets.

    Files that obs wrote earlier and no longer makes are removed. Files that obs did not write are never touched.

    Example: obs generate --config obs.yaml --out deploy/ && kubectl apply -k deploy/
    """
    import gc

    gc.disable()  # one short run that makes a million values and keeps them: collecting is a tenth of its time
    from obs.adapters.registries import Inputs
    from obs.adapters.sources import load_sources
    from obs.adapters.tree import apply_plan, foreign_files, make_plan
    from obs.emit.tree import render

    kinds = _kinds(only)
    if check and diff:
        raise UsageError([Problem("", "--check and --diff together", "use one of them")])
    loaded = load_sources(Inputs(registry=registry, config=config, folder=sources))
    plan = make_plan(out, render(loaded), kinds)
    changes = plan.changes + (foreign_files(out, plan) if exact else ())
    if diff:
        _show_diff(changes)
    elif check:
        _report_drift(out, changes)
    else:
        apply_plan(out, plan)
        _report_written(out, plan)
        return
    raise typer.Exit(1 if changes else 0)


def _kinds(only: list[str] | None) -> frozenset[ArtifactKind] | None:
    from obs.documents.suggest import did_you_mean

    if not only:
        return None
    wrong = [word for word in only if word not in KINDS]
    if wrong:
        raise UsageError(
            [Problem("--only", f"unknown part `{word}`", did_you_mean(word, KINDS)) for word in wrong]
        )
    return frozenset(ArtifactKind(word) for word in only)


def _report_written(out: Path, plan: Plan) -> None:
    counts = {"new": 0, "changed": 0, "removed": 0}
    for change in plan.changes:
        counts[str(change.change)] += 1
        if change.edited_by_hand:
            typer.echo(f"obs: {out / change.path}: had been edited by hand; the edit is gone", err=True)
    told = ", ".join(f"{count} {word}" for word, count in counts.items() if count)
    typer.echo(f"{out}: {told or 'nothing to do'}, {plan.unchanged} unchanged")
    if any(change.path == "README.md" and change.old is None for change in plan.changes):
        typer.echo(f"next: read {out / 'README.md'}, then kubectl apply -k {out}")


def _report_drift(out: Path, changes: tuple[FileChange, ...]) -> None:
    for change in changes:
        typer.echo(f"{out / change.path}: {change.change}")
    if changes:
        typer.echo(f"obs: {out}: {_files(len(changes))} not current; run obs generate again", err=True)
    else:
        typer.echo(f"{out}: current")


def _files(number: int) -> str:
    return "1 file is" if number == 1 else f"{number} files are"


def _show_diff(changes: tuple[FileChange, ...]) -> None:
    import difflib

    for change in changes:
        before = (change.old or b"").decode(errors="replace").splitlines(keepends=True)
        after = (change.new or b"").decode(errors="replace").splitlines(keepends=True)
        old = f"a/{change.path}" if change.old is not None else "/dev/null"
        new = f"b/{change.path}" if change.new is not None else "/dev/null"
        for line in difflib.unified_diff(before, after, old, new):
            typer.echo(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n", nl=False)
