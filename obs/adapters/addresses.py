"""Addresses to listen at, as people write them."""

from __future__ import annotations

from obs.errors import Problem, UsageError


def parse_address(listen: str) -> tuple[str, int]:
    """Return host and port of `host:port`, `:port` (every interface) or `[v6]:port`; raise UsageError otherwise."""
    host, colon, port = listen.rpartition(":")
    if not colon or not port.isdigit() or int(port) > 65535:
        raise UsageError([Problem("--listen", f"`{listen}` is not an address", "write 127.0.0.1:9400")])
    return host.strip("[]") or "0.0.0.0", int(port)  # noqa: S104  # `:9400` asks for every interface
