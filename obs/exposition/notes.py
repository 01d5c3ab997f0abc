"""What the parser finds wrong: bounded, so that a body of broken lines cannot fill the memory."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from obs.exposition.diagnosis import Diagnosis, DiagnosisKind

_LONGEST = 400  # characters of a message: names and labels of a body may be of any length


def _sayable(text: str) -> str:
    """Return a message on one line, control characters escaped, of a bearable length."""
    cut = text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."
    return cut if cut.isprintable() else "".join(c if c.isprintable() else repr(c)[1:-1] for c in cut)


@dataclass(slots=True)
class Notes:
    """The diagnoses of one body; of each kind only the first `most` are kept, all are counted."""

    most: int
    kept: list[Diagnosis] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    fatal: bool = False

    def add(
        self,
        kind: DiagnosisKind,
        line: int,
        message: str,
        remedy: str,
        *,
        column: int = 1,
        end: int = 0,
        subject: str = "",
        related: tuple[int, ...] = (),
        fatal: bool = False,
    ) -> None:
        """Keep one diagnosis; `end` defaults to the end of `subject`, which then starts at `column`."""
        self.counts[kind.value] += 1
        self.fatal = self.fatal or fatal
        if self.counts[kind.value] <= self.most:
            place = (line, column, end or column + max(len(subject), 1))
            said = (_sayable(message), _sayable(remedy))
            self.kept.append(Diagnosis(kind, *place, *said, subject, related, fatal))

    def sorted(self) -> tuple[Diagnosis, ...]:
        """Return what was kept, in order of place."""
        return tuple(sorted(self.kept, key=lambda one: (one.line, one.column, one.kind.value, one.message)))
