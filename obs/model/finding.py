"""What a check says: a code, a severity, a place, and what to do about it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum


class Severity(IntEnum):
    """How bad a finding is; ordered, so that `--fail-on` is a comparison."""

    INFO = 1
    WARNING = 2
    ERROR = 3

    @property
    def word(self) -> str:
        """Return the lower-case name that people type and read."""
        return self.name.lower()

    @classmethod
    def from_word(cls, word: str) -> Severity:
        """Return the severity called `word` in any case; raise KeyError on another word."""
        return cls[word.upper()]


@dataclass(frozen=True, slots=True)
class Location:
    """A place in an input.

    `source` is a file name, a URL or `-`; `line` and `column` count from 1 (0: the whole input, or the
    whole line); `end_column` is exclusive (0: unknown); `path` is a JSON path where the input is a document.
    """

    source: str
    line: int = 0
    column: int = 0
    end_column: int = 0
    path: str = ""

    def __str__(self) -> str:
        text = self.source
        if self.line:
            text += f":{self.line}"
            if self.column:
                text += f":{self.column}"
        return text


@dataclass(frozen=True, slots=True)
class Finding:
    """One defect, in the shape that every reporter prints.

    `code` and `slug` are stable (`OBS201`, `wrong-type`); `category` is what `--select` takes; `message`
    names the thing and the value seen; `remedy` is the fix; `subject` is the metric, object or rule it is
    about and enters the fingerprint; `excerpt` is the source line (bounded by whoever made it); `related` are
    further places (the first of two duplicates); `count` is how often the same finding was seen, this one
    being the first; `excerpt_offset` is how many characters of the line come before the excerpt, so that a
    bounded excerpt still finds its column.
    """

    code: str
    slug: str
    category: str
    severity: Severity
    message: str
    location: Location
    remedy: str = ""
    subject: str = ""
    excerpt: str = ""
    related: tuple[Location, ...] = ()
    count: int = 1
    excerpt_offset: int = 0
