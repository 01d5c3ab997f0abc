"""What `--select` and `--ignore` leave: checks of bodies, and checks of documents, which are only imported if named."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING

from obs.checks.catalogue import CATEGORIES, Entry, by_slug, select
from obs.errors import Problem, UsageError

if TYPE_CHECKING:
    from obs.model.check import CheckDoc


@dataclass(frozen=True, slots=True)
class Choice:
    """The checks of bodies that run; those of documents by the words of the command line, in lower case."""

    bodies: tuple[Entry, ...]
    wanted: frozenset[str] = frozenset()
    unwanted: frozenset[str] = frozenset()

    def takes(self, doc: CheckDoc) -> bool:
        """Return whether a check of documents runs."""
        words = {doc.code.lower(), doc.slug, doc.category}
        return (not self.wanted or not words.isdisjoint(self.wanted)) and words.isdisjoint(self.unwanted)


def choose(wanted: Collection[str], unwanted: Collection[str]) -> Choice:
    """Return what the words leave; raise UsageError for a word that names nothing, or when nothing is left."""
    foreign = {word for word in (*wanted, *unwanted) if not _of_bodies(word)}
    documents = foreign & _of_documents() if foreign else set()
    left = [word for word in wanted if word not in documents]
    bodies = select(left, [word for word in unwanted if word not in documents]) if left or not wanted else ()
    return Choice(bodies, _lower(wanted), _lower(unwanted))


def require_bodies(choice: Choice) -> None:
    """Raise UsageError when a body is to be judged and no check of bodies is left."""
    if not choice.bodies:
        message = "names checks of documents only, and an input is no *.yaml file"
        raise UsageError([Problem("--select", message, f"add one of {', '.join(CATEGORIES)}")])


def _of_bodies(word: str) -> bool:
    word = word.lower()
    codes = {entry.code.lower() for entry in by_slug().values()}
    return word in CATEGORIES or word in by_slug() or word in codes


def _of_documents() -> set[str]:
    """Return the words that name checks of documents, as typed in lower or upper case."""
    from obs.cli.known import document_checks

    words = {word for doc in document_checks() for word in (doc.code, doc.slug, doc.category)}
    return words | {word.lower() for word in words}


def _lower(words: Collection[str]) -> frozenset[str]:
    return frozenset(word.lower() for word in words)
