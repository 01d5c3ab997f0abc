"""Finds a mutant by the code or the slug of the check it breaks."""

from __future__ import annotations

from collections.abc import Iterator

from obs.documents.suggest import did_you_mean
from obs.errors import Problem, UsageError
from obs.synth.mutant import Mutant
from obs.synth.mutants import MUTANTS


def find_mutant(name: str) -> Mutant:
    """Return the mutant called `name`; raise UsageError with a suggestion when there is none."""
    by_name = {mutant.slug: mutant for mutant in MUTANTS}
    if name not in by_name:
        hint = did_you_mean(name, by_name)
        raise UsageError([Problem("", f"no mutant `{name}`", f"{hint}; obs emit --list names them")])
    return by_name[name]


def listed() -> Iterator[tuple[str, str]]:
    """Yield the name of each mutant and what it does."""
    return ((mutant.slug, mutant.about) for mutant in MUTANTS)
