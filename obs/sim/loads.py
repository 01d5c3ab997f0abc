"""When items arrive: named shapes, a CSV, or a rate that Prometheus recorded."""

from __future__ import annotations

import csv
import math
import random
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from itertools import pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING

from obs.documents.suggest import did_you_mean
from obs.errors import InvalidInputError, NothingObservedError, Problem, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

HOUR = 3600

# More items than this are minutes of simulation and gigabytes of memory.
MOST_ITEMS = 5_000_000


@dataclass(frozen=True, slots=True)
class Load:
    """Items that arrive: `arrivals` are seconds from the start in order, `duration` is when the load ends.

    `work` has how long each item takes, where that was recorded; without it tasks are drawn.
    """

    name: str
    duration: int
    arrivals: tuple[int, ...]
    work: tuple[int, ...] = ()


class Shape(StrEnum):
    """The named loads."""

    STEADY = "steady"
    BURST = "burst"
    DIURNAL = "diurnal"
    ON_OFF = "on-off"
    SPIKE_AFTER_IDLE = "spike-after-idle"


def _steady(_second: int) -> float:
    return 0.6


def _burst(second: int) -> float:
    """Trickle, with two bursts of five minutes: after half an hour, and after two and a half hours."""
    return 1.0 if 1800 <= second < 2100 or 9000 <= second < 9300 else 0.02


def _diurnal(second: int) -> float:
    """Rise from nothing at midnight to the peak at noon, and fall again."""
    return max(0.0, 0.5 - 0.5 * math.cos(2 * math.pi * second / (24 * HOUR))) ** 2


def _on_off(second: int) -> float:
    """Alternate twenty minutes of work, forty of silence."""
    return 1.0 if second % HOUR < 1200 else 0.0


def _spike(second: int) -> float:
    """Idle for two hours, then bring a quarter of an hour's worth of the peak within one minute."""
    return 15.0 if 2 * HOUR <= second < 2 * HOUR + 60 else 0.0


_SHAPES: MappingProxyType[Shape, tuple[int, Callable[[int], float]]] = MappingProxyType(
    {
        Shape.STEADY: (4 * HOUR, _steady),
        Shape.BURST: (4 * HOUR, _burst),
        Shape.DIURNAL: (24 * HOUR, _diurnal),
        Shape.ON_OFF: (6 * HOUR, _on_off),
        Shape.SPIKE_AFTER_IDLE: (3 * HOUR, _spike),
    }
)


def named(shape: Shape, per_second: float, seed: int) -> Load:
    """Return a named load that peaks at `per_second` items a second: a Poisson process drawn from `seed`."""
    duration, level = _SHAPES[shape]
    expected = per_second * sum(map(level, range(duration)))
    if expected > MOST_ITEMS:
        said = f"`{shape}` at this peak has about {expected:.0f} items"
        raise UsageError([Problem("--load", said, "lower --peak or --capacity, or lengthen --work")])
    draw = random.Random(f"arrivals:{shape}:{seed}").expovariate  # noqa: S311 - a simulation, not a secret
    arrivals: list[int] = []
    # Time is warped: unit-rate arrivals are laid over the integral of the rate.
    due, mass = draw(1.0), 0.0
    for second in range(duration):
        mass += per_second * level(second)
        while due <= mass:
            arrivals.append(second)
            due += draw(1.0)
    if not arrivals:
        raise NothingObservedError(
            [Problem("--load", f"`{shape}` at this peak has no arrivals", "raise --peak or shorten --work")]
        )
    return Load(str(shape), duration, tuple(arrivals))


def shape_called(name: str) -> Shape:
    """Return the shape with this name; raise UsageError, with the nearest name, where there is none."""
    if name in set(Shape):
        return Shape(name)
    raise UsageError([Problem("--load", f"`{name}` is no file and no named load", did_you_mean(name, Shape))])


def constant(items: int, duration: int, name: str = "constant") -> Load:
    """Return `items` arrivals that are spread evenly over `duration` seconds."""
    return Load(name, duration, tuple(index * duration // items for index in range(items)))


def doubled(load: Load) -> Load:
    """Return the load with every item twice."""
    arrivals, work = (tuple(one for one in each for _ in range(2)) for each in (load.arrivals, load.work))
    return Load(f"{load.name} x2", load.duration, arrivals, work)


def from_csv(text: str, source: str) -> Load:
    """Read a CSV with a header: `time,arrivals`, or one row an item: `time`, or `time,work` with its seconds of work.

    Times are seconds or ISO 8601; the first row is second 0. The arrivals of a row come evenly until the
    next row (those of the last row within the gap before it). Raises InvalidInputError with every bad row
    and NothingObservedError where nothing arrives.
    """
    reader = csv.reader(text.lstrip("\ufeff").splitlines())
    rows = [(reader.line_num, row) for row in reader if any(map(str.strip, row))]
    header = tuple(cell.strip().lower() for cell in rows[0][1]) if rows else ()
    if rows and header not in (("time", "arrivals"), ("time", "work"), ("time",)):
        said = f"the header is `{','.join(rows[0][1])}`"
        remedy = "make it `time,arrivals` (counts), `time` or `time,work` (one row an item)"
        raise InvalidInputError([Problem(f"{source}:{rows[0][0]}", said, remedy)])
    if len(rows) < 2:
        raise NothingObservedError(
            [Problem(source, "the file has no rows", "write `time,arrivals` and rows")]
        )
    problems: list[Problem] = []
    points = [_point(row, len(header), f"{source}:{line}", problems) for line, row in rows[1:]]
    for (before, _), (after, _), (line, _) in zip(points, points[1:], rows[2:], strict=False):
        if after < before:
            said = "the time is before that of the row above"
            problems.append(Problem(f"{source}:{line}", said, "sort the rows by time"))
    if problems:
        raise InvalidInputError(problems)
    if header == ("time", "work"):
        load = _collected([(time, 1.0) for time, _ in points], source, spread=False)
        return replace(load, work=tuple(max(1, round(work)) for _, work in points))
    return _collected(points, source, spread=header == ("time", "arrivals"))


def _point(row: Sequence[str], width: int, where: str, problems: list[Problem]) -> tuple[float, float]:
    """Return (seconds, items) of a row, or note what is wrong with it and return zeros."""
    if len(row) != width:
        problems.append(Problem(where, f"the row has {len(row)} cells", f"write {width}, like the header"))
        return 0.0, 0.0
    time = _time(row[0])
    if time is None:
        problems.append(Problem(where, f"`{row[0].strip()}` is no time", "write seconds or ISO 8601"))
    count = _count(row[1]) if width == 2 else 1.0
    if count is None:
        problems.append(
            Problem(where, f"`{row[1].strip()}` is no amount", "write a number that is not negative")
        )
    return time or 0.0, count or 0.0


def _time(cell: str) -> float | None:
    try:
        number = float(cell)
    except ValueError:
        try:
            return datetime.fromisoformat(cell.strip()).timestamp()
        except ValueError:
            return None
    return number if math.isfinite(number) else None


def _count(cell: str) -> float | None:
    try:
        number = float(cell)
    except ValueError:
        return None
    return number if math.isfinite(number) and number >= 0 else None


def _collected(points: Sequence[tuple[float, float]], source: str, *, spread: bool) -> Load:
    """Turn (time, items) into a load; fractions of items are carried over, so that none is lost."""
    total = sum(count for _, count in points)
    if total > MOST_ITEMS:
        said = f"{total:.10g} items are more than the simulator follows"
        raise InvalidInputError(
            [Problem(source, said, f"keep it below {MOST_ITEMS}: a shorter span, or a share")]
        )
    if total < 1:
        raise NothingObservedError([Problem(source, "nothing arrives", "give at least one arrival")])
    start = points[0][0]
    gaps = [after[0] - before[0] for before, after in pairwise(points)]
    gaps.append((gaps[-1] if gaps else 60.0) if spread else 0.0)
    arrivals: list[int] = []
    carried = 0.0
    for (time, count), gap in zip(points, gaps, strict=True):
        carried += count
        whole = int(carried + 1e-9)
        carried -= whole
        width = gap if spread else 0.0
        arrivals += [int(time - start + width * index / whole) for index in range(whole)]
    end = math.ceil(points[-1][0] - start + gaps[-1])
    return Load(source, max(end, arrivals[-1] + 1), tuple(arrivals))


def from_rate(samples: Iterable[tuple[float, float]], step: int, source: str) -> Load:
    """Return the load of a recorded rate: (unix seconds, items a second), one sample every `step` seconds.

    Raises InvalidInputError where a rate is negative or not a number, NothingObservedError where nothing
    arrives.
    """
    points = list(samples)
    bad = [time for time, rate in points if not math.isfinite(rate) or rate < 0]
    if bad:
        raise InvalidInputError(
            [
                Problem(
                    source,
                    f"{len(bad)} samples of the query are negative or not a number",
                    "query a rate() of a counter, in items a second",
                )
            ]
        )
    return _collected([(time, rate * step) for time, rate in points], source, spread=True)
