"""Serves the preview: an index, a page a board, and what a page asks for: its own boards' questions, no others."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from obs.adapters.preview_boards import Look, Oracle, load_boards, take_picture
from obs.adapters.preview_page import asset, page
from obs.errors import ObsError, Problem, UnreadableError
from obs.preview.board import Board

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_TYPES = {".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8"}


@dataclass(slots=True)
class PreviewServer:
    """A preview of the boards in `folder`, answered by `oracle`. `address` is where it really listens."""

    folder: Path
    oracle: Oracle
    clock: Callable[[], float]
    _server: ThreadingHTTPServer

    @property
    def address(self) -> str:
        """Return `host:port`; an IPv6 host in brackets."""
        host, port = self._server.server_address[:2]
        return f"[{host!s}]:{port}" if ":" in str(host) else f"{host!s}:{port}"

    def serve(self) -> None:
        """Serve until `stop` is called from another thread or a signal handler."""
        try:
            self._server.serve_forever(poll_interval=0.1)
        finally:
            self._server.server_close()

    def stop(self) -> None:
        """Make `serve` return; safe in a signal handler, as it waits for nobody."""
        threading.Thread(target=self._server.shutdown, daemon=True).start()


def open_preview(
    folder: Path, oracle: Oracle, host_and_port: tuple[str, int], clock: Callable[[], float]
) -> PreviewServer:
    """Return a server bound to an address (port 0: any free one).

    Raise an ObsError when the boards cannot be read, UnreadableError when the address cannot be had.
    """
    load_boards(folder)
    host, port = host_and_port
    try:
        server = (_SixServer if ":" in host else _Server)((host, port), _Handler)
    except OSError as error:
        problem = Problem(
            f"{host}:{port}", f"cannot listen there: {error.strerror}", "choose another --listen"
        )
        raise UnreadableError([problem]) from error
    made = PreviewServer(folder, oracle, clock, server)
    server.owner = made
    return made


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64
    owner: PreviewServer

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing when a client goes away in the middle; anything else is a defect and is shown."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


class _SixServer(_Server):
    address_family = 10  # AF_INET6


@dataclass(frozen=True, slots=True)
class _Answer:
    status: int
    body: bytes
    content_type: str


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "obs-preview"
    sys_version = ""
    timeout = 60
    server: _Server

    def do_GET(self) -> None:
        try:
            answer = _get(self.server.owner, self.path)
        except ObsError as error:
            answer = _json(400, {"error": str(error)})
        self.send_response(answer.status)
        self.send_header("Content-Type", answer.content_type)
        self.send_header("Content-Length", str(len(answer.body)))
        self.send_header("Content-Security-Policy", _POLICY)
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(answer.body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  # the base class's name
        """Say nothing: the page shows what went wrong."""


def _get(owner: PreviewServer, url: str) -> _Answer:
    parts = urlsplit(url)
    path = [unquote(part) for part in parts.path.split("/") if part]
    match path:
        case ["assets", name] if (found := asset(name)) is not None:
            return _Answer(200, found, _TYPES[name[name.rindex(".") :]])
        case ["healthz"]:
            return _Answer(200, b"ok\n", "text/plain; charset=utf-8")
    boards = load_boards(owner.folder)
    match path:
        case []:
            return _page("Agents: boards", {"boards": listed(boards)})
        case ["d", uid, *_] if uid in boards:
            return _page(boards[uid].title, {"boards": listed(boards), "uid": uid})
        case ["api", "board", uid] if uid in boards:
            look = read_look(parse_qs(parts.query, keep_blank_values=True))
            return _json(200, take_picture(boards[uid], look, owner.oracle, owner.clock))
    return _json(404, {"error": f"nothing at {parts.path}; boards are at /d/<uid>: {', '.join(boards)}"})


def _page(title: str, data: Mapping[str, Any]) -> _Answer:
    return _Answer(200, page(title, data), "text/html; charset=utf-8")


def _json(status: int, value: Mapping[str, Any]) -> _Answer:
    return _Answer(status, json.dumps(value, separators=(",", ":")).encode(), "application/json")


def listed(boards: Mapping[str, Board]) -> list[dict[str, str]]:
    """Return uid, title and opening text of each board, for links and the index."""
    return [{"uid": uid, "title": board.title, "question": _question(board)} for uid, board in boards.items()]


def _question(board: Board) -> str:
    """Return the first line of the text a board opens with, else its description."""
    for panel in board.panels():
        if panel.kind == "text":
            content = str((panel.raw.get("options") or {}).get("content") or "")
            return content.strip().split("\n")[0].strip("*# ")
    return board.description


def read_look(query: Mapping[str, Sequence[str]]) -> Look:
    """Return what a query string asks for, in the spelling of Grafana's URLs (`from`, `to`, `var-x`)."""
    variables = {
        name.removeprefix("var-"): tuple(values) for name, values in query.items() if name.startswith("var-")
    }
    opened = frozenset(int(text) for text in query.get("open", ()) if text.isdecimal())
    marks = query.get("annotations")
    return Look(
        start=(query.get("from") or [""])[-1],
        end=(query.get("to") or [""])[-1],
        variables=variables,
        open_sections=opened,
        annotations=None if marks is None else frozenset(filter(None, marks)),
    )
