"""What is remembered of a target from body to body: a fold, bounded, with no clock in it.

The unit of time is the look, one judged body. A process is told from the one before it by its counters: when many
of them fall at once, it is another process (or the same one, started again), which is no fault. When a few fall and
most go on, the process is the same and its counters are wrong.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from obs.checks.live.look import Look, SeriesKey

HOLD = 20
"""Looks for which something that happened once stays a finding: a scrape of the verdict must be able to see it."""

CERTAIN_AGE = 3
"""Looks a process must have lived before a fall of few counters is held against it."""

CERTAIN_HELD = 5
"""Counters above 0 that must have gone on, beside those that fell, to rule a restart out."""

CERTAIN_SHARE = 4
"""How many counters must have gone on for each one that fell."""

PROCESSES = 3
"""Earlier processes whose counters are remembered, to recognise one that comes back."""

WINDOW = 12
"""Looks in which processes that come back, and series that go, are counted."""


@dataclass(frozen=True, slots=True)
class Fall:
    """A counter that fell in a process that went on: in which look, which series, from what to what."""

    look: int
    key: SeriesKey
    before: float
    now: float


@dataclass(frozen=True, slots=True)
class Growth:
    """How a label that nothing bounds grew: distinct values first and last, and in how many looks there were more."""

    first: int
    last: int
    steps: int = 0


@dataclass(frozen=True, slots=True)
class Trail:
    """A target's past. `looks` counts bodies, `age` those of the process at hand.

    `falls` and `sunken` (looks in which the configuration's generation went back, from what to what) and `gone`
    (series that vanished) are held for `HOLD` looks; `leaving` are the looks in which series went; `returns` those
    in which an earlier process came back; `others` the last numbers of earlier processes; `alike` how many looks in
    a row said the same while the agent was at work; `gaps` how far each pair of twins is apart and in how many looks
    that changed; `growth` by metric and label.
    """

    look: Look
    looks: int = 1
    age: int = 1
    alike: int = 0
    falls: tuple[Fall, ...] = ()
    sunken: tuple[tuple[int, float, float], ...] = ()
    gone: tuple[tuple[int, SeriesKey], ...] = ()
    leaving: tuple[int, ...] = ()
    returns: tuple[int, ...] = ()
    others: tuple[Look, ...] = ()
    gaps: Mapping[SeriesKey, tuple[float, int]] = field(default_factory=lambda: MappingProxyType({}))
    growth: Mapping[tuple[str, str], Growth] = field(default_factory=lambda: MappingProxyType({}))


def begin(look: Look) -> Trail:
    """Return the trail of a target that is seen for the first time, or again after it could not be scraped."""
    trail = Trail(look)
    return replace(trail, gaps=_gaps(trail, look), growth=_growth(trail, look))


def follow(trail: Trail | None, look: Look) -> Trail:
    """Return the trail with one more look."""
    if trail is None:
        return begin(look)
    change = _Change(trail.look, look)
    number = trail.looks + 1
    known = _returned(trail, look, change)
    if known is not None:
        return _switched(trail, look, number, known)
    lost = bool(change.fell) or (not change.rose and bool(change.gone()))
    if lost and not _same_process(trail, change):
        return _restarted(trail, look, number)
    return _continued(trail, look, number, change)


class _Change:
    """What is different between two looks, by series."""

    def __init__(self, before: Look, now: Look) -> None:
        self.before, self.now = before, now
        self.same_layout = before.layout is now.layout
        self.fell: list[Fall] = []
        self.rose = self.stood = 0
        for key, old, new in _counters(before, now):
            if new < old:
                self.fell.append(Fall(0, key, old, new))
            elif old > 0:
                self.rose += new > old
                self.stood += new == old

    def gone(self) -> list[SeriesKey]:
        """Return the series that were there and are not, in order."""
        if self.same_layout:
            return []
        left = set(self.now.layout.keys)
        return [key for key in self.before.layout.keys if key not in left]


def _counters(before: Look, now: Look) -> list[tuple[SeriesKey, float, float]]:
    """Return each counter that is in both looks, with its two values."""
    keys = before.layout.keys
    if before.layout is now.layout:
        return [(keys[at], before.values[at], now.values[at]) for at in before.layout.counters]
    later = now.by_key()
    return [
        (keys[at], before.values[at], later[keys[at]]) for at in before.layout.counters if keys[at] in later
    ]


def _same_process(trail: Trail, change: _Change) -> bool:
    """Return whether the counters that did not fall prove that the process went on.

    Few fell, many above 0 did not, at least one of them rose, and the process is old enough for its counters to be
    more than what every start brings about. In any other case a restart cannot be ruled out, and a restart is no
    fault.
    """
    held = change.rose + change.stood
    certain = trail.age >= CERTAIN_AGE and held >= CERTAIN_HELD and change.rose > 0
    return certain and len(change.fell) * CERTAIN_SHARE <= held


def _returned(trail: Trail, look: Look, change: _Change) -> Look | None:
    """Return the earlier process that `look` goes on from, or None.

    All its counters have at least the values they had, one has more, and it is nearer than the process at hand.
    """
    for other in trail.others:
        pairs = _counters(other, look)
        if not pairs or any(new < old for _, old, new in pairs):
            continue
        step = sum(new - old for _, old, new in pairs)
        if step > 0 and (change.fell or step * 2 < _distance(trail.look, look)):
            return other
    return None


def _distance(before: Look, now: Look) -> float:
    return sum(abs(new - old) for _, old, new in _counters(before, now))


def _switched(trail: Trail, look: Look, number: int, known: Look) -> Trail:
    others = tuple(other for other in trail.others if other is not known)
    fresh = begin(look)
    return replace(
        fresh,
        looks=number,
        others=(trail.look, *others)[:PROCESSES],
        returns=_recent((*trail.returns, number), number, WINDOW),
    )


def _restarted(trail: Trail, look: Look, number: int) -> Trail:
    """Return the trail of another process: nothing that happened to the old one counts any more."""
    others = (trail.look, *trail.others)[:PROCESSES]
    returns = _recent(trail.returns, number, WINDOW)
    return replace(begin(look), looks=number, others=others, returns=returns)


def _continued(trail: Trail, look: Look, number: int, change: _Change) -> Trail:
    gone = [(number, key) for key in change.gone()] if _same_process(trail, change) else []
    falls = [replace(fall, look=number) for fall in change.fell]
    return Trail(
        look=look,
        looks=number,
        age=trail.age + 1,
        alike=trail.alike + 1 if _alike(trail.look, look) else 0,
        falls=tuple(fall for fall in (*trail.falls, *falls) if fall.look > number - HOLD)[-100:],
        sunken=tuple(one for one in (*trail.sunken, *_sunken(trail, look, change)) if one[0] > number - HOLD),
        gone=_still_gone((*trail.gone, *gone), look, number),
        leaving=_recent((*trail.leaving, number) if gone else trail.leaving, number, WINDOW),
        returns=_recent(trail.returns, number, WINDOW),
        others=trail.others if trail.age < WINDOW else (),
        gaps=_gaps(trail, look),
        growth=trail.growth if change.same_layout else _growth(trail, look),
    )


def _recent(looks: tuple[int, ...], number: int, window: int) -> tuple[int, ...]:
    return tuple(look for look in looks if look > number - window)


def _still_gone(
    gone: tuple[tuple[int, SeriesKey], ...], look: Look, number: int
) -> tuple[tuple[int, SeriesKey], ...]:
    """Return the vanished series that have not come back, the latest hundred."""
    if not gone:
        return ()
    there = set(look.layout.keys)
    return tuple(one for one in gone if one[0] > number - HOLD and one[1] not in there)[-100:]


def _alike(before: Look, now: Look) -> bool:
    working = any(now.values[at] > 0 for at in now.layout.working)
    return working and before.layout is now.layout and before.values == now.values


def _sunken(trail: Trail, look: Look, change: _Change) -> list[tuple[int, float, float]]:
    """Return the generation that went back, if the process has surely gone on."""
    if not _same_process(trail, change):
        return []
    before = change.before
    pairs = zip(before.layout.generation, look.layout.generation, strict=False)
    values = [(before.values[old], look.values[new]) for old, new in pairs]
    return [(trail.looks + 1, old, new) for old, new in values if new < old]


def _gaps(trail: Trail, look: Look) -> Mapping[SeriesKey, tuple[float, int]]:
    found = {}
    for left, right in look.layout.twins:
        key, gap = look.layout.keys[left], look.values[left] - look.values[right]
        before, moves = trail.gaps.get(key, (gap, 0))
        found[key] = (gap, moves + (gap != before))
    return MappingProxyType(found)


def _growth(trail: Trail, look: Look) -> Mapping[tuple[str, str], Growth]:
    found = {}
    for place, size in look.layout.free.items():
        before = trail.growth.get(place)
        if before is None:
            found[place] = Growth(size, size)
        else:
            more = size > before.last
            found[place] = Growth(before.first, max(size, before.last), before.steps + more)
    return MappingProxyType(found)
