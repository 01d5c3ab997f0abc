"""`obs explain`: the page of a check, in the terminal."""

from __future__ import annotations

from typing import Annotated

import typer

from obs.errors import Problem, UsageError


def explain(
    code: Annotated[str, typer.Argument(help="A code or slug: OBS206, value-outside-domain.")],
) -> None:
    """Say what a check reports, why it matters, and show a bad and a good example.

    Example: obs explain OBS206
    """
    from obs.checks.page import plain
    from obs.cli.known import all_docs, known_words
    from obs.documents.suggest import did_you_mean

    wanted = code.strip().lower()
    for doc in all_docs():
        if wanted in {doc.code.lower(), doc.slug}:
            typer.echo(plain(doc), nl=False)
            return
    hint = did_you_mean(code.upper() if code[:1].isalpha() else code, known_words())
    raise UsageError([Problem("", f"no check is called `{code}`", hint or "`obs lint --list` shows them")])
