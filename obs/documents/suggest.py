"""Did you mean: the nearest known word to one that is not known."""

from __future__ import annotations

from collections.abc import Iterable


def nearest(word: str, known: Iterable[str]) -> str:
    """Return the word of `known` that looks most like `word`, or an empty string when none is near."""
    from difflib import get_close_matches  # noqa: PLC0415  # only a mistake pays for the import

    found = get_close_matches(word, sorted(known), n=1, cutoff=0.6)
    return found[0] if found else ""


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return a remedy: the nearest known word, or the list of known ones when it is short, or nothing."""
    names = sorted(known)
    near = nearest(word, names)
    if near:
        return f"did you mean `{near}`?"
    if 0 < len(names) <= 12:
        return "known here: " + ", ".join(f"`{name}`" for name in names)
    return ""
