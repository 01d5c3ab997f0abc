"""The sidecar as a process of its own, as a person starts it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Self

import pytest

from tests.home import REPO

PATIENCE = 30.0
"""Seconds that a test waits for something that should take a tenth of one: the machine may be busy."""


class Running:
    """A sidecar that runs until the end of the block; its log is read line by line."""

    def __init__(self, *arguments: str, environment: Mapping[str, str] | None = None) -> None:
        command = [
            sys.executable,
            "-W",
            "error",
            "-m",
            "obs",
            "sidecar",
            "--listen",
            "127.0.0.1:0",
            *arguments,
        ]
        self.process = subprocess.Popen(
            command, cwd=REPO, stderr=subprocess.PIPE, env={**os.environ, **(environment or {})}, text=True
        )
        self.events: list[dict[str, Any]] = []
        self._reader = threading.Thread(target=self._read, daemon=True)

    @staticmethod
    def command(*arguments: str) -> list[str]:
        """The command line of a sidecar on a free port; a warning is an error."""
        return [sys.executable, "-W", "error", "-m", "obs", "sidecar", "--listen", "127.0.0.1:0", *arguments]

    def _read(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.events.append(json.loads(line))

    def __enter__(self) -> Self:
        self._reader.start()
        self.address = self.wait("listening")["address"]
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.terminate()
        self.process.wait(PATIENCE)
        self._reader.join()
        assert self.process.stderr is not None
        self.process.stderr.close()

    def wait(self, event: str, **fields: object) -> dict[str, Any]:
        """The first log line of an event with the given fields."""
        found: list[dict[str, Any]] = []

        def seen() -> bool:
            found[:] = [
                line
                for line in list(self.events)
                if line["event"] == event and all(line.get(key) == value for key, value in fields.items())
            ]
            return bool(found) or self.process.poll() is not None

        eventually(seen, f"log line {event} {fields}")
        assert found, f"ended with {self.process.poll()}: {self.events}"
        return found[0]

    def get(self, path: str) -> tuple[int, str]:
        """Status and body of a path."""
        try:
            with urllib.request.urlopen(f"http://{self.address}{path}", timeout=PATIENCE) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read().decode()

    def metric(self, start: str) -> float | None:
        """The value of the first sample whose line starts so."""
        for line in self.get("/metrics")[1].splitlines():
            if line.startswith(start):
                return float(line.rpartition(" ")[2])
        return None

    def until(self, start: str, value: float | None) -> None:
        """Wait until a metric has a value (None: until it is gone)."""
        eventually(lambda: self.metric(start) == value, f"{start} = {value}")

    @property
    def resident(self) -> int:
        """The resident set in KiB."""
        pages = int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") // 1024


def eventually(seen: Any, what: str | Callable[[], str], patience: float = PATIENCE) -> None:
    """Wait until `seen()` is true; `what` says what was waited for, or asks for it when it did not come."""
    end = time.monotonic() + patience
    while not seen():
        if time.monotonic() > end:
            pytest.fail(f"not within {patience:g}s: {what if isinstance(what, str) else what()}")
        time.sleep(0.02)
