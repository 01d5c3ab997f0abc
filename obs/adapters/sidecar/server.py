"""The sidecar's own HTTP server: GET and HEAD of five paths, a limit on everything, nothing else.

One request a connection: a server that is scraped every few seconds gains nothing from keeping connections, and a
connection that is closed cannot hang.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from obs.adapters.sidecar.state import Totals

MAX_HEAD = 8 << 10
"""Bytes of a request's head."""

MAX_CONNECTIONS = 64
"""Connections served at once; one more is closed unanswered."""

READ_TIMEOUT = 5.0
"""Seconds in which a request must be complete."""

WRITE_TIMEOUT = 10.0
"""Seconds in which a client must have taken the answer."""

TEXT = "text/plain; charset=utf-8"


@dataclass(frozen=True, slots=True)
class Answer:
    """A response."""

    status: int
    body: bytes
    content_type: str = TEXT


Route = Callable[[], Answer]
_REASONS = {
    200: "OK",
    400: "Bad Request",
    404: "Not Found",
    405: "Method Not Allowed",
    413: "Content Too Large",
    431: "Request Header Fields Too Large",
    503: "Service Unavailable",
}
_SAFE = (
    "Cache-Control: no-store",
    "X-Content-Type-Options: nosniff",
    "Content-Security-Policy: default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    "Referrer-Policy: no-referrer",
    "Connection: close",
)


@dataclass(slots=True)
class Server:
    """Serves `routes` by path."""

    routes: Mapping[str, Route]
    totals: Totals
    _open: set[asyncio.StreamWriter] = field(default_factory=set)
    _server: asyncio.Server | None = None

    async def start(self, host: str, port: int, tls: ssl.SSLContext | None) -> str:
        """Listen; return `host:port` as bound. Raise OSError when the address cannot be used."""
        self._server = await asyncio.start_server(
            self._client, host or None, port, ssl=tls, limit=MAX_HEAD, backlog=MAX_CONNECTIONS
        )
        name = self._server.sockets[0].getsockname()
        return f"[{name[0]}]:{name[1]}" if ":" in name[0] else f"{name[0]}:{name[1]}"

    async def stop(self) -> None:
        """Stop listening and drop who is still connected."""
        if self._server is not None:
            self._server.close()
        for writer in list(self._open):
            writer.transport.abort()

    async def _client(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if len(self._open) >= MAX_CONNECTIONS:
            self.totals.refused_requests += 1
            writer.transport.abort()
            return
        self._open.add(writer)
        try:
            await self._exchange(reader, writer)
        except (OSError, TimeoutError, asyncio.IncompleteReadError):
            self.totals.refused_requests += 1
        finally:
            self._open.discard(writer)
            writer.transport.abort()

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(READ_TIMEOUT):
                head = await reader.readuntil(b"\r\n\r\n")
        except asyncio.LimitOverrunError:
            answer, head = Answer(431, b"the request's head is too large\n"), b""
        else:
            answer = self._answer(head)
        if answer.status in {400, 413, 431}:
            self.totals.refused_requests += 1
        writer.write(_response(answer, is_head=head.startswith(b"HEAD ")))
        async with asyncio.timeout(WRITE_TIMEOUT):
            await writer.drain()
            writer.close()
            await writer.wait_closed()

    def _answer(self, head: bytes) -> Answer:
        line, *headers = head.decode("latin-1").split("\r\n")
        words = line.split(" ")
        if len(words) != 3 or not words[2].startswith("HTTP/1."):
            return Answer(400, b"not an HTTP/1 request\n")
        if words[0] not in {"GET", "HEAD"}:
            return Answer(405, b"only GET and HEAD\n")
        if any(_has_body(header) for header in headers):
            return Answer(413, b"a request here has no body\n")
        route = self.routes.get(words[1].partition("?")[0])
        if route is None:
            paths = " ".join(self.routes)
            return Answer(404, f"no such path; there are {paths}\n".encode())
        return route()


def _has_body(header: str) -> bool:
    name, _, value = header.partition(":")
    name = name.strip().lower()
    return name == "transfer-encoding" or (name == "content-length" and value.strip() != "0")


def _response(answer: Answer, *, is_head: bool) -> bytes:
    lines = [
        f"HTTP/1.1 {answer.status} {_REASONS[answer.status]}",
        f"Content-Type: {answer.content_type}",
        f"Content-Length: {len(answer.body)}",
        *_SAFE,
        *(["Allow: GET, HEAD"] if answer.status == 405 else []),
    ]
    head = "\r\n".join([*lines, "", ""]).encode("latin-1")
    return head if is_head else head + answer.body
