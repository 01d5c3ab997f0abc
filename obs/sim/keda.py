"""KEDA's scale loop and fallback, as pure functions over what a ScaledObject says.

Follows `pkg/scaling/scale_handler.go` (`getScaledObjectState`, `GetScaledObjectMetrics`),
`pkg/scaling/executor/scale_scaledobjects.go` (`RequestScale`) and `pkg/fallback/fallback.go` of KEDA.
Time is whole seconds.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from obs.sim.hpa import MAX_INT64, Behavior, Bounds, MetricKind, Select, Target

if TYPE_CHECKING:
    from collections.abc import Iterable

    from obs.sim.signal import Signal

# The defaults of the ScaledObject's fields (apis/keda/v1alpha1/scaledobject_types.go).
POLLING_INTERVAL = 30
COOLDOWN_PERIOD = 300
MAX_REPLICAS = 100


class Source(StrEnum):
    """Where a trigger reads; the `type` of a trigger that the simulator knows."""

    PROMETHEUS = "prometheus"
    EXTERNAL = "external"
    EXTERNAL_PUSH = "external-push"


class Failure(StrEnum):
    """Why a reading is missing: the metric's description could not be had, or its value could not."""

    SPEC = "spec"
    VALUE = "value"


@dataclass(frozen=True, slots=True)
class Trigger:
    """One trigger: what it measures, what it is held to, and how it fails.

    `threshold` and `activation` are in the signal's own unit; `ignore_null` takes an empty result for 0.
    """

    name: str
    source: Source
    signal: Signal
    threshold: float
    activation: float = 0.0
    kind: MetricKind = MetricKind.AVERAGE_VALUE
    ignore_null: bool = True
    cached: bool = False

    @property
    def target(self) -> Target:
        """Return the target as the HPA sees it."""
        return Target(milli(self.threshold), self.kind)


class Hold(StrEnum):
    """How a fallback takes the present replicas into account."""

    STATIC = "static"
    CURRENT = "currentReplicas"
    IF_HIGHER = "currentReplicasIfHigher"
    IF_LOWER = "currentReplicasIfLower"


@dataclass(frozen=True, slots=True)
class Fallback:
    """`spec.fallback`: after more than `threshold` failures in a row the metric asks for `replicas`."""

    threshold: int
    replicas: int
    hold: Hold = Hold.STATIC


@dataclass(frozen=True, slots=True)
class Pause:
    """The annotations that stop a ScaledObject, or push it."""

    paused: bool = False
    replicas: int | None = None
    scale_in: bool = False
    scale_out: bool = False
    force_activation: bool = False


@dataclass(frozen=True, slots=True)
class ScaledObject:
    """A ScaledObject as the simulator runs it; times in seconds, `None` means that the field is absent."""

    name: str
    triggers: tuple[Trigger, ...]
    minimum: int = 0
    maximum: int = MAX_REPLICAS
    idle: int | None = None
    polling: int = POLLING_INTERVAL
    cooldown: int = COOLDOWN_PERIOD
    initial_cooldown: int = 0
    fallback: Fallback | None = None
    behavior: Behavior | None = None
    pause: Pause = Pause()

    @property
    def bounds(self) -> Bounds:
        """Return what the HPA that KEDA creates is bound to; its minimum is never below 1.

        A pause of one direction is a Disabled policy of the HPA, which needs a `behavior` to stand in.
        """
        behavior = self.behavior
        if self.pause.scale_in or self.pause.scale_out:
            behavior = behavior or Behavior()
            up, down = behavior.up, behavior.down
            behavior = Behavior(
                replace(up, select=Select.DISABLED) if self.pause.scale_out else up,
                replace(down, select=Select.DISABLED) if self.pause.scale_in else down,
            )
        return Bounds(max(1, self.minimum), self.maximum, behavior)


class Observation(NamedTuple):
    """What one trigger said. `milli` is None where the HPA gets an error; `failures` is the new counter."""

    milli: int | None
    active: bool
    error: bool
    fallback: bool
    failures: int


class Rule(StrEnum):
    """The rule of KEDA's loop that decided."""

    ACTIVATED = "keda-activated"
    COOLDOWN = "keda-cooldown"
    MINIMUM = "keda-minimum"
    PUSHED = "keda-pushed"
    PAUSED = "keda-paused"
    NONE = "keda-none"


class Poll(NamedTuple):
    """What a poll decided: the replicas to set, when a trigger was last active (None: never), the rule."""

    replicas: int
    last_active: int | None
    rule: Rule


def milli(amount: float) -> int:
    """Return a value as KEDA hands it on, in thousandths: three decimals, never negative, NaN or Inf."""
    if isinstance(amount, int):
        return min(max(0, amount) * 1000, MAX_INT64)
    if not math.isfinite(amount) or amount < 0:
        return 0
    return min(int(f"{amount:.3f}".replace(".", "")), MAX_INT64)


def fallback_replicas(fallback: Fallback, current: int) -> int:
    """Return how many replicas the fallback stands for while the workload has `current`."""
    match fallback.hold:
        case Hold.STATIC:
            return fallback.replicas
        case Hold.CURRENT:
            return current
        case Hold.IF_HIGHER:
            return max(fallback.replicas, current)
        case Hold.IF_LOWER:
            return min(fallback.replicas, current)


def fallback_milli(trigger: Trigger, fallback: Fallback, current: int, ready: int) -> int | None:
    """Return the metric that a fallback emits, in thousandths; None where it cannot (Value, none ready)."""
    normal = trigger.target.milli * fallback_replicas(fallback, current)
    if trigger.kind is MetricKind.AVERAGE_VALUE:
        return normal
    return normal // ready if ready else None


def observe(
    trigger: Trigger,
    reading: float | Failure,
    *,
    failures: int,
    fallback: Fallback | None,
    current: int,
    ready: int,
) -> Observation:
    """Judge one reading: activity is strictly above the activation, a failure counts towards the fallback.

    `failures` is how often in a row the trigger has failed before. A metric whose description could not be
    had is never counted (kedacore/keda#8056), so that a fallback does not help against it.
    """
    if not isinstance(reading, Failure):
        return Observation(
            milli(reading), reading > trigger.activation, error=False, fallback=False, failures=0
        )
    if reading is Failure.SPEC or fallback is None:
        return Observation(None, active=False, error=True, fallback=False, failures=failures)
    if failures + 1 > fallback.threshold:
        emitted = fallback_milli(trigger, fallback, current, ready)
        if emitted is not None:
            return Observation(emitted, active=True, error=False, fallback=True, failures=failures + 1)
    return Observation(None, active=False, error=True, fallback=False, failures=failures + 1)


def decide(
    scaled: ScaledObject, now: int, current: int, observations: Iterable[Observation], last_active: int | None
) -> Poll:
    """Return what KEDA's loop does at a poll (`RequestScale`); the ScaledObject was created at second 0."""
    seen = tuple(observations)
    error = any(one.error for one in seen)
    pause = scaled.pause
    if pause.replicas is not None:
        return Poll(pause.replicas, last_active, Rule.PAUSED)
    if pause.paused:
        return Poll(current, last_active, Rule.NONE)
    if pause.force_activation or any(one.active for one in seen):
        return _active(scaled, now, current, last_active, error=error)
    return _inactive(scaled, now, current, last_active, error=error)


def _active(scaled: ScaledObject, now: int, current: int, last_active: int | None, *, error: bool) -> Poll:
    """Wake the workload, or note that it is busy; a poll with an error beside the activity does not."""
    asleep = current == 0 or (scaled.idle is not None and current < scaled.minimum)
    if asleep and not scaled.pause.scale_out:
        return Poll(max(1, scaled.minimum), now, Rule.ACTIVATED)
    return Poll(current, last_active if error else now, Rule.NONE)


def _inactive(scaled: ScaledObject, now: int, current: int, last_active: int | None, *, error: bool) -> Poll:
    """Put the workload to sleep once it has cooled down, or lift it to its minimum; hold on errors."""
    held = Poll(current, last_active, Rule.NONE)
    if error and (scaled.fallback is None or scaled.fallback.replicas != 0):
        return held
    idle = scaled.idle
    if (idle is not None and current > idle) or (current > 0 and scaled.minimum == 0):
        cooled = scaled.initial_cooldown < now if last_active is None else last_active + scaled.cooldown < now
        if scaled.pause.scale_in or not cooled:
            return held
        return Poll(scaled.minimum if idle is None else idle, last_active, Rule.COOLDOWN)
    if idle is None and current < scaled.minimum:
        return Poll(scaled.minimum, last_active, Rule.MINIMUM)
    return held
