"""`obs preview` on the command line: what it refuses, and the file it writes."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

PREVIEW = (sys.executable, "-m", "obs", "preview")


class _Prometheus(BaseHTTPRequestHandler):
    """Answers every query with one series of value 1."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        result = [{"metric": {"pod": "a</script>"}, "value": [1, "1"], "values": [[1, "1"]]}]
        self._send({"status": "success", "data": {"resultType": "vector", "result": result}})

    def do_GET(self) -> None:
        self._send({"status": "success", "data": ["one"]})

    def _send(self, value: object) -> None:
        body = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def prometheus() -> Iterator[str]:
    """Return the address of a stand-in."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Prometheus)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def board(tmp_path: Path) -> Path:
    """Return a folder with one board."""
    folder = tmp_path / "boards"
    folder.mkdir()
    panel = {
        "id": 1,
        "type": "table",
        "title": "T",
        "gridPos": {"x": 0, "y": 0, "w": 24, "h": 8},
        "targets": [{"refId": "A", "expr": "x", "instant": True}],
    }
    (folder / "b.json").write_text(json.dumps({"uid": "b", "title": "B", "panels": [panel]}))
    return folder


def _run(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*PREVIEW, *map(str, arguments)], capture_output=True, text=True, check=False)


def test_one_of_listen_and_out_is_needed(board):
    """Neither and both are usage errors with an example."""
    for more in ((), ("--listen", "127.0.0.1:0", "--out", "x.html")):
        done = _run(board, "--prometheus", "http://127.0.0.1:1", *more)
        assert done.returncode == 2
        assert "--out boards.html" in done.stderr


def test_a_prometheus_that_is_away_is_exit_3(board):
    """Nobody at the address is said before anything is served."""
    done = _run(board, "--prometheus", "http://127.0.0.1:1", "--listen", "127.0.0.1:0")
    assert done.returncode == 3
    assert "is a Prometheus running there" in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(("folder", "code"), [("none", 3), ("empty", 4)])
def test_a_folder_without_boards_is_said(prometheus, tmp_path, folder, code):
    """No folder cannot be read; an empty one holds nothing to look at."""
    (tmp_path / "empty").mkdir()
    for more in (("--listen", "127.0.0.1:0"), ("--out", tmp_path / "x.html")):
        done = _run(tmp_path / folder, "--prometheus", prometheus, *more)
        assert done.returncode == code
        assert "obs generate" in done.stderr


def test_a_file_is_written_and_its_name_said(board, prometheus, tmp_path):
    """One self-contained file; text from a label cannot end its script."""
    out = tmp_path / "boards.html"
    done = _run(board, "--prometheus", prometheus, "--out", out, "--from", "now-1h")
    assert (done.returncode, done.stderr) == (0, "")
    assert str(out) in done.stdout
    text = out.read_text()
    assert "a\\u003c/script\\u003e" in text
    assert "a</script>" not in text


def test_a_file_that_cannot_be_written_is_said(board, prometheus, tmp_path):
    """A folder that is not there is one line and exit code 3."""
    done = _run(board, "--prometheus", prometheus, "--out", tmp_path / "none" / "x.html")
    assert done.returncode == 3
    assert "cannot be written" in done.stderr


def test_a_range_that_is_none_is_a_usage_error(board, prometheus, tmp_path):
    """A start nobody can read is said with the way to write it."""
    done = _run(board, "--prometheus", prometheus, "--out", tmp_path / "x.html", "--from", "yesterday")
    assert done.returncode == 2
    assert "now-3h" in done.stderr
