"""Targets that misbehave: one real server, one path for each way to do it."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import socket
import ssl
import struct
import threading
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from typing import Self

Behaviour = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
TEXT = "text/plain; version=0.0.4; charset=utf-8"


def response(body: bytes, *, status: str = "200 OK", content_type: str = TEXT, more: str = "") -> bytes:
    """A response as bytes."""
    head = f"HTTP/1.1 {status}\r\nContent-Type: {content_type}\r\nContent-Length: {len(body)}\r\n{more}\r\n"
    return head.encode() + body


def says(data: bytes) -> Behaviour:
    """A server that answers with fixed bytes and hangs up."""

    async def answer(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(data)
        await writer.drain()

    return answer


async def hangs(reader: asyncio.StreamReader, _: asyncio.StreamWriter) -> None:
    """Say nothing until the client is tired of it."""
    await reader.read()


async def resets(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Reset the connection instead of answering."""
    raw = writer.get_extra_info("socket")
    raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


def drips(start: bytes, drop: bytes, pause: float = 0.02) -> Behaviour:
    """A server that is never done: `start`, then `drop` for ever."""

    async def answer(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(start)
        while True:
            writer.write(drop)
            await writer.drain()
            await asyncio.sleep(pause)

    return answer


CHUNKED = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain; version=0.0.4\r\nTransfer-Encoding: chunked\r\n\r\n"
GOOD = b"# HELP agent_up Up.\n# TYPE agent_up gauge\nagent_up 1\n"
BOMB = gzip.compress(b"a" * (64 << 20))
GZIP = "Content-Encoding: gzip\r\n"


class HostileServer:
    """A server in a thread of its own; `url(path)` is a target, `seen` counts requests by path."""

    def __init__(self, behaviours: dict[str, Behaviour], tls: ssl.SSLContext | None = None) -> None:
        self.behaviours = behaviours
        self.seen: Counter[str] = Counter()
        self.requests: dict[str, bytes] = {}
        self._tls = tls
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self.port = 0

    def url(self, path: str) -> str:
        """The URL of a behaviour."""
        return f"http{'s' if self._tls else ''}://127.0.0.1:{self.port}/{path}"

    def __enter__(self) -> Self:
        self._thread.start()
        self._ready.wait()
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.set_exception_handler(lambda *_: None)
        server = self._loop.run_until_complete(
            asyncio.start_server(self._serve, "127.0.0.1", 0, ssl=self._tls, backlog=2000)
        )
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        self._loop.run_forever()
        server.close()
        tasks = asyncio.all_tasks(self._loop)
        for task in tasks:
            task.cancel()
        self._loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
        self._loop.run_until_complete(asyncio.sleep(0.01))
        self._loop.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            try:
                head = await reader.readuntil(b"\r\n\r\n")
                path = head.split(b" ")[1].decode().lstrip("/").partition("?")[0]
                self.seen[path] += 1
                self.requests[path] = head
                behaviour = self.behaviours.get(path) or self.behaviours[path.rstrip("0123456789")]
                await behaviour(reader, writer)
                writer.close()
                await writer.wait_closed()
            finally:
                writer.transport.abort()


@contextlib.contextmanager
def unused_port() -> Iterator[int]:
    """A port at which nobody listens."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield taken.getsockname()[1]
