"""Believable values for a metric the model knows nothing about: from its kind, unit and domains alone.

Counters follow the agent's work, so that they stand still when it idles and grow with it; gauges move in slow waves.
"""

from __future__ import annotations

import hashlib
import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass

from obs.exposition import Series
from obs.model.metric import DomainKind, Kind, Label, Metric, Presence, Unit
from obs.synth.body import Labels

_OPEN_VALUES = ("alpha", "beta", "gamma")
_BUCKETS = (5.0, 10.0, 25.0, 50.0, 100.0, 250.0, 500.0, 1000.0, 2500.0)
MAX_COMBINATIONS = 2_000
"""Series written for one metric at most: a private registry may declare more than anyone should scrape."""


@dataclass(frozen=True, slots=True)
class Activity:
    """What generic values hang on: which agent, its work since the process started, the model time in seconds."""

    who: str
    work: int
    time: float


def points(metric: Metric, activity: Activity) -> Iterator[Series]:
    """Yield believable samples of `metric`; what is lazy shows once there was work."""
    lazy = metric.semantics.presence is Presence.LAZY
    if lazy and activity.work == 0:
        return
    for labels in itertools.islice(_combinations(metric.labels), MAX_COMBINATIONS):
        rank = _rank(metric.name, labels)
        if metric.kind is Kind.COUNTER:
            value = float(int(activity.work * _scale(metric.unit) * rank))
            if value or not lazy:
                yield Series(metric.name, labels, value)
        elif metric.kind is Kind.GAUGE:
            yield Series(metric.name, labels, _gauge(metric.unit, rank, _phase(activity.who), activity.time))
        else:
            yield from _histogram(metric.name, labels, int(activity.work * rank))


def _combinations(labels: tuple[Label, ...]) -> Iterator[Labels]:
    values = [
        label.domain.values if label.domain.kind is DomainKind.CLOSED else _OPEN_VALUES for label in labels
    ]
    keys = [label.key for label in labels]
    for row in itertools.product(*values):
        yield tuple(zip(keys, row, strict=True))


def _rank(name: str, labels: Labels) -> float:
    """Return a number in (0, 1] that is the same for the same series everywhere."""
    digest = hashlib.blake2b(repr((name, labels)).encode(), digest_size=4).digest()
    return (int.from_bytes(digest, "big") + 1) / 2**32


def _phase(who: str) -> float:
    return _rank(who, ()) * 2 * math.pi


def _scale(unit: Unit) -> float:
    return {Unit.BYTES: 4096.0, Unit.MILLISECONDS: 250.0}.get(unit, 1.0)


def _gauge(unit: Unit, rank: float, phase: float, time: float) -> float:
    wave = 0.5 + 0.4 * math.sin(2 * math.pi * time / (120 + 240 * rank) + phase)
    match unit:
        case Unit.BOOL:
            return 1.0
        case Unit.RATIO:
            return round(wave * (0.4 + 0.6 * rank), 4)
        case Unit.BYTES:
            return float(int(1_000_000 * (1 + wave)))
        case Unit.MILLISECONDS:
            return float(int(20 + 480 * rank * wave))
        case Unit.PER_SECOND:
            return round(10 * rank * wave, 3)
        case Unit.ONE:
            return float(int(1 + 12 * rank * wave))


def _histogram(name: str, labels: Labels, count: int) -> Iterator[Series]:
    """Yield the samples of one child: buckets in order, `+Inf` equal to the count, a sum that fits the buckets."""
    shares = [1 - math.exp(-bound / 80.0) for bound in _BUCKETS]
    held = [int(count * share) for share in shares]
    for bound, inside in zip(_BUCKETS, held, strict=True):
        yield Series(f"{name}_bucket", (*labels, ("le", f"{bound:.1f}")), float(inside))
    yield Series(f"{name}_bucket", (*labels, ("le", "+Inf")), float(count))
    yield Series(f"{name}_sum", labels, float(count * 80))
    yield Series(f"{name}_count", labels, float(count))
