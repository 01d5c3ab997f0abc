"""Reads the inputs of a check: a file, the standard input, or a URL, never more than the limit of bytes."""

from __future__ import annotations

import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

from obs.adapters.files import reason_of
from obs.adapters.scrape_access import Access, is_url
from obs.errors import Problem, UnreadableError

STDIN = "-"
_GZIP = b"\x1f\x8b"
_CHUNK = 1 << 20
_ADDRESS = re.compile(r"\w+://|[\w.-]+:[0-9]+(/|$)")  # ftp://host/path, host:port, host:port/path


@dataclass(frozen=True, slots=True)
class Body:
    """The bytes of an input; `content_type` is None where nobody said one (a file)."""

    source: str
    data: bytes
    content_type: str | None = None


def read_body(source: str, max_bytes: int, access: Access | None = None) -> Body:
    """Return the body of a URL, of `-` or of a file; a file `*.gz` is unpacked.

    At most one byte more than `max_bytes` is read, so that the parser can say that there is more. Raise
    UnreadableError when it cannot be read.
    """
    if is_url(source):
        from obs.adapters.scrape import fetch  # noqa: PLC0415 - HTTP and TLS cost a file nothing

        answer = fetch(source, access or Access(max_bytes=max_bytes))
        return Body(source, answer.body, answer.content_type)
    if source == STDIN:
        return Body(source, _read(sys.stdin.buffer, max_bytes, 0))
    return Body(source, _read_file(source, max_bytes))


def _read_file(source: str, max_bytes: int) -> bytes:
    path = Path(source)
    try:
        with path.open("rb", buffering=0) as file:
            data = _read(cast(BinaryIO, file), max_bytes, os.fstat(file.fileno()).st_size)
    except (OSError, ValueError) as error:
        remedy = "URLs begin with http:// or https://" if _ADDRESS.match(source) else "check the path"
        raise UnreadableError([Problem(source, reason_of(error), remedy)]) from error
    if path.suffix == ".gz" and data.startswith(_GZIP):
        from obs.adapters.scrape import unpack  # noqa: PLC0415 - as above

        return unpack(iter((data,)), max_bytes, str(path))
    return data


def _read(file: BinaryIO, max_bytes: int, expected: int) -> bytes:
    """Return the rest of `file`, of which `expected` bytes are known to be there: so much is asked for at once."""
    parts: list[bytes] = []
    room = max_bytes + 1
    while room > 0 and (part := file.read(min(room, max(expected, _CHUNK)))):
        parts.append(part)
        room -= len(part)
    return parts[0] if len(parts) == 1 else b"".join(parts)
