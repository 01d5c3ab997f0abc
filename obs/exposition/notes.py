"""What the parser finds wrong: bounded, so that a body of broken lines cannot fill the memory."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from obs.exposition.diagnosis import Diagnosis, DiagnosisKind


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
            self.kept.append(Diagnosis(kind, *place, message, remedy, subject, related, fatal))

    def sorted(self) -> tuple[Diagnosis, ...]:
        """Return what was kept, in order of place."""
        return tuple(sorted(self.kept, key=lambda one: (one.line, one.column, one.kind.value, one.message)))
