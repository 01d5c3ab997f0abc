"""Targets that behave in every way a target can, on real sockets."""

from __future__ import annotations

import gzip
import ssl
import subprocess
import threading
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from tests.lint.commands import READY
from tests.tools import require

TEXT = "text/plain; version=0.0.4; charset=utf-8"


def bomb() -> bytes:
    """Two hundred megabytes of comments, packed piece by piece."""
    packer = zlib.compressobj(wbits=31)
    piece = b"# a\n" * 250_000
    return b"".join([*(packer.compress(piece) for _ in range(200)), packer.flush()])


class Target(BaseHTTPRequestHandler):
    """Answers by path; remembers the headers it was sent in `seen`."""

    seen: list[dict[str, str]] = []  # noqa: RUF012 - one server at a time, emptied when it starts

    def do_GET(self) -> None:
        """Answer one request."""
        self.seen.append(dict(self.headers))
        match self.path:
            case "/metrics":
                self.answer(READY.encode())
            case "/gzip":
                self.answer(gzip.compress(READY.encode()), encoding="gzip")
            case "/bomb":
                self.answer(bomb(), encoding="gzip")
            case "/brotli":
                self.answer(READY.encode(), encoding="br")
            case "/broken-gzip":
                self.answer(gzip.compress(READY.encode())[:-9], encoding="gzip")
            case "/html-type":
                self.answer(READY.encode(), content_type="text/html")
            case "/no-type":
                self.answer(READY.encode(), content_type="")
            case "/empty":
                self.answer(b"")
            case "/here":
                self.redirect("/metrics")
            case "/loop":
                self.redirect("/loop")
            case "/away":
                self.redirect("http://127.0.0.2:9/metrics")
            case "/slow":
                self.drip()
            case "/short":
                self.answer(READY.encode(), length=len(READY) + 10)
            case "/private" if self.headers.get("Authorization") != "Bearer s3cret":
                self.answer(b"", status=401)
            case "/private":
                self.answer(READY.encode())
            case _:
                self.answer(b"", status=404)

    def answer(
        self,
        body: bytes,
        *,
        status: int = 200,
        content_type: str = TEXT,
        encoding: str = "",
        length: int = -1,
    ) -> None:
        """Send a whole answer."""
        self.send_response(status)
        if content_type:
            self.send_header("Content-Type", content_type)
        if encoding:
            self.send_header("Content-Encoding", encoding)
        self.send_header("Content-Length", str(len(body) if length < 0 else length))
        self.end_headers()
        try:
            self.wfile.write(body)
        except OSError:  # the client had enough
            return

    def redirect(self, location: str) -> None:
        """Send the client elsewhere."""
        self.send_response(302)
        self.send_header("Location", location)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def drip(self) -> None:
        """Send a byte now and then: each arrives in time, the whole never does."""
        self.send_response(200)
        self.send_header("Content-Type", TEXT)
        self.end_headers()
        try:
            for _ in range(100):
                self.wfile.write(b"#")
                self.wfile.flush()
                time.sleep(0.1)
        except OSError:
            return

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class calls it so
        """Say nothing."""


@contextmanager
def serving(context: ssl.SSLContext | None = None) -> Iterator[str]:
    """Serve `Target` and yield its base URL."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Target)
    server.daemon_threads = True
    Target.seen.clear()
    if context is not None:
        server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield f"{'https' if context else 'http'}://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def certificate(folder: Path, name: str) -> tuple[Path, Path]:
    """Make a self-signed certificate for 127.0.0.1; return it and its key."""
    pem, key = folder / f"{name}.pem", folder / f"{name}.key"
    subprocess.run(
        [require("openssl"), "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
         "-nodes", "-days", "2", "-subj", f"/CN={name}", "-addext", "subjectAltName=IP:127.0.0.1",
         "-keyout", key, "-out", pem],
        check=True,
        capture_output=True,
    )  # fmt: skip
    return pem, key
