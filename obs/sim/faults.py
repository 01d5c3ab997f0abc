"""What goes wrong during a simulation, and when."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from obs.documents.suggest import did_you_mean
from obs.errors import Problem, UsageError
from obs.sim.durations import seconds


class FaultKind(StrEnum):
    """The faults that a simulation can be put through."""

    OUTAGE = "outage"  # no source can be reached: neither Prometheus nor an external scaler
    SCALER_OUTAGE = "scaler-outage"  # only the external scaler cannot be reached
    EMPTY = "empty"  # Prometheus answers, but without a series
    FREEZE = "freeze"  # scrapes fail; the last values stay for five minutes, then there are none
    SLOW_START = "slow-start"  # pods that are created then take longer to become ready
    CRASH = "crash"  # the newest ready pods die at once, with what they hold


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault from second `start` up to second `end`.

    `amount` is the extra seconds of a slow start, or the pods that a crash takes.
    """

    kind: FaultKind
    start: int
    end: int
    amount: int = 0


_FORM = re.compile(r"(?P<kind>[a-z-]+):(?P<start>[0-9a-z]+)(-(?P<end>[0-9a-z]+))?(:(?P<amount>[0-9a-z]+))?")
_HINT = "write KIND:START-END[:AMOUNT], as in `outage:10m-40m`, `slow-start:0s-1h:120s` or `crash:20m:2`"


def parse(text: str) -> tuple[Fault, ...]:
    """Return the faults in a comma separated list; raise UsageError with every one that cannot be read."""
    faults: list[Fault] = []
    problems: list[Problem] = []
    for part in filter(None, (part.strip() for part in text.split(","))):
        parsed = _fault(part)
        if isinstance(parsed, Problem):
            problems.append(parsed)
        else:
            faults.append(parsed)
    if problems:
        raise UsageError(problems)
    return tuple(sorted(faults, key=lambda fault: (fault.start, fault.kind)))


def _fault(part: str) -> Fault | Problem:
    match = _FORM.fullmatch(part)
    if match is None:
        return Problem("--faults", f"`{part}` is not a fault", _HINT)
    word = match["kind"]
    if word not in set(FaultKind):
        return Problem("--faults", f"there is no fault `{word}`", did_you_mean(word, FaultKind))
    kind = FaultKind(word)
    try:
        start = seconds(match["start"])
        end = seconds(match["end"]) if match["end"] else start + 1
        amount = seconds(match["amount"]) if match["amount"] else _AMOUNTS.get(kind, 0)
    except ValueError as error:
        return Problem("--faults", f"`{part}`: {error}", _HINT)
    if end <= start or (match["end"] is None) != (kind is FaultKind.CRASH):
        return Problem("--faults", f"`{part}` has no proper time", _HINT)
    return Fault(kind, start, end, amount)


# What a fault without an amount means: two more minutes to start, one pod to die.
_AMOUNTS = MappingProxyType({FaultKind.SLOW_START: 120, FaultKind.CRASH: 1})


@dataclass(frozen=True, slots=True)
class Weather:
    """All faults of a run, asked by second."""

    faults: tuple[Fault, ...] = ()

    def active(self, kind: FaultKind, now: int) -> bool:
        """Say whether a fault of this kind is on at second `now`."""
        return any(fault.kind is kind and fault.start <= now < fault.end for fault in self.faults)

    def slow(self, now: int) -> int:
        """Return how many seconds longer a pod that is created at `now` takes to become ready."""
        return sum(
            fault.amount
            for fault in self.faults
            if fault.kind is FaultKind.SLOW_START and fault.start <= now < fault.end
        )

    def crashes(self) -> tuple[Fault, ...]:
        """Return the crashes, earliest first."""
        return tuple(fault for fault in self.faults if fault.kind is FaultKind.CRASH)
