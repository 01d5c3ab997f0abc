"""Whatever a target does, the sidecar says the right word for it and goes on."""

from __future__ import annotations

import gzip
from collections.abc import Iterator

import pytest

from obs.adapters.sidecar.client import Outcome
from tests.sidecar.hostile import (
    BOMB,
    CHUNKED,
    GOOD,
    GZIP,
    Behaviour,
    HostileServer,
    drips,
    hangs,
    resets,
    response,
    says,
    unused_port,
)
from tests.sidecar.watched import look

OPENMETRICS = "application/openmetrics-text; version=1.0.0; charset=utf-8"
LONG = b"x" * 20_000

CASES: dict[str, tuple[Behaviour, Outcome]] = {
    "good": (says(response(GOOD)), Outcome.OK),
    "until-closed": (says(b"HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\n\r\n" + GOOD), Outcome.OK),
    "chunked": (says(CHUNKED + b"%x\r\n" % len(GOOD) + GOOD + b"\r\n0\r\n\r\n"), Outcome.OK),
    "gzip": (says(response(gzip.compress(GOOD), more=GZIP)), Outcome.OK),
    "interim": (says(b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + response(GOOD)), Outcome.OK),
    "openmetrics": (says(response(GOOD + b"# EOF\n", content_type=OPENMETRICS)), Outcome.OK),
    "redirect": (says(response(b"", status="302 Found", more="Location: /good\r\n")), Outcome.OK),
    "reset": (resets, Outcome.REFUSED),
    "hang": (hangs, Outcome.TIMEOUT),
    "slow-header": (drips(b"HTTP/1.1 200 OK\r\n", b"x"), Outcome.TIMEOUT),
    "slow-headers": (drips(b"HTTP/1.1 200 OK\r\n", b"x: y\r\n", pause=0.2), Outcome.TIMEOUT),
    "slow-body": (drips(response(b"")[:-4] + b"9999\r\n\r\n", b"a"), Outcome.TIMEOUT),
    "slow-chunks": (drips(CHUNKED, b"1\r\na\r\n"), Outcome.TIMEOUT),
    "endless-chunks": (drips(CHUNKED, b"10000\r\n" + b"a" * 65536 + b"\r\n", pause=0), Outcome.TOO_LARGE),
    "ten-gib": (says(b"HTTP/1.1 200 OK\r\nContent-Length: 10737418240\r\n\r\n"), Outcome.TOO_LARGE),
    "ten-gib-chunk": (drips(CHUNKED + b"280000000\r\n", b"a" * 65536, pause=0), Outcome.TOO_LARGE),
    "gzip-bomb": (says(response(BOMB, more=GZIP)), Outcome.TOO_LARGE),
    "long-status": (says(b"HTTP/1.1 200 " + LONG), Outcome.TOO_LARGE),
    "long-header": (says(b"HTTP/1.1 200 OK\r\nx: " + LONG + b"\r\n\r\n"), Outcome.TOO_LARGE),
    "many-headers": (says(b"HTTP/1.1 200 OK\r\n" + b"x: y\r\n" * 500 + b"\r\n"), Outcome.TOO_LARGE),
    "endless-interim": (drips(b"", b"HTTP/1.1 100 Continue\r\n\r\n", pause=0), Outcome.NOT_METRICS),
    "wrong-type": (says(response(GOOD, content_type="text/html; charset=utf-8")), Outcome.NOT_METRICS),
    "no-type": (says(response(GOOD, content_type="")), Outcome.NOT_METRICS),
    "html": (says(response(b"<html><title>Log in</title></html>", content_type="text/html")), Outcome.NOT_METRICS),
    "json": (says(response(b'{"status": "ok"}')), Outcome.NOT_METRICS),
    "empty": (says(response(b"")), Outcome.NOT_METRICS),
    "comments": (says(response(b"# HELP agent_up Up.\n# TYPE agent_up gauge\n")), Outcome.NOT_METRICS),
    "ssh": (says(b"SSH-2.0-OpenSSH_9.6\r\n"), Outcome.NOT_METRICS),
    "brotli": (says(response(b"abc", more="Content-Encoding: br\r\n")), Outcome.NOT_METRICS),
    "no-gzip": (says(response(GOOD, more=GZIP)), Outcome.NOT_METRICS),
    "204": (says(b"HTTP/1.1 204 No Content\r\n\r\n"), Outcome.HTTP_STATUS),
    "404": (says(response(b"no", status="404 Not Found")), Outcome.HTTP_STATUS),
    "500": (says(response(GOOD, status="500 Internal Server Error")), Outcome.HTTP_STATUS),
    "loop": (says(response(b"", status="302 Found", more="Location: /loop\r\n")), Outcome.HTTP_STATUS),
    "away": (says(response(b"", status="302 Found", more="Location: http://example.com/\r\n")), Outcome.HTTP_STATUS),
    "to-file": (says(response(b"", status="302 Found", more="Location: file:///etc/passwd\r\n")), Outcome.HTTP_STATUS),
    "odd-location": (says(response(b"", status="302 Found", more="Location: http://[::1\r\n")), Outcome.HTTP_STATUS),
    "cut-off": (says(response(GOOD)[:-5]), Outcome.PARSE),
    "cut-chunk": (says(CHUNKED + b"ff\r\nagent_up"), Outcome.PARSE),
    "cut-gzip": (says(response(gzip.compress(GOOD)[:-6], more=GZIP)), Outcome.PARSE),
    "cut-head": (says(b"HTTP/1.1 200 OK\r\nContent-"), Outcome.PARSE),
    "broken-line": (says(response(GOOD + b'agent_runs_total{status="a} 1\n')), Outcome.PARSE),
    "odd-chunk": (says(CHUNKED + b"zz\r\n"), Outcome.NOT_METRICS),
    "odd-length": (says(b"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n"), Outcome.NOT_METRICS),
}  # fmt: skip


@pytest.fixture(scope="module")
def server() -> Iterator[HostileServer]:
    """All behaviours on one port."""
    with HostileServer({name: behaviour for name, (behaviour, _) in CASES.items()}) as running:
        yield running


@pytest.mark.parametrize("name", CASES)
def test_the_outcome_is_named(server: HostileServer, name: str) -> None:
    """Each way to misbehave has its word; only an answer that was judged counts as success."""
    state = look(server.url(name), max_bytes="1MiB")
    assert (state.outcome, state.outcomes[CASES[name][1]]) == (CASES[name][1], 1), state.detail
    assert bool(state.last_success) == (state.outcome is Outcome.OK)


@pytest.mark.parametrize("name", ["html", "json", "empty", "comments", "wrong-type", "broken-line"])
def test_an_answer_that_is_no_exposition_is_never_conformant(server: HostileServer, name: str) -> None:
    """Nothing observed is not the same as nothing wrong: the verdict is bad and says why."""
    state = look(server.url(name))
    assert state.verdict is not None
    assert not state.verdict.conformant
    assert state.verdict.findings


def test_nobody_listens() -> None:
    """A closed port is a refusal, and no verdict."""
    with unused_port() as port:
        state = look(f"http://127.0.0.1:{port}/metrics")
    assert state.outcome is Outcome.REFUSED
    assert state.verdict is None


def test_an_unknown_host_is_a_refusal() -> None:
    """A name that does not resolve is told apart from nothing."""
    assert look("http://no-such-host.invalid/metrics", timeout="5s", interval="5s").outcome is Outcome.REFUSED


def test_no_other_host_is_ever_asked(server: HostileServer) -> None:
    """A redirect to another port is another origin: it is not followed."""
    with HostileServer({"elsewhere": says(response(GOOD))}) as other:
        server.behaviours["hop"] = says(
            response(b"", status="307 Temporary Redirect", more=f"Location: {other.url('elsewhere')}\r\n")
        )
        assert look(server.url("hop")).outcome is Outcome.HTTP_STATUS
        assert not other.seen


def worker(base: int, turn: int) -> bytes:
    """What one of several processes answers: a dozen counters from `base` on."""
    names = [f"agent_worker_{letter}_total" for letter in "abcdefghijkl"]
    return b"".join(
        f"# HELP {name} Counted.\n# TYPE {name} counter\n{name} {base * (at + 1) + turn}\n".encode()
        for at, name in enumerate(names)
    )


def test_a_body_that_alternates_between_two_workers(server: HostileServer) -> None:
    """Two processes behind one port are recognised by their counters, within a few scrapes."""
    turns = iter(range(100))

    async def answer(reader: object, writer: object) -> None:
        turn = next(turns)
        await says(response(worker(1000 if turn % 2 else 10, turn)))(reader, writer)  # type: ignore[arg-type] # passed on

    server.behaviours["workers"] = answer
    state = look(server.url("workers"), times=8, timeout="5s", interval="5s")
    assert state.verdict is not None
    assert "OBS502" in {code for code, _ in state.verdict.counts}
    assert "OBS501" not in {code for code, _ in state.verdict.counts}


def test_a_target_that_restarts(server: HostileServer) -> None:
    """Away for a scrape or not, a process that counts from zero again is no finding across scrapes."""
    bodies = iter(
        [worker(500, 1), worker(500, 9), worker(1, 0), worker(1, 5), b"", worker(0, 2), worker(0, 9)]
    )

    async def answer(reader: object, writer: object) -> None:
        body = next(bodies)
        await (says(response(body)) if body else resets)(reader, writer)  # type: ignore[arg-type] # passed on

    server.behaviours["restarts"] = answer
    state = look(server.url("restarts"), times=7, timeout="5s", interval="5s")
    assert state.verdict is not None
    assert not {code for code, _ in state.verdict.counts if code.startswith("OBS5")}
    assert state.outcomes[Outcome.REFUSED] == 1
