"""TLS contexts: made when the first target needs one, made anew when a certificate file changes."""

from __future__ import annotations

import ssl
from dataclasses import dataclass, field
from pathlib import Path

from obs.adapters.scrape_access import Access
from obs.errors import ConfigInvalidError, Problem

_Key = tuple[tuple[str, int, int], ...]


@dataclass(slots=True)
class ClientContexts:
    """The contexts by what they are made of; a rotated certificate is used from the next scrape on."""

    _made: dict[_Key, ssl.SSLContext] = field(default_factory=dict)

    def __call__(self, access: Access) -> ssl.SSLContext:
        """Return the context for a target; raise OSError when a file of it cannot be used."""
        files = (access.authority, access.certificate, access.key)
        key = tuple(_state(path) for path in files)
        context = self._made.get(key)
        if context is None:
            if len(self._made) > 100:  # rotated away
                self._made.clear()
            context = self._made[key] = _client(access)
        return context


def _state(path: Path | None) -> tuple[str, int, int]:
    if path is None:
        return ("", 0, 0)
    status = path.stat()
    return (str(path), status.st_mtime_ns, status.st_ino)


def _client(access: Access) -> ssl.SSLContext:
    context = ssl.create_default_context(cafile=access.authority)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    if access.certificate:
        context.load_cert_chain(access.certificate, access.key)
    return context


def server(certificate: str, key: str) -> ssl.SSLContext:
    """Return the context of the sidecar's own listener; raise ConfigInvalidError when a file cannot be used."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    try:
        context.load_cert_chain(certificate, key)
    except (OSError, ssl.SSLError) as error:
        where = f"{certificate}, {key}"
        raise ConfigInvalidError(
            [Problem(where, f"cannot be used for TLS: {error}", "give PEM files")]
        ) from error
    return context
