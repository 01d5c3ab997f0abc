"""How things are measured: the best of several runs, and a row that says against what."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

REPO = Path(__file__).resolve().parent.parent
BYTECODE = REPO / "benchmarks" / "out" / "bytecode"


@dataclass(frozen=True, slots=True)
class Row:
    """One measured figure. `limit` is the most it may be, 0 where there is none; `detail` the raw numbers."""

    name: str
    value: float
    limit: float
    against: str
    detail: str = ""

    @property
    def verdict(self) -> str:
        """Return `ok`, `MISS`, or nothing where there is no limit."""
        if not self.limit:
            return ""
        return "ok" if self.value <= self.limit else "MISS"


@dataclass(frozen=True, slots=True)
class Cost:
    """What one process took: wall seconds, CPU seconds, and its largest resident set in bytes."""

    wall: float
    cpu: float
    peak: int


def process(command: Sequence[str], runs: int = 3, cwd: Path = REPO, ok: Sequence[int] = (0,)) -> Cost:
    """Return the least cost of `runs` runs of a command; raise RuntimeError when it ends with another code than `ok`.

    Output goes to /dev/null; the package under test is the one in this checkout.
    """
    costs = [_once(command, cwd, ok) for _ in range(runs)]
    return Cost(
        min(cost.wall for cost in costs), min(cost.cpu for cost in costs), min(cost.peak for cost in costs)
    )


def python(code: str, runs: int = 5) -> Cost:
    """Return the least cost of `python -c code`."""
    return process([sys.executable, "-c", code], runs)


def _once(command: Sequence[str], cwd: Path, ok: Sequence[int]) -> Cost:
    # As installed: with bytecode, which the first run writes and the later ones use.
    environment = {**os.environ, "PYTHONPATH": str(REPO), "PYTHONPYCACHEPREFIX": str(BYTECODE)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    start = time.perf_counter()
    child = subprocess.Popen(
        command, cwd=cwd, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    _, status, usage = os.wait4(child.pid, 0)
    wall = time.perf_counter() - start
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode not in ok:
        raise RuntimeError(f"{' '.join(command)} ended with {child.returncode}")
    scale = 1 if sys.platform == "darwin" else 1024  # ru_maxrss: bytes there, KiB here
    return Cost(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * scale)


def in_turns(jobs: Mapping[str, tuple[Sequence[str], Sequence[int]]], rounds: int = 7) -> dict[str, Cost]:
    """Return the least cost of each job: all of them in each round, so that a busy moment falls on everyone."""
    costs: dict[str, list[Cost]] = {name: [] for name in jobs}
    for _ in range(rounds):
        for name, (command, ok) in jobs.items():
            costs[name].append(process(command, runs=1, ok=ok))
    return {
        name: Cost(min(c.wall for c in found), min(c.cpu for c in found), min(c.peak for c in found))
        for name, found in costs.items()
    }


def own_peak() -> int:
    """Return the largest resident set of this process so far, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
