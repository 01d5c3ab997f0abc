"""The exceptions of obs, drawn as a tree.

ObsError
├── InvalidInputError     the user's input is wrong: a registry, a configuration, a flag   (exit 2)
│   ├── RegistryInvalidError
│   ├── ConfigInvalidError
│   ├── SpecInvalidError
│   └── UsageError
├── UnreadableError       an input could not be read or fetched                            (exit 3)
└── NothingObservedError  there was nothing to judge                                       (exit 4)

A bad *target* is not an exception but a finding (`obs.model.finding`); an exception means that obs could
not look.
Every error carries all the problems that were found, never only the first.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong with an input.

    `where` is `file:line:column` or `file: $.json.path`; `message` says what is wrong and the value seen;
    `remedy` says what to do about it (may be empty when the message is the remedy).
    """

    where: str
    message: str
    remedy: str = ""

    def __str__(self) -> str:
        text = f"{self.where}: {self.message}" if self.where else self.message
        text = f"{text}; {self.remedy}" if self.remedy else text
        # One line, whatever an input held: a control character is written as its escape.
        return text if text.isprintable() else "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


class ObsError(Exception):
    """Base of everything obs raises on purpose. Holds `problems`, one line each for a person."""

    exit_code = 2

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


class InvalidInputError(ObsError):
    """The user's input is wrong; nothing was written."""


class RegistryInvalidError(InvalidInputError):
    """A metrics registry, or a file that describes it, breaks its rules."""


class ConfigInvalidError(InvalidInputError):
    """An `obs.yaml` breaks its schema or asks for something that is known to fail."""


class SpecInvalidError(InvalidInputError):
    """A file of dashboards/ or alerts/ breaks its schema or names what the registry does not know."""


class UsageError(InvalidInputError):
    """A command line that cannot be carried out."""


class UnreadableError(ObsError):
    """An input could not be read or fetched."""

    exit_code = 3


class NothingObservedError(ObsError):
    """There was nothing to judge: no samples, no artifacts."""

    exit_code = 4
