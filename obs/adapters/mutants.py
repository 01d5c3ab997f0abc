"""Finds a mutant by the code or the slug of the check it breaks."""

from __future__ import annotations

from collections.abc import Iterator

from obs.checks.catalogue import ALL_CHECKS, LIVE_CHECKS
from obs.documents.suggest import did_you_mean
from obs.errors import Problem, UsageError
from obs.synth.mutant import Mutant
from obs.synth.mutants import MUTANTS


def find_mutant(name: str) -> Mutant:
    """Return the mutant called `name`; raise UsageError with a suggestion when there is none."""
    by_name = {mutant.slug: mutant for mutant in MUTANTS}
    codes = {entry.code: entry.slug for entry in (*ALL_CHECKS, *LIVE_CHECKS)}
    slug = codes.get(name.upper(), name)
    if slug not in by_name:
        hint = did_you_mean(name, [*by_name, *codes])
        raise UsageError([Problem("", f"no mutant `{name}`", f"{hint}; obs emit --list names them")])
    return by_name[slug]


def listed() -> Iterator[tuple[str, str, str]]:
    """Yield the code of each mutant's check (empty: there is none), its name, and what it does."""
    codes = {entry.slug: entry.code for entry in (*ALL_CHECKS, *LIVE_CHECKS)}
    return ((codes.get(mutant.slug, ""), mutant.slug, mutant.about) for mutant in MUTANTS)
