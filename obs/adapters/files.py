"""Reads text, with errors a person can act on."""

from __future__ import annotations

from pathlib import Path

from obs.errors import Problem, UnreadableError


def read_text(path: Path) -> str:
    """Return the UTF-8 text of a file; raise UnreadableError when there is none."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        bad = error.object[error.start]
        problem = Problem(str(path), f"not UTF-8 text: byte {error.start} is {bad:#04x}")
        raise UnreadableError([problem]) from error
    except OSError as error:
        raise UnreadableError([Problem(str(path), reason_of(error), "check the path")]) from error


def reason_of(error: OSError | ValueError) -> str:
    """Return in words why a path could not be read."""
    match error:
        case FileNotFoundError():
            return "no such file"
        case IsADirectoryError():
            return "is a folder, not a file"
        case PermissionError():
            return "may not be read"
    return getattr(error, "strerror", None) or str(error)
