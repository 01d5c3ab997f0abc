"""The examples of a check: complete inputs, and the command line that judges them.

An example is a body. It may start with a command line (`$ obs lint ... -`), and it may hold several files, each after
a line `==> NAME <==`, as `head` prints them. A byte that is not UTF-8 is a lone surrogate, as `surrogateescape` has it.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass

_FILE = re.compile(r"^==> (\S+) <==\n", re.MULTILINE)
_COMMAND = "$ obs "


@dataclass(frozen=True, slots=True)
class Example:
    """What to type, and what it reads: `stdin` when there are no `files`."""

    arguments: tuple[str, ...]
    stdin: bytes
    files: Mapping[str, bytes]


def read_example(text: str) -> Example:
    """Return the example that `text` (`CheckDoc.bad` or `CheckDoc.good`) describes."""
    arguments: tuple[str, ...] = ("lint", "-")
    if text.startswith(_COMMAND):
        command, text = text.split("\n", 1)
        arguments = tuple(shlex.split(command.removeprefix(_COMMAND)))
    head, *rest = _FILE.split(text)
    files = {name: _bytes(content) for name, content in zip(rest[::2], rest[1::2], strict=True)}
    return Example(arguments, b"" if files else _bytes(head), files)


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
