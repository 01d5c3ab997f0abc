"""A quick writer of YAML for files of thousands of lines, such as unit tests.

It writes block style with every text that is not a plain word in double quotes, several times faster than
`obs.documents.dump`, and leaves to that what it does not know how to write.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from json.encoder import encode_basestring
from typing import Any

from obs.documents.dump import is_taken_for_something_else, to_yaml

_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_./-]*\Z")


class _NotPlainError(Exception):
    """A value that the quick writer does not write."""


def to_long_yaml(document: Any, *, header: str = "") -> bytes:
    """Return one document as YAML; the same values as `to_yaml` writes, and each comment line of `header` before them.

    A document with texts of several lines, characters that must be escaped or fractions is left to `to_yaml`.
    """
    comments = "".join(f"# {line}".rstrip() + "\n" for line in header.splitlines())
    lines: list[str] = []
    try:
        _write(document, "", lines.append)
    except _NotPlainError:
        return to_yaml(document, header=header)
    return (comments + "\n".join(lines) + "\n").encode()


def _write(value: Any, indent: str, line: Callable[[str], None], lead: str = "") -> None:
    """Write a value in block style; `lead` stands before its first line in place of `indent`."""
    if isinstance(value, dict) and value:
        _mapping(value, indent, line, lead)
    elif isinstance(value, list) and value:
        for item in value:
            _write(item, f"{indent}  ", line, f"{lead or indent}- ")
            lead = ""
    else:
        line(f"{lead or indent}{_scalar(value)}")


def _mapping(value: dict[str, Any], indent: str, line: Callable[[str], None], lead: str) -> None:
    for key, item in value.items():
        head = f"{lead or indent}{_scalar(key)}:"
        lead = ""
        if isinstance(item, dict | list) and item:
            line(head)
            _write(item, indent if isinstance(item, list) else f"{indent}  ", line)
        else:
            line(f"{head} {_scalar(item)}")


def _scalar(value: Any) -> str:
    if isinstance(value, str):
        if _WORD.match(value) and not is_taken_for_something_else(value):
            return value
        if value.isprintable():
            return encode_basestring(value)
    elif value is None:
        return "null"
    elif isinstance(value, bool):
        return "true" if value else "false"
    elif isinstance(value, int):
        return str(value)
    elif isinstance(value, dict | list) and not value:
        return "[]" if isinstance(value, list) else "{}"
    raise _NotPlainError
