"""The sidecar's log: one JSON object a line on the standard error, with times and without secrets."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TextIO

_LONGEST = 500
_IDENTITY = ("AGENT_POD_NAME", "AGENT_POD_NAMESPACE", "AGENT_POD_UID", "AGENT_NODE_NAME", "AGENT_RUN_ID")


def identity(environment: Mapping[str, str]) -> dict[str, str]:
    """Return who we are, from the downward API (contract section 11); empty values count as not set."""
    return {
        name.removeprefix("AGENT_").lower(): value[:_LONGEST]
        for name in _IDENTITY
        if (value := environment.get(name, "").strip())
    }


@dataclass(frozen=True, slots=True)
class Log:
    """Writes lines; each carries the identity. A stream that is gone is not worth dying for."""

    about: Mapping[str, str] = field(default_factory=dict)
    stream: TextIO | None = None

    def note(self, event: str, **fields: object) -> None:
        """Say that something happened."""
        self._write("info", event, fields)

    def alarm(self, event: str, **fields: object) -> None:
        """Say that something is not as it should be."""
        self._write("warning", event, fields)

    def fail(self, event: str, **fields: object) -> None:
        """Say that something could not be done."""
        self._write("error", event, fields)

    def _write(self, level: str, event: str, fields: Mapping[str, object]) -> None:
        stamp = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        line = {"time": stamp, "level": level, "event": event, **self.about, **fields}
        text = json.dumps({key: _short(value) for key, value in line.items()}, default=str)
        stream = self.stream or sys.stderr
        try:
            stream.write(text + "\n")
            stream.flush()
        except (OSError, ValueError):
            return


def _short(value: object) -> object:
    return value if isinstance(value, (int, float, bool)) or value is None else str(value)[:_LONGEST]
