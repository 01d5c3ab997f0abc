"""What a simulation says: figures, the timeline, and why the replicas changed."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

# Two changes in opposite directions within this many seconds are a flap.
FLAP_WINDOW = 600


class Change(NamedTuple):
    """One change of spec.replicas at second `time`, with the rule that caused it."""

    time: int
    before: int
    after: int
    rule: str
    text: str


class Row(NamedTuple):
    """The fleet after one HPA sync. `lag` is the age of the oldest waiting item in seconds.

    `metrics` has what the HPA got from each trigger (None: an error); `reason` is its own word for what it
    did.
    """

    time: int
    replicas: int
    ready: int
    starting: int
    draining: int
    pending: int
    claimed: int
    lag: int
    metrics: tuple[float | None, ...]
    reason: str


class Wait(NamedTuple):
    """One item: the second it arrived, the wait for the claim that served it, and whether it got one."""

    arrived: int
    seconds: int
    claimed: bool


@dataclass(frozen=True, slots=True)
class Summary:
    """The figures of one run; times in seconds, cost in the unit of the price.

    A wait is the time from an item's arrival to the claim that served it (an interrupted claim does not
    count); an item that is still waiting at the end has waited until then. `stranded` is the longest time
    in which work waited and no replica was wanted.
    """

    duration: int
    items: int
    done: int
    in_flight: int
    left: int
    p50_wait: int
    p95_wait: int
    p99_wait: int
    max_wait: int
    slo_misses: int
    cold_starts: int
    stranded: int
    interrupted: int
    wasted: int
    flaps: int
    changes: int
    peak_replicas: int
    at_max: int
    replica_seconds: int
    idle_replica_seconds: int
    fallback_seconds: int
    cost: float

    @property
    def slo_miss_percent(self) -> float:
        """Return the share of the items that waited longer than the objective, in per cent."""
        return 100 * self.slo_misses / self.items if self.items else 0.0


@dataclass(frozen=True, slots=True)
class Outcome:
    """Everything that one run produced; `rows` and `waits` are empty where nothing was recorded."""

    summary: Summary
    changes: tuple[Change, ...]
    rows: tuple[Row, ...] = ()
    waits: tuple[Wait, ...] = ()


def percentile(ordered: Sequence[int], share: float) -> int:
    """Return the smallest of `ordered` values that at least `share` of them do not exceed (nearest rank)."""
    if not ordered:
        return 0
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def flaps(changes: Sequence[Change]) -> int:
    """Count the changes that reverse the one before within ten minutes."""
    return sum(
        1
        for before, after in pairwise(changes)
        if (before.after > before.before) != (after.after > after.before)
        and after.time - before.time < FLAP_WINDOW
    )


def seconds_at(changes: Sequence[Change], initial: int, level: int, end: int) -> int:
    """Return for how many of the seconds up to `end` at least `level` replicas were wanted."""
    total, since, replicas = 0, 0, initial
    for change in changes:
        total += (change.time - since) * (replicas >= level)
        since, replicas = change.time, change.after
    return total + (end - since) * (replicas >= level)
