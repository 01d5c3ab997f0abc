"""Where a capabilities manifest comes from: a file, a URL, or a command that prints it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

from obs.adapters.files import read_text
from obs.adapters.scrape_access import Access, is_url
from obs.adapters.sidecar.client import Outcome, TlsContexts, fetch
from obs.adapters.sidecar.targets import Target
from obs.errors import ObsError

EVERY = 60.0
"""Seconds after which a manifest is read again; it is also read again when the process is a new one."""

MAX_BYTES = 1 << 20
_COMMAND_TIMEOUT = 10.0


class NoManifestError(Exception):
    """There should be a manifest and it cannot be had; the text says why."""


async def read_manifest(source: str, target: Target, contexts: TlsContexts) -> str:
    """Return the text of a manifest; raise NoManifestError. A bearer token is only sent to the target's own host."""
    if not is_url(source):
        try:
            return read_text(Path(source))[: MAX_BYTES + 1]
        except ObsError as error:
            raise NoManifestError(error.problems[0].message) from error
    access: Access = replace(target.access, max_bytes=MAX_BYTES)
    if urlsplit(source)[:2] != urlsplit(target.url)[:2]:
        access = replace(access, token_file=None)
    fetched = await fetch(source, access, contexts, accept="application/json")
    if fetched.outcome is not Outcome.OK:
        raise NoManifestError(fetched.detail)
    return fetched.body.decode("utf-8", "replace")


async def run_command(command: Sequence[str]) -> str:
    """Return what a command, run without a shell, prints; raise NoManifestError when it fails or hangs."""
    try:
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
        )
    except OSError as error:
        raise NoManifestError(f"{command[0]}: {error.strerror or error}") from error
    try:
        async with asyncio.timeout(_COMMAND_TIMEOUT):
            assert process.stdout is not None  # noqa: S101 - it is a pipe
            output = await _limited(process.stdout)
            code = await process.wait()
    except TimeoutError as error:
        raise NoManifestError(f"{command[0]}: not done within {_COMMAND_TIMEOUT:g}s") from error
    finally:
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
    if code != 0:
        raise NoManifestError(f"{command[0]}: exit code {code}")
    return output.decode("utf-8", "replace")


async def _limited(stream: asyncio.StreamReader) -> bytes:
    output = b""
    while chunk := await stream.read(1 << 16):
        output += chunk
        if len(output) > MAX_BYTES:
            raise NoManifestError("prints more than 1 MiB")
    return output
