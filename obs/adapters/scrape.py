"""Fetches a body over HTTP as a Prometheus server would, with limits on time, size and redirects."""

from __future__ import annotations

import http.client
import ssl
import time
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import SplitResult, urljoin, urlsplit

from obs.adapters.files import read_text
from obs.adapters.scrape_access import Access
from obs.errors import Problem, UnreadableError, UsageError

ACCEPT = "application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5,*/*;q=0.1"
"""What is asked for: OpenMetrics 1.0 before text 0.0.4, as a Prometheus server does. Quoted names are not."""

MOST_REDIRECTS = 5
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_CHUNK = 1 << 16


@dataclass(frozen=True, slots=True)
class Response:
    """A body, unpacked, and its Content-Type (empty when the server sent none)."""

    body: bytes
    content_type: str


def fetch(url: str, access: Access) -> Response:
    """Return what `url` serves; at most one byte more than `access.max_bytes` is read.

    A redirect is followed on the same scheme, host and port only. Raise UnreadableError when nothing usable came back,
    UsageError for a URL or a client certificate that cannot be used.
    """
    deadline = time.monotonic() + access.timeout
    here = url
    for _ in range(MOST_REDIRECTS + 1):
        answer = _get(here, access, deadline)
        if isinstance(answer, Response):
            return answer
        here = _followed(url, here, answer)
    raise _unreadable(url, f"more than {MOST_REDIRECTS} redirects", "use the final URL")


def _followed(url: str, here: str, location: str) -> str:
    """Return the target of a redirect; a bearer token must not go to another host, nor a judgement to its body."""
    there = urljoin(here, location)
    if _origin(urlsplit(there)) != _origin(urlsplit(here)):
        raise _unreadable(url, f"redirects to another host, `{there[:200]}`", "use that URL if it is meant")
    return there


def _origin(parts: SplitResult) -> tuple[str, str | None, int | None]:
    port = parts.port or {"http": 80, "https": 443}.get(parts.scheme)
    return parts.scheme, parts.hostname, port


def _get(url: str, access: Access, deadline: float) -> Response | str:
    """Return the response, or the location it redirects to."""
    parts = _split(url)
    connection = _connection(parts, access, deadline)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    try:
        connection.request("GET", path, headers=_headers(access))
        with connection.getresponse() as answer:
            if answer.status in _REDIRECTS and answer.headers.get("Location"):
                return answer.headers["Location"]
            if answer.status != 200:
                raise _unreadable(url, f"HTTP {answer.status} {answer.reason}", _status_remedy(answer.status))
            body = _body(url, connection, answer, access, deadline)
            return Response(body, answer.headers.get("Content-Type", ""))
    except (OSError, http.client.HTTPException) as error:
        raise _failed(url, error, access) from error
    finally:
        connection.close()


def _split(url: str) -> SplitResult:
    """Return the parts of a URL that can be fetched; one with a password in it would end up in reports and logs."""
    try:
        parts = urlsplit(url)
        usable = bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        usable = False
    if not usable:
        raise UsageError([Problem(url, "not a URL that can be fetched", "write http://host:port/metrics")])
    if parts.username is not None or parts.password is not None:
        shown = f"{parts.scheme}://...@{parts.hostname}"
        raise UsageError(
            [Problem(shown, "credentials in a URL", "use --bearer-token-file, or --cert and --key")]
        )
    return parts


def _connection(parts: SplitResult, access: Access, deadline: float) -> http.client.HTTPConnection:
    left = max(0.001, deadline - time.monotonic())
    host = str(parts.hostname)
    if parts.scheme == "http":
        return http.client.HTTPConnection(host, parts.port, timeout=left)
    return http.client.HTTPSConnection(host, parts.port, timeout=left, context=_tls(access))


def _tls(access: Access) -> ssl.SSLContext:
    files = [path for path in (access.authority, access.certificate, access.key) if path]
    try:
        context = ssl.create_default_context(cafile=str(access.authority) if access.authority else None)
        if access.certificate:
            context.load_cert_chain(str(access.certificate), str(access.key) if access.key else None)
    except (OSError, ssl.SSLError) as error:
        shown = ", ".join(map(str, files))
        raise UsageError([Problem(shown, f"cannot be used for TLS: {error}", "give PEM files")]) from error
    return context


def _headers(access: Access) -> Mapping[str, str]:
    headers = {"Accept": ACCEPT, "Accept-Encoding": "gzip", "User-Agent": access.user_agent}
    if access.token_file:
        headers["Authorization"] = f"Bearer {_token(access.token_file)}"
    return headers


def _token(path: Path) -> str:
    token = read_text(path).strip()
    if not token or not token.isprintable() or " " in token:
        raise UsageError([Problem(str(path), "holds no bearer token", "write the token alone into the file")])
    return token


def _body(
    url: str,
    connection: http.client.HTTPConnection,
    answer: http.client.HTTPResponse,
    access: Access,
    deadline: float,
) -> bytes:
    chunks = _chunks(connection, answer, deadline)
    encoding = answer.headers.get("Content-Encoding", "").strip().lower()
    if encoding == "gzip":
        return unpack(chunks, access.max_bytes, url)
    if encoding not in {"", "identity"}:
        raise _unreadable(url, f"Content-Encoding `{encoding}` was not asked for", "serve gzip or identity")
    return _joined(chunks, access.max_bytes)


def _chunks(
    connection: http.client.HTTPConnection, answer: http.client.HTTPResponse, deadline: float
) -> Iterator[bytes]:
    """Yield the body as it arrives; the time-out is for all of it, however slowly it drips."""
    while True:
        left = deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        if connection.sock is not None:
            connection.sock.settimeout(left)
        chunk = answer.read1(_CHUNK)
        if not chunk:
            break
        yield chunk
    if answer.length:
        raise http.client.IncompleteRead(b"", answer.length)


def _joined(chunks: Iterator[bytes], most: int) -> bytes:
    parts: list[bytes] = []
    size = 0
    for chunk in chunks:
        parts.append(chunk)
        size += len(chunk)
        if size > most:
            break
    return b"".join(parts)[: most + 1]


def unpack(chunks: Iterator[bytes], most: int, source: str) -> bytes:
    """Return the gzip stream in `chunks` unpacked, at most one byte more than `most`; raise UnreadableError."""
    unpacker = zlib.decompressobj(wbits=31)
    parts: list[bytes] = []
    room = most + 1
    try:
        for chunk in chunks:
            part = unpacker.decompress(chunk, room)
            parts.append(part)
            room -= len(part)
            if room <= 0:
                return b"".join(parts)
    except zlib.error as error:
        raise _unreadable(source, f"not a gzip stream: {error}", "check who compresses it") from error
    if not unpacker.eof:
        raise _unreadable(source, "the gzip stream is cut off", "fetch it again")
    return b"".join(parts)


def _status_remedy(status: int) -> str:
    if status in {401, 403}:
        return "give --bearer-token-file or a client certificate"
    if status in _REDIRECTS:
        return "it redirects without saying where to"
    return "check the path" if status == 404 else "ask the target's log"


def _failed(url: str, error: Exception, access: Access) -> UnreadableError:
    match error:
        case TimeoutError():
            return _unreadable(url, f"no complete answer within {access.timeout:g}s", "raise --timeout")
        case ssl.SSLCertVerificationError():
            return _unreadable(
                url, f"its certificate is not trusted: {error.verify_message}", "give --ca FILE"
            )
        case ssl.SSLError(reason="WRONG_VERSION_NUMBER"):
            return _unreadable(url, "the server does not speak TLS", "write http://")
        case ConnectionRefusedError():
            return _unreadable(url, "connection refused", "check host and port, and that it is running")
        case http.client.IncompleteRead():
            return _unreadable(url, "the answer was cut off before its Content-Length", "fetch it again")
    return _unreadable(url, str(error) or type(error).__name__, "check the URL")


def _unreadable(where: str, message: str, remedy: str) -> UnreadableError:
    return UnreadableError([Problem(where, message, remedy)])
