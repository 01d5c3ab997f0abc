"""What a trigger measures: a small expression over the gauges of the simulated fleet.

A signal is evaluated against a `View`, the fleet at the moment of a scrape. Its result is a number, or one of
the two ways in which a query goes wrong: `EMPTY` (no series) and `MANY` (more than one, which KEDA refuses).
"""

from __future__ import annotations

import math
import operator
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


class View(NamedTuple):
    """The fleet as its metrics show it.

    `pending` and `claimed` count items; `loads` has the tasks in flight of every pod that exposes metrics
    (ready or draining); `capacity` is how many one pod takes; `lag_ms` is the age of the oldest waiting item.
    """

    pending: int
    claimed: int
    loads: tuple[int, ...]
    capacity: int
    lag_ms: int


class Bad(StrEnum):
    """A result that is not one number."""

    EMPTY = "empty"
    MANY = "many"


Result: TypeAlias = float | Bad


class Scope(StrEnum):
    """Who exposes a gauge: the coordination server, or every pod (with no pods there is no series)."""

    OFF_POD = "off-pod"
    PER_POD = "per-pod"


@dataclass(frozen=True, slots=True)
class Gauge:
    """A metric that the simulator can compute: its scope, and one value a series."""

    name: str
    scope: Scope
    values: Callable[[View], tuple[float, ...]]


def _pending_events(view: View) -> tuple[float, ...]:
    """Spread what waits evenly over the pods; the first ones have the odd items."""
    pods = len(view.loads)
    if not pods:
        return ()
    share, rest = divmod(view.pending, pods)
    return (share + 1,) * rest + (share,) * (pods - rest)


_GAUGES = (
    Gauge("agentctl_coordination_pending", Scope.OFF_POD, lambda view: (view.pending,)),
    Gauge("agentctl_coordination_claimed", Scope.OFF_POD, lambda view: (view.claimed,)),
    Gauge("agent_pending_events", Scope.PER_POD, _pending_events),
    Gauge("agent_inflight_reactions", Scope.PER_POD, lambda view: view.loads),
    Gauge("agent_active_subagents", Scope.PER_POD, lambda view: view.loads),
    Gauge("agent_saturation", Scope.PER_POD, lambda view: tuple(load / view.capacity for load in view.loads)),
    Gauge("agent_reaction_lag_ms", Scope.PER_POD, lambda view: (view.lag_ms,) * len(view.loads)),
)
GAUGES = MappingProxyType({gauge.name: gauge for gauge in _GAUGES})


class Fold(StrEnum):
    """How the series of a gauge become one number; `ONE` takes the only series as it is."""

    SUM = "sum"
    MAX = "max"
    MIN = "min"
    AVG = "avg"
    COUNT = "count"
    ONE = "one"


@dataclass(frozen=True, slots=True)
class Selected:
    """A gauge and the aggregation over its series; `grouped` keeps the pods apart."""

    metric: str
    fold: Fold
    grouped: bool = False


@dataclass(frozen=True, slots=True)
class Constant:
    """A number."""

    value: float


@dataclass(frozen=True, slots=True)
class Binary:
    """Two signals and `+ - * /`, or `or`, which takes the right one where the left one is empty."""

    operator: str
    left: Signal
    right: Signal


Signal: TypeAlias = Selected | Constant | Binary


def evaluate(signal: Signal, view: View) -> Result:
    """Return what the query behind `signal` would return for `view`."""
    match signal:
        case Selected(metric, fold, grouped):
            return _folded(GAUGES[metric].values(view), fold, grouped=grouped)
        case Constant(value):
            return value
        case Binary(sign, left, right):
            return _combined(sign, evaluate(left, view), evaluate(right, view))


def metrics_of(signal: Signal) -> tuple[str, ...]:
    """Return the names of the metrics a signal reads, in the order of the query."""
    match signal:
        case Selected(metric):
            return (metric,)
        case Constant():
            return ()
        case Binary(_, left, right):
            return metrics_of(left) + metrics_of(right)


def reads_pods(signal: Signal) -> bool:
    """Say whether a signal reads what only pods expose."""
    return any(GAUGES[name].scope is Scope.PER_POD for name in metrics_of(signal))


_FOLDS: MappingProxyType[Fold, Callable[[Sequence[float]], float]] = MappingProxyType(
    {
        Fold.SUM: sum,
        Fold.MAX: max,
        Fold.MIN: min,
        Fold.AVG: lambda values: sum(values) / len(values),
        Fold.COUNT: len,
        Fold.ONE: max,
    }
)

_OPERATORS: MappingProxyType[str, Callable[[float, float], float]] = MappingProxyType(
    {
        "+": operator.add,
        "-": operator.sub,
        "*": operator.mul,
        "/": lambda left, right: left / right if right else math.nan,
    }
)


def _folded(values: tuple[float, ...], fold: Fold, *, grouped: bool) -> Result:
    if not values:
        return Bad.EMPTY
    if len(values) > 1 and (grouped or fold is Fold.ONE):
        return Bad.MANY
    return _FOLDS[fold](values)


def _combined(sign: str, left: Result, right: Result) -> Result:
    if sign == "or":
        return right if left is Bad.EMPTY else left
    if isinstance(left, Bad):
        return left
    if isinstance(right, Bad):
        return right
    return _OPERATORS[sign](left, right)
