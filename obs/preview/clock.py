"""Time ranges as Grafana writes them, and the steps that fit them."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from obs.errors import Problem, UsageError
from obs.preview.board import span

_RELATIVE = re.compile(r"now(?:-(\d+(?:ms|[smhdwMy])))?\Z")
_STEPS = (1, 2, 5, 10, 15, 20, 30, 60, 120, 300, 600, 900, 1200, 1800, 3600, 7200, 10800, 21600, 43200, 86400)
LONGEST = 366 * 86400.0
MOST_POINTS = 11_000  # what Prometheus answers at most for one series


@dataclass(frozen=True, slots=True)
class Range:
    """A span of time in seconds since 1970."""

    start: float
    end: float

    @property
    def seconds(self) -> float:
        """Return how long it is."""
        return self.end - self.start


def read_range(start: str, end: str, now: float) -> Range:
    """Return the range from `start` to `end`, each `now`, `now-3h` or milliseconds since 1970; raise UsageError."""
    found = Range(_moment(start, "from", now), _moment(end, "to", now))
    if not 0 < found.seconds <= LONGEST:
        raise UsageError([Problem("from, to", f"`{start}` to `{end}` is no time range", "try now-1h to now")])
    return found


def _moment(text: str, where: str, now: float) -> float:
    match = _RELATIVE.match(text)
    if match:
        return now - span(match[1], 0.0)
    if text.isdecimal() and len(text) <= 15:
        return int(text) / 1000
    raise UsageError([Problem(where, f"`{text}` is no time", "write now, now-3h or milliseconds since 1970")])


def step(span_seconds: float, points: int, shortest: float) -> float:
    """Return a round step in seconds: at least `shortest`, and no more than `points` of them in the range."""
    need = max(span_seconds / max(1, min(points, MOST_POINTS)), shortest, span_seconds / (MOST_POINTS - 1))
    if need <= shortest:
        return shortest
    return next((float(each) for each in _STEPS if each >= need), float(math.ceil(need / 86400) * 86400))


def aligned(span_of: Range, every: float) -> Range:
    """Return the range moved to whole steps, so that a refresh does not make every point jump."""
    return Range(math.floor(span_of.start / every) * every, math.floor(span_of.end / every) * every)
