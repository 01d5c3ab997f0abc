"""Fetches one body from a target: one deadline over everything, no other host, and a reason for every failure."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, urljoin, urlsplit

from obs.adapters.files import read_text
from obs.adapters.scrape_access import Access
from obs.adapters.sidecar import wire
from obs.errors import ObsError

if TYPE_CHECKING:
    import ssl

ACCEPT = "application/openmetrics-text;version=1.0.0;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1"
"""What is asked for, as by a Prometheus server; quoted names are not."""

MOST_REDIRECTS = 3
_REDIRECTS = frozenset({301, 302, 303, 307, 308})


class Outcome(StrEnum):
    """How a scrape ended; the values of the label `outcome` (registry/obs.registry.json)."""

    OK = "ok"
    REFUSED = "refused"  # no connection, or one that was reset
    TIMEOUT = "timeout"
    HTTP_STATUS = "http_status"  # another status than 200, or a redirect to another host
    NOT_METRICS = "not_metrics"  # an answer, and no exposition: another protocol, HTML, nothing at all
    TOO_LARGE = "too_large"
    PARSE = "parse"  # an exposition that a Prometheus server drops, or one that is cut off
    TLS = "tls"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Fetched:
    """What a scrape brought. `detail` is why there is no body; `seconds` how long it took."""

    outcome: Outcome
    body: bytes = b""
    content_type: str = ""
    detail: str = ""
    seconds: float = 0.0


class _FailedError(Exception):
    def __init__(self, outcome: Outcome, detail: str) -> None:
        super().__init__(detail)
        self.outcome, self.detail = outcome, detail


TlsContexts = Callable[[Access], "ssl.SSLContext"]


async def fetch(url: str, access: Access, contexts: TlsContexts, accept: str = ACCEPT) -> Fetched:
    """Return what `url` serves, or why not; only a cancellation is raised."""
    started = time.monotonic()
    try:
        async with asyncio.timeout(access.timeout):
            head, body = await _followed(url, access, contexts, accept)
        content_type = head.headers.get("content-type", "")
        return Fetched(Outcome.OK, body, content_type, seconds=time.monotonic() - started)
    except TimeoutError:
        failed = _FailedError(Outcome.TIMEOUT, f"no complete answer within {access.timeout:g}s")
    except _FailedError as error:
        failed = error
    except wire.TooLargeError as error:
        failed = _FailedError(Outcome.TOO_LARGE, str(error))
    except wire.CutOffError as error:
        failed = _FailedError(Outcome.PARSE, str(error))
    except wire.WireError as error:
        failed = _FailedError(Outcome.NOT_METRICS, str(error))
    except (OSError, ObsError, ValueError) as error:
        failed = _network(error)
    return Fetched(failed.outcome, detail=failed.detail, seconds=time.monotonic() - started)


async def _followed(url: str, access: Access, contexts: TlsContexts, accept: str) -> tuple[wire.Head, bytes]:
    here = url
    for _ in range(MOST_REDIRECTS + 1):
        head, body = await _exchange(here, access, contexts, accept)
        if head.status == 200:
            return head, body
        location = head.headers.get("location")
        if head.status not in _REDIRECTS or not location:
            raise _FailedError(Outcome.HTTP_STATUS, f"HTTP {head.status}")
        here = _same_origin(here, location)
    raise _FailedError(Outcome.HTTP_STATUS, f"more than {MOST_REDIRECTS} redirects")


def _same_origin(here: str, location: str) -> str:
    """Return where a redirect leads; only configured targets are connected to."""
    try:
        there = urljoin(here, location)
        same = _origin(urlsplit(there)) == _origin(urlsplit(here))
    except ValueError:
        same = False
    if not same or not there.isascii() or not there.isprintable() or " " in there:
        raise _FailedError(Outcome.HTTP_STATUS, "a redirect to another host, which is not followed")
    return there


def _origin(parts: SplitResult) -> tuple[str, str | None, int]:
    return parts.scheme, parts.hostname, _port(parts)


def _port(parts: SplitResult) -> int:
    return parts.port or (443 if parts.scheme == "https" else 80)


async def _exchange(url: str, access: Access, contexts: TlsContexts, accept: str) -> tuple[wire.Head, bytes]:
    parts = urlsplit(url)
    tls = contexts(access) if parts.scheme == "https" else None
    name = parts.hostname if tls else None
    reader, writer = await asyncio.open_connection(
        parts.hostname, _port(parts), ssl=tls, limit=wire.MAX_LINE, server_hostname=name
    )
    try:
        writer.write(_request(parts, access, accept))
        await writer.drain()
        head = await wire.read_head(reader)
        body = await wire.read_body(reader, head, access.max_bytes) if head.status == 200 else b""
    finally:
        # Not closed in good order but dropped: nothing more is wanted, and a peer that hangs must not hold us.
        writer.transport.abort()
        with contextlib.suppress(OSError, TimeoutError):
            await asyncio.sleep(0)
    return head, body


def _request(parts: SplitResult, access: Access, accept: str) -> bytes:
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    lines = [
        f"GET {path} HTTP/1.1",
        f"Host: {parts.netloc}",
        f"User-Agent: {access.user_agent}",
        f"Accept: {accept}",
        "Accept-Encoding: gzip",
        f"X-Prometheus-Scrape-Timeout-Seconds: {access.timeout:g}",
        "Connection: close",
    ]
    if access.token_file:
        token = read_text(access.token_file).strip()
        if not token or not token.isascii() or not token.isprintable() or " " in token:
            raise _FailedError(Outcome.OTHER, f"{access.token_file} holds no bearer token")
        lines.append(f"Authorization: Bearer {token}")
    return "\r\n".join([*lines, "", ""]).encode("ascii")


def _network(error: Exception) -> _FailedError:
    if isinstance(error, ObsError):  # a file that is needed to reach the target
        return _FailedError(Outcome.OTHER, str(error.problems[0]))
    if type(error).__module__ == "ssl" or "SSL" in type(error).__name__:
        return _FailedError(Outcome.TLS, getattr(error, "verify_message", "") or str(error))
    if isinstance(error, ConnectionRefusedError):  # asyncio words it as "Connect call failed"
        return _FailedError(Outcome.REFUSED, "connection refused")
    if isinstance(error, OSError):
        return _FailedError(Outcome.REFUSED, error.strerror or str(error) or type(error).__name__)
    return _FailedError(Outcome.OTHER, str(error))
