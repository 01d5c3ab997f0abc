"""What a check is: its documentation, and a function from a context to what it sees."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from obs.checks.context import Context
from obs.checks.places import Place
from obs.model.check import CheckDoc
from obs.model.finding import Severity


class Profile(StrEnum):
    """Who asks. A producer's CI fails on drift; a consumer tolerates additive growth (contract laws L1 and L3)."""

    PRODUCER = "producer"
    CONSUMER = "consumer"


@dataclass(frozen=True, slots=True)
class Hit:
    """What a check saw and where, before the engine gives it a code and an excerpt.

    `line`, `column` and `end_column` are as in `Location`; `subject` is the metric; `severity` is set where it is
    not the check's own, whatever the profile; `related` are other lines of the story; `count` is how many things
    of the kind this one hit stands for.
    """

    message: str
    line: int = 0
    column: int = 0
    end_column: int = 0
    remedy: str = ""
    subject: str = ""
    severity: Severity | None = None
    related: tuple[int, ...] = ()
    count: int = 1


@dataclass(frozen=True, slots=True)
class Check:
    """A check of a body. `consumer` is its severity for a consumer where that differs (None: the same).

    `find` is pure and yields nothing for a body that is all right.
    """

    doc: CheckDoc
    find: Callable[[Context], Iterator[Hit]]
    consumer: Severity | None = None

    def severity(self, profile: Profile) -> Severity:
        """Return how bad a hit is for `profile`."""
        return self.consumer if profile is Profile.CONSUMER and self.consumer else self.doc.severity


@dataclass(frozen=True, slots=True)
class FormatCheck:
    """The documentation of a diagnosis; the parser does the judging, its kind has the slug of the check."""

    doc: CheckDoc


def hit(
    message: str,
    place: Place,
    *,
    remedy: str = "",
    subject: str = "",
    severity: Severity | None = None,
    related: tuple[int, ...] = (),
    count: int = 1,
) -> Hit:
    """Return a `Hit` at `place`."""
    columns = (place.line, place.column, place.end_column)
    return Hit(message, *columns, remedy, subject, severity, related, count)
