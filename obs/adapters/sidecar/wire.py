"""HTTP/1.1 responses off a stream, with a limit on everything: lines, headers, chunks, the body, and its unpacking.

Time is not kept here: the caller puts one deadline over the whole exchange, so that a body that drips is cut off too.
"""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field

MAX_LINE = 8 << 10
"""Bytes of a status line, a header line or a chunk's head."""

MAX_HEADERS = 100
"""Header lines of one response."""

_READ = 1 << 16
_MOST_INTERIM = 10


class WireError(Exception):
    """What came is no HTTP response that can be read; the text says why."""


class TooLargeError(WireError):
    """A limit was reached."""


class CutOffError(WireError):
    """The response ended before it was complete."""


@dataclass(frozen=True, slots=True)
class Head:
    """Status and headers of a response; header names are in lower case, of repeated ones the last counts."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)


async def read_head(reader: asyncio.StreamReader) -> Head:
    """Return the head of the final response; interim ones (1xx) are skipped."""
    for _ in range(_MOST_INTERIM):
        head = await _one_head(reader)
        if not 100 <= head.status < 200:
            return head
    raise WireError("more interim responses than an exchange needs")


async def _one_head(reader: asyncio.StreamReader) -> Head:
    line = await _line(reader)
    version, _, rest = line.partition(" ")
    status = rest[:3]
    if not version.startswith("HTTP/1.") or not status.isdecimal() or rest[3:4] not in {"", " "}:
        raise WireError(f"no HTTP/1 response: {line[:60]!r}")
    headers: dict[str, str] = {}
    for _ in range(MAX_HEADERS + 1):
        line = await _line(reader)
        if not line:
            return Head(int(status), headers)
        name, colon, value = line.partition(":")
        if not colon or not name or name != name.strip():
            raise WireError(f"no header line: {line[:60]!r}")
        headers[name.lower()] = value.strip()
    raise TooLargeError(f"more than {MAX_HEADERS} header lines")


async def _line(reader: asyncio.StreamReader) -> str:
    try:
        line = await reader.readuntil(b"\n")
    except asyncio.LimitOverrunError as error:
        raise TooLargeError(f"a line of the head is longer than {MAX_LINE} bytes") from error
    except asyncio.IncompleteReadError as error:
        raise CutOffError(
            "the connection was closed inside the head" if error.partial else "closed unanswered"
        ) from error
    if len(line) > MAX_LINE:
        raise TooLargeError(f"a line of the head is longer than {MAX_LINE} bytes")
    return line.decode("latin-1").rstrip("\r\n")


async def read_body(reader: asyncio.StreamReader, head: Head, most: int) -> bytes:
    """Return the body, unpacked; raise TooLargeError past `most` bytes, packed or unpacked."""
    encoding = head.headers.get("content-encoding", "").strip().lower()
    if encoding not in {"", "identity", "gzip", "x-gzip"}:
        raise WireError(f"Content-Encoding `{encoding[:40]}` was not asked for")
    chunks = _chunks(reader, head, most)
    return await (_joined(chunks, most) if encoding in {"", "identity"} else _unpacked(chunks, most))


def _chunks(reader: asyncio.StreamReader, head: Head, most: int) -> AsyncIterator[bytes]:
    transfer = head.headers.get("transfer-encoding", "").strip().lower()
    if transfer == "chunked":
        return _chunked(reader)
    if transfer not in {"", "identity"}:
        raise WireError(f"Transfer-Encoding `{transfer[:40]}` is not known")
    length = head.headers.get("content-length")
    if length is None:
        return _until_closed(reader)
    if not length.isascii() or not length.isdecimal() or len(length) > 18:
        raise WireError(f"Content-Length `{length[:40]}` is no number")
    if int(length) > most:
        raise TooLargeError(f"Content-Length is {length}, the limit is {most} bytes")
    return _exactly(reader, int(length))


async def _until_closed(reader: asyncio.StreamReader) -> AsyncIterator[bytes]:
    while chunk := await reader.read(_READ):
        yield chunk


async def _exactly(reader: asyncio.StreamReader, length: int) -> AsyncIterator[bytes]:
    left = length
    while left:
        chunk = await reader.read(min(left, _READ))
        if not chunk:
            raise CutOffError(f"the body ended {left} bytes before its Content-Length")
        left -= len(chunk)
        yield chunk


async def _chunked(reader: asyncio.StreamReader) -> AsyncIterator[bytes]:
    while True:
        text = (await _line(reader)).partition(";")[0].strip()
        if not text or len(text) > 16 or any(digit not in "0123456789abcdefABCDEF" for digit in text):
            raise WireError(f"no chunk size: {text[:40]!r}")
        size = int(text, 16)
        if not size:
            break
        async for part in _exactly(reader, size):
            yield part
        if await _line(reader):
            raise WireError("a chunk is longer than it says")
    for _ in range(MAX_HEADERS):
        if not await _line(reader):
            return
    raise TooLargeError("more trailers than headers are allowed")


async def _joined(chunks: AsyncIterator[bytes], most: int) -> bytes:
    parts: list[bytes] = []
    size = 0
    async for chunk in chunks:
        size += len(chunk)
        if size > most:
            raise TooLargeError(f"the body is larger than {most} bytes")
        parts.append(chunk)
    return b"".join(parts)


async def _unpacked(chunks: AsyncIterator[bytes], most: int) -> bytes:
    unpacker = zlib.decompressobj(wbits=31)
    parts: list[bytes] = []
    size = packed = 0
    async for chunk in chunks:
        packed += len(chunk)
        try:
            part = unpacker.decompress(chunk, most + 1 - size)
        except zlib.error as error:
            raise WireError(f"no gzip stream: {error}") from error
        size += len(part)
        if size > most or packed > most:
            raise TooLargeError(f"the body is larger than {most} bytes when it is unpacked")
        parts.append(part)
        if unpacker.unused_data:
            raise WireError("text after the end of the gzip stream")
    if not unpacker.eof:
        raise CutOffError("the gzip stream is cut off")
    return b"".join(parts)
