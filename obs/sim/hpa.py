"""The HPA's arithmetic, as pure functions.

Follows `pkg/controller/podautoscaler` of Kubernetes: `replica_calculator.go` for what a metric proposes and
`horizontal.go` for tolerance, stabilisation, rate limits and bounds. Metric values are whole thousandths
(milli-units), replicas whole numbers, time whole seconds; rounding is Go's (`math.Ceil` of a float64,
conversion to an integer truncates).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

MAX_INT32 = 2**31 - 1
MAX_INT64 = 2**63 - 1

# Defaults of kube-controller-manager's --horizontal-pod-autoscaler-downscale-stabilization, -tolerance,
# -sync-period.
DOWNSCALE_WINDOW = 300
TOLERANCE = 0.1
SYNC_PERIOD = 15

# horizontal.go, calculateScaleUpLimit: without `behavior` a sync may double the fleet, or reach four.
PLAIN_FACTOR, PLAIN_MINIMUM = 2, 4


class PolicyKind(StrEnum):
    """What a policy's value counts."""

    PODS = "Pods"
    PERCENT = "Percent"


class Select(StrEnum):
    """Which of several policies wins: the one that changes most, the one that changes least, or none may."""

    MAX = "Max"
    MIN = "Min"
    DISABLED = "Disabled"


class MetricKind(StrEnum):
    """How a target is compared: with the value divided by the replicas, or with the value itself."""

    AVERAGE_VALUE = "AverageValue"
    VALUE = "Value"


class Reason(StrEnum):
    """Why the HPA left the replicas where it left them; the words of its own conditions where it has one."""

    SCALING_DISABLED = "ScalingDisabled"
    ABOVE_MAX = "AboveMaxReplicas"
    BELOW_MIN = "BelowMinReplicas"
    METRICS_FAILED = "FailedGetExternalMetric"
    STABILIZED_UP = "ScaleUpStabilized"
    STABILIZED_DOWN = "ScaleDownStabilized"
    UP_LIMIT = "ScaleUpLimit"
    DOWN_LIMIT = "ScaleDownLimit"
    TOO_MANY = "TooManyReplicas"
    TOO_FEW = "TooFewReplicas"
    WITHIN_RANGE = "DesiredWithinRange"


@dataclass(frozen=True, slots=True)
class Policy:
    """At most `value` pods, or per cent of the replicas, in any `period` seconds."""

    kind: PolicyKind
    value: int
    period: int


@dataclass(frozen=True, slots=True)
class Rules:
    """One direction of `behavior`, complete: every default of the API server is filled in."""

    policies: tuple[Policy, ...]
    select: Select = Select.MAX
    window: int = 0
    tolerance: float = TOLERANCE


# autoscaling/v2 defaults.go; filled in by the API server only where `behavior` is present.
DEFAULT_UP = Rules((Policy(PolicyKind.PODS, 4, 15), Policy(PolicyKind.PERCENT, 100, 15)))
DEFAULT_DOWN = Rules((Policy(PolicyKind.PERCENT, 100, 15),), window=DOWNSCALE_WINDOW)


@dataclass(frozen=True, slots=True)
class Behavior:
    """`spec.behavior` of an HPA. Its absence is not the same as its defaults."""

    up: Rules = DEFAULT_UP
    down: Rules = DEFAULT_DOWN


@dataclass(frozen=True, slots=True)
class Target:
    """What one metric is held to, in thousandths."""

    milli: int
    kind: MetricKind = MetricKind.AVERAGE_VALUE


class Proposal(NamedTuple):
    """Replicas that one metric asks for, and the value that the HPA shows for it (milli-units)."""

    replicas: int
    shown_milli: int


class Limited(NamedTuple):
    """Replicas after a limit, and which limit it was."""

    replicas: int
    reason: Reason


class Decision(NamedTuple):
    """What one sync decided. `desired` is the metrics' proposal before any limit (-1: there was none)."""

    replicas: int
    reason: Reason
    desired: int = -1
    metric: int = -1


class Event(NamedTuple):
    """A change that the HPA made: when (seconds) and by how many replicas (always positive)."""

    time: int
    change: int


def within(ratio: float, down: float, up: float) -> bool:
    """Say whether `ratio` of usage to target is so near to 1 that the HPA does nothing."""
    return 1.0 - down <= ratio <= 1.0 + up


def average_value(
    usages_milli: Iterable[int],
    target_milli: int,
    status: int,
    down: float = TOLERANCE,
    up: float = TOLERANCE,
) -> Proposal:
    """Return what an AverageValue target proposes (`GetExternalPerPodMetricReplicas`).

    `status` is the workload's status.replicas, ready or not; outside the tolerance it plays no part.
    """
    usage = _saturated(usages_milli)
    capacity = float(target_milli) * status
    ratio = usage / capacity if capacity else math.inf
    replicas = status if within(ratio, down, up) else _ceil(usage / target_milli, MAX_INT32)
    return Proposal(replicas, _ceil(usage / status, MAX_INT64) if status else 0)


def value(
    usages_milli: Iterable[int],
    target_milli: int,
    *,
    current: int,
    ready: int,
    down: float = TOLERANCE,
    up: float = TOLERANCE,
) -> Proposal:
    """Return what a Value target proposes (`GetExternalMetricReplicas`): the ratio times the ready pods."""
    usage = _saturated(usages_milli)
    ratio = usage / float(target_milli)
    if current == 0:
        return Proposal(_ceil(ratio, MAX_INT32), usage)
    return Proposal(current if within(ratio, down, up) else _ceil(ratio * ready, MAX_INT32), usage)


def limit_plain(current: int, desired: int, minimum: int, maximum: int) -> Limited:
    """Bound `desired` for an HPA without `behavior` (`convertDesiredReplicasWithRules`)."""
    if desired < minimum:
        return Limited(minimum, Reason.TOO_FEW)
    step = max(PLAIN_FACTOR * current, PLAIN_MINIMUM)
    if desired > min(maximum, step):
        return Limited(min(maximum, step), Reason.UP_LIMIT if maximum > step else Reason.TOO_MANY)
    return Limited(desired, Reason.WITHIN_RANGE)


def stabilize(current: int, desired: int, lowest: int, highest: int) -> Limited:
    """Clamp `current` between the lowest and highest recommendation of the windows, `desired` included."""
    low, high = min(desired, lowest), max(desired, highest)
    replicas = min(max(current, low), high)
    if replicas < desired:
        return Limited(replicas, Reason.STABILIZED_UP)
    return Limited(replicas, Reason.STABILIZED_DOWN if replicas > desired else Reason.WITHIN_RANGE)


def changed_within(events: Sequence[Event], now: int, period: int) -> int:
    """Return by how many replicas `events` (oldest first) changed the fleet in the last `period` seconds."""
    total = 0
    for event in reversed(events):
        if event.time <= now - period:
            break
        total += event.change
    return total


def up_limit(rules: Rules, current: int, ups: Sequence[Event], downs: Sequence[Event], now: int) -> int:
    """Return the most replicas that the policies allow now (`calculateScaleUpLimitWithScalingRules`)."""
    if rules.select is Select.DISABLED:
        return current
    limits = []
    for policy in rules.policies:
        start = current - changed_within(ups, now, policy.period) + changed_within(downs, now, policy.period)
        if policy.kind is PolicyKind.PODS:
            limits.append(start + policy.value)
        else:
            limits.append(math.ceil(start * (1 + policy.value / 100)))
    return min(limits) if rules.select is Select.MIN else max(limits)


def down_limit(rules: Rules, current: int, ups: Sequence[Event], downs: Sequence[Event], now: int) -> int:
    """Return the fewest replicas that the policies allow (`calculateScaleDownLimitWithBehaviors`)."""
    if rules.select is Select.DISABLED:
        return current
    limits = []
    for policy in rules.policies:
        start = current - changed_within(ups, now, policy.period) + changed_within(downs, now, policy.period)
        if policy.kind is PolicyKind.PODS:
            limits.append(start - policy.value)
        else:
            limits.append(int(start * (1 - policy.value / 100)))
    return max(limits) if rules.select is Select.MIN else min(limits)


@dataclass(frozen=True, slots=True)
class Bounds:
    """The replicas that an HPA may set, and its optional behaviour."""

    minimum: int
    maximum: int
    behavior: Behavior | None = None


def limit_rate(
    bounds: Bounds, current: int, desired: int, *, ups: Sequence[Event], downs: Sequence[Event], now: int
) -> Limited:
    """Bound `desired` by the policies and by min and max (`convertDesiredReplicasWithBehaviorRate`)."""
    behavior = bounds.behavior or Behavior()
    if desired > current:
        limit = max(up_limit(behavior.up, current, ups, downs, now), current)
        if desired > min(bounds.maximum, limit):
            reason = Reason.UP_LIMIT if bounds.maximum > limit else Reason.TOO_MANY
            return Limited(min(bounds.maximum, limit), reason)
    elif desired < current:
        limit = min(down_limit(behavior.down, current, ups, downs, now), current)
        if desired < max(bounds.minimum, limit):
            reason = Reason.DOWN_LIMIT if bounds.minimum < limit else Reason.TOO_FEW
            return Limited(max(bounds.minimum, limit), reason)
    return Limited(desired, Reason.WITHIN_RANGE)


def _saturated(usages_milli: Iterable[int]) -> int:
    """Add as the HPA adds: an int64 that stops at its maximum instead of wrapping round."""
    return min(sum(usages_milli), MAX_INT64)


def _ceil(quotient: float, ceiling: int) -> int:
    """Round up, and stop at the largest value that Go's integer type holds."""
    return ceiling if quotient >= ceiling else math.ceil(quotient)
