"""URLs as inputs: what is asked for, what is followed, and how each way to fail is told."""

from __future__ import annotations

import json
import resource
import socket
import ssl
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.lint.commands import Ran, lone_registry, obs
from tests.lint.servers import Target, certificate, serving


@pytest.fixture(scope="module")
def target() -> Iterator[str]:
    """The base URL of a target."""
    with serving() as url:
        yield url


def lint(url: str, folder: Path, *more: object) -> Ran:
    """Lint a URL against a registry of `agent_ready`."""
    return obs("lint", url, "--registry", lone_registry(folder), *more)


@pytest.mark.parametrize("path", ["/metrics", "/gzip", "/here"])
def test_what_a_target_serves_is_judged(target: str, tmp_path: Path, path: str) -> None:
    """Plain and compressed answers are read, and a redirect on the same host is followed."""
    ran = lint(target + path, tmp_path)
    assert ran.code == 0, ran
    assert ran.out.startswith(f"{target}{path}: clean")


def test_the_headers_are_those_documented(target: str, tmp_path: Path) -> None:
    """OpenMetrics is asked for before text, gzip is welcome, quoted names are not asked for."""
    Target.seen.clear()
    lint(target + "/metrics", tmp_path)
    (sent,) = Target.seen
    documented = "application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5,*/*;q=0.1"
    assert sent["Accept"] == documented
    assert sent["Accept-Encoding"] == "gzip"
    assert "Authorization" not in sent
    assert documented in (Path(__file__).parents[2] / "docs" / "lint.md").read_text()


@pytest.mark.parametrize(
    ("path", "code"), [("/html-type", "OBS109"), ("/no-type", "OBS109"), ("/empty", "OBS101")]
)
def test_the_content_type_of_the_answer_counts(target: str, tmp_path: Path, path: str, code: str) -> None:
    """An answer whose type a server would refuse is reported, and so is an empty one."""
    ran = lint(target + path, tmp_path, "--format", "json")
    (found,) = json.loads(ran.out)["targets"][0]["findings"]
    assert found["code"] == code
    assert ran.code == (4 if path == "/empty" else 1)


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("/gone", "HTTP 404"),
        ("/private", "HTTP 401"),
        ("/away", "redirects to another host, `http://127.0.0.2:9/metrics`"),
        ("/loop", "more than 5 redirects"),
        ("/brotli", "Content-Encoding `br`"),
        ("/broken-gzip", "cut off"),
        ("/short", "cut off before its Content-Length"),
    ],
)
def test_what_cannot_be_read(target: str, tmp_path: Path, path: str, says: str) -> None:
    """Each failure has its words, one line, a remedy, and exit code 3; there is no report on it."""
    ran = lint(target + path, tmp_path)
    assert (ran.code, ran.out) == (3, "")
    assert ran.err.startswith(f"obs: {target}{path}: ")
    assert says in ran.err
    assert ran.err.count("\n") == 1
    assert "; " in ran.err


def test_a_slow_answer_ends_in_time(target: str, tmp_path: Path) -> None:
    """The time-out is for the whole answer, not for each byte of it."""
    ran = lint(target + "/slow", tmp_path, "--timeout", "0.5")
    assert ran.code == 3
    assert "no complete answer within 0.5s" in ran.err


def test_a_compressed_bomb_is_not_unpacked(target: str, tmp_path: Path) -> None:
    """The limit of bytes is for the unpacked body: two hundred megabytes in a small answer stay packed."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    ran = lint(target + "/bomb", tmp_path, "--max-bytes", "1000000", "--format", "json")
    assert json.loads(ran.out)["targets"][0]["findings"][0]["code"] == "OBS110"
    assert ran.code == 4
    # In KiB; the unpacked answer would be 195,000 of them.
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 60_000


def test_a_token_is_read_from_its_file(target: str, tmp_path: Path) -> None:
    """The token goes into the header, without the file's line feed; a file without one is refused."""
    token = tmp_path / "token"
    token.write_text("s3cret\n")
    assert lint(target + "/private", tmp_path, "--bearer-token-file", token).code == 0
    token.write_text("two words\n")
    ran = lint(target + "/private", tmp_path, "--bearer-token-file", token)
    assert ran.code == 2
    assert "words" not in ran.err
    assert lint(target + "/private", tmp_path, "--bearer-token-file", tmp_path / "gone").code == 3


def test_a_refused_connection(tmp_path: Path) -> None:
    """Nobody listening is said so."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    ran = lint(f"http://127.0.0.1:{port}/metrics", tmp_path)
    assert ran.code == 3
    assert "connection refused" in ran.err


@pytest.mark.parametrize("url", ["http://", "http://[::1/metrics", "http://host:port/metrics"])
def test_a_url_that_is_none(tmp_path: Path, url: str) -> None:
    """A malformed URL is a usage error, not a traceback."""
    assert lint(url, tmp_path).code in {2, 3}


def test_a_password_in_a_url_is_not_repeated(tmp_path: Path) -> None:
    """Credentials in a URL are refused, and neither printed nor sent."""
    ran = lint("http://user:hunter2@127.0.0.1:9/metrics", tmp_path)
    assert ran.code == 2
    assert "hunter2" not in ran.err + ran.out
    assert "--bearer-token-file" in ran.err


@pytest.mark.tools
def test_certificates(tmp_path: Path) -> None:
    """A server is believed only with a CA that signed it, and may want a client certificate."""
    server_pem, server_key = certificate(tmp_path, "server")
    client_pem, client_key = certificate(tmp_path, "client")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(server_pem, server_key)
    context.load_verify_locations(client_pem)
    context.verify_mode = ssl.CERT_REQUIRED
    with serving(context) as url:
        ran = lint(url + "/metrics", tmp_path)
        assert ran.code == 3
        assert "its certificate is not trusted" in ran.err
        assert lint(url + "/metrics", tmp_path, "--ca", server_pem).code == 3
        mutual = ("--ca", server_pem, "--cert", client_pem, "--key", client_key)
        assert lint(url + "/metrics", tmp_path, *mutual).code == 0
        ran = lint(url + "/metrics", tmp_path, "--ca", client_key)
        assert ran.code == 2
        assert "cannot be used for TLS" in ran.err
