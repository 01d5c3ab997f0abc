"""Asking a Prometheus that is not there, or does not answer as one."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from obs.adapters.prometheus_api import PrometheusApi
from obs.errors import UnreadableError, UsageError
from obs.preview.clock import Range
from obs.preview.label_values import LabelQuestion, read_question
from obs.preview.picture import Question

SPAN = Range(100.0, 160.0)


@contextmanager
def _answering(status: int, body: bytes) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.do_GET()

        def do_GET(self) -> None:
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.mark.parametrize("address", ["", "prometheus:9090", "ftp://x/", "file:///etc/passwd", "http://"])
def test_what_is_no_address_is_a_usage_error(address):
    """Only http and https are asked."""
    with pytest.raises(UsageError, match="is not a URL"):
        PrometheusApi(address).check()


def test_nobody_there_is_unreadable():
    """A refused connection says whether a Prometheus runs there."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        with pytest.raises(UnreadableError, match="is a Prometheus running there"):
            PrometheusApi(f"http://127.0.0.1:{probe.getsockname()[1]}").check()


@pytest.mark.parametrize(
    ("status", "body", "said"),
    [
        (400, json.dumps({"status": "error", "error": "parse error"}).encode(), "parse error"),
        (503, b"starting", "HTTP 503"),
        (200, b"<html>", "no answer"),
        (200, b"[]", "not an answer"),
    ],
)
def test_every_failure_is_an_answer(status, body, said):
    """A panel shows why it has no data; nothing is raised."""
    with _answering(status, body) as address:
        for every in (0.0, 20.0):
            assert said in PrometheusApi(address).ask(Question("x", SPAN, every)).error
        assert PrometheusApi(address).label_values(LabelQuestion("job", ""), SPAN) == ()


def test_label_values_are_read():
    """The values of a label are those Prometheus lists."""
    with _answering(200, json.dumps({"status": "success", "data": ["a", "b"]}).encode()) as address:
        assert PrometheusApi(address).label_values(LabelQuestion("job", "up"), SPAN) == ("a", "b")


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("label_values(agent_up, job)", LabelQuestion("job", "agent_up")),
        (
            'label_values(agent_up{a="x,y",b=~"(p|q)"}, job)',
            LabelQuestion("job", 'agent_up{a="x,y",b=~"(p|q)"}'),
        ),
        ("label_values(job)", LabelQuestion("job", "")),
        ("query_result(up)", None),
    ],
)
def test_a_variable_asks_for_label_values(query, expected):
    """Both forms of label_values are understood, commas inside a selector too."""
    assert read_question(query) == expected
