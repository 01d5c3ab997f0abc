"""How a target is reached: apart from the fetching, so that linting a file imports no HTTP and no TLS."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Access:
    """How to reach a target. `timeout` is in seconds and covers the whole request; `max_bytes` the unpacked body.

    `token_file` holds a bearer token, read anew at each request as it may be rotated; `certificate` and `key` are PEM
    files of a client certificate; `authority` is a PEM file of the CAs that may sign the server's.
    """

    timeout: float = 10.0
    max_bytes: int = 64 * 1024 * 1024
    token_file: Path | None = None
    certificate: Path | None = None
    key: Path | None = None
    authority: Path | None = None
    user_agent: str = "obs"


def is_url(source: str) -> bool:
    """Return whether an input is a URL to fetch."""
    return source[:8].lower().startswith(("http://", "https://"))
