"""Keeps the list of targets current: file_sd files when they change, names and http_sd servers now and then.

A source that cannot be read keeps the targets it had: a half-written file must not make a namespace unwatched.
"""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from obs.adapters.files import read_text
from obs.adapters.sidecar.client import Outcome, TlsContexts, fetch
from obs.adapters.sidecar.configuration import Configuration
from obs.adapters.sidecar.targets import Target, named, read_groups
from obs.errors import InvalidInputError, ObsError, Problem, UnreadableError

FILES_EVERY = 1.0
"""Seconds between two looks at the files' times."""

_State = tuple[tuple[str, int, int, int], ...]


@dataclass(slots=True)
class Discovery:
    """The targets of all sources. `note` is told of each reading: its source, and what is wrong (empty: nothing)."""

    config: Configuration
    contexts: TlsContexts
    note: Callable[[str, str], None]
    _files: dict[str, tuple[Target, ...]] = field(default_factory=dict)
    _states: dict[str, _State] = field(default_factory=dict)
    _served: dict[str, tuple[Target, ...]] = field(default_factory=dict)

    def read_files(self, *, strict: bool = False) -> bool:
        """Read the files that changed; return whether one did. `strict`: raise what is wrong instead of noting it."""
        changed = False
        for pattern in self.config.targets_file:
            paths = _matching(pattern)
            state = tuple(_state(path) for path in paths)
            if state == self._states.get(pattern):
                continue
            self._states[pattern] = state
            changed = True
            try:
                found = tuple(target for path in paths for target in self._read(path))
            except ObsError as error:
                if strict:
                    raise
                self.note(pattern, str(error.problems[0]))
            else:
                self._files[pattern] = found
                self.note(pattern, "")
        return changed

    async def ask(self) -> None:
        """Ask each http_sd server and each name."""
        await self._ask_names()
        for address in self.config.http_sd:
            fetched = await fetch(address, self.config.access, self.contexts, accept="application/json")
            try:
                if fetched.outcome is not Outcome.OK:
                    raise UnreadableError([Problem(address, fetched.detail)])
                data = _json(fetched.body.decode("utf-8", "replace"), address)
                self._served[address] = read_groups(data, self.config.access, address)
            except ObsError as error:
                self.note(address, str(error.problems[0]))
            else:
                self.note(address, "")

    async def _ask_names(self) -> None:
        loop = asyncio.get_running_loop()
        for host, port in self.config.dns_sd:
            try:
                async with asyncio.timeout(self.config.timeout):
                    found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
            except (OSError, TimeoutError, UnicodeError) as error:
                self.note(f"{host}:{port}", getattr(error, "strerror", None) or "no answer in time")
                continue
            hosts = sorted({str(address[4][0]) for address in found})
            addresses = [f"[{one}]:{port}" if ":" in one else f"{one}:{port}" for one in hosts]
            group = [{"targets": addresses}]
            self._served[f"{host}:{port}"] = read_groups(group, self.config.access, host)
            self.note(f"{host}:{port}", "")

    def targets(self) -> tuple[Target, ...]:
        """Return all targets, each once."""
        found = [*self.config.targets]
        for group in (*self._files.values(), *self._served.values()):
            found += group
        return named(found)

    def _read(self, path: Path) -> tuple[Target, ...]:
        content = read_text(path)
        if path.suffix == ".json":
            data = _json(content, str(path))
        else:
            from obs.documents.load import load_yaml  # noqa: PLC0415 - only a YAML file needs it

            data = load_yaml(content, str(path)).data
        return read_groups(data if data is not None else [], self.config.access, str(path))


def _matching(pattern: str) -> list[Path]:
    path = Path(pattern)
    return sorted(path.parent.glob(path.name)) if "*" in path.name else [path]


def _state(path: Path) -> tuple[str, int, int, int]:
    try:
        status = path.stat()
    except OSError:
        return (str(path), 0, 0, 0)
    return (str(path), status.st_mtime_ns, status.st_size, status.st_ino)


def _json(text: str, source: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidInputError([Problem(source, f"not JSON: {error}")]) from error
