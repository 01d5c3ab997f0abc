"""`obs init`: a commented obs.yaml to start from."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from obs.errors import Problem, UnreadableError, UsageError

_EPILOG = "Example: obs init && $EDITOR obs.yaml && obs generate --config obs.yaml --out deploy/"


def init(
    path: Annotated[Path, typer.Argument(help="File to write; `-` prints it.")] = Path("obs.yaml"),
    schema: Annotated[
        bool, typer.Option("--schema", help="Print the JSON Schema of obs.yaml instead.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Overwrite a file that is there.")] = False,
) -> None:
    """Write a commented obs.yaml with every key and its default.

    Example: obs init && $EDITOR obs.yaml && obs generate --config obs.yaml --out deploy/
    """
    from obs.adapters.files import read_text
    from obs.adapters.resources import data_folder

    root = data_folder()
    if schema:
        typer.echo(read_text(root / "registry" / "obs.schema.json"), nl=False)
        return
    text = read_text(root / "examples" / "obs.yaml")
    if str(path) == "-":
        typer.echo(text, nl=False)
        return
    if path.exists() and not force:
        raise UsageError([Problem(str(path), "is there already", "choose another name or pass --force")])
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UnreadableError([Problem(str(path), error.strerror or str(error))]) from error
    typer.echo(f"wrote {path}; next: obs generate --config {path} --out deploy/")
