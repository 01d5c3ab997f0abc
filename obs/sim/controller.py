"""One HPA over time: the reconcile of `horizontal.go`, and what its process remembers between two of them."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from obs.sim.hpa import (
    DOWNSCALE_WINDOW,
    TOLERANCE,
    Bounds,
    Decision,
    Event,
    Limited,
    MetricKind,
    Reason,
    Target,
    average_value,
    limit_plain,
    limit_rate,
    stabilize,
    value,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class Recommendations:
    """The recommendations of the past, kept so that the extreme of a window is read in constant time.

    Only what can still be an extreme is kept: `_falling` holds the candidates for the highest, `_rising`
    those for the lowest, both oldest first. `add` must be called in the order of time.
    """

    def __init__(self, up_window: int, down_window: int, entries: Iterable[tuple[int, int]] = ()) -> None:
        self._up_window = up_window
        self._down_window = down_window
        self._falling: deque[tuple[int, int]] = deque()
        self._rising: deque[tuple[int, int]] = deque()
        self.empty = True
        for time, replicas in entries:
            self.add(time, replicas)

    def add(self, time: int, replicas: int) -> None:
        """Remember that `replicas` were recommended at `time` (seconds)."""
        self.empty = False
        falling, rising = self._falling, self._rising
        while falling and falling[-1][1] <= replicas:
            falling.pop()
        falling.append((time, replicas))
        while rising and rising[-1][1] >= replicas:
            rising.pop()
        rising.append((time, replicas))

    def highest(self, now: int, default: int) -> int:
        """Return the highest recommendation younger than the down window, or `default` without one."""
        falling = self._falling
        while falling and falling[0][0] <= now - self._down_window:
            falling.popleft()
        return falling[0][1] if falling else default

    def lowest(self, now: int, default: int) -> int:
        """Return the lowest recommendation younger than the up window, or `default` without one."""
        rising = self._rising
        while rising and rising[0][0] <= now - self._up_window:
            rising.popleft()
        return rising[0][1] if rising else default


def windows(bounds: Bounds) -> tuple[int, int]:
    """Return the (up, down) stabilisation windows in seconds, as "strictly younger than".

    Without `behavior` a recommendation that is exactly as old as the window still counts; with it, it does
    not (`stabilizeRecommendation` asks Before, `stabilizeRecommendationWithBehaviors` asks After).
    """
    if bounds.behavior is None:
        return 0, DOWNSCALE_WINDOW + 1
    return bounds.behavior.up.window, bounds.behavior.down.window


@dataclass(slots=True)
class Controller:
    """One HPA over time: `sync` is a reconcile; it remembers what the controller's process remembers.

    The fields are the controller's memory and change with every sync; nothing else writes them.
    """

    bounds: Bounds
    targets: tuple[Target, ...]
    recommendations: Recommendations = field(init=False)
    ups: deque[Event] = field(default_factory=deque)
    downs: deque[Event] = field(default_factory=deque)

    def __post_init__(self) -> None:
        self.recommendations = Recommendations(*windows(self.bounds))

    def sync(
        self, now: int, usages_milli: Sequence[int | None], spec: int, status: int, ready: int
    ) -> Decision:
        """Decide on the replicas; None among `usages_milli` is a metric that could not be read."""
        bounds = self.bounds
        if self.recommendations.empty:
            self.recommendations.add(now, spec)
        if spec == 0:
            return Decision(0, Reason.SCALING_DISABLED)
        if spec > bounds.maximum:
            return self._written(now, spec, Decision(bounds.maximum, Reason.ABOVE_MAX))
        if spec < bounds.minimum:
            return self._written(now, spec, Decision(bounds.minimum, Reason.BELOW_MIN))
        desired, metric, failed = self._propose(usages_milli, spec, status, ready)
        if failed == len(self.targets) or (failed and desired < spec):
            return Decision(spec, Reason.METRICS_FAILED, desired, metric)
        limited = self._limited(now, desired, spec)
        return self._written(now, spec, Decision(*limited, desired, metric))

    def _propose(
        self, usages_milli: Sequence[int | None], spec: int, status: int, ready: int
    ) -> tuple[int, int, int]:
        """Return the highest proposal (0 without one), its metric, and how many could not be read."""
        behavior = self.bounds.behavior
        down, up = (behavior.down.tolerance, behavior.up.tolerance) if behavior else (TOLERANCE, TOLERANCE)
        desired, metric, failed = 0, -1, 0
        for index, (target, usage) in enumerate(zip(self.targets, usages_milli, strict=True)):
            if usage is None:
                failed += 1
                continue
            if target.kind is MetricKind.AVERAGE_VALUE:
                proposal = average_value((usage,), target.milli, status, down, up)
            else:
                proposal = value((usage,), target.milli, current=spec, ready=ready, down=down, up=up)
            if metric < 0 or proposal.replicas > desired:
                desired, metric = proposal.replicas, index
        return desired, metric, failed

    def _limited(self, now: int, desired: int, spec: int) -> Limited:
        """Stabilise and bound `desired`; remember it."""
        bounds, recommendations = self.bounds, self.recommendations
        highest = recommendations.highest(now, desired)
        if bounds.behavior is None:
            stable = Limited(max(desired, highest), Reason.STABILIZED_DOWN)
            limited = limit_plain(spec, stable.replicas, bounds.minimum, bounds.maximum)
        else:
            stable = stabilize(spec, desired, recommendations.lowest(now, desired), highest)
            limited = limit_rate(bounds, spec, stable.replicas, ups=self.ups, downs=self.downs, now=now)
        recommendations.add(now, desired)
        if limited.reason is Reason.WITHIN_RANGE and stable.replicas != desired:
            return Limited(limited.replicas, stable.reason)
        return limited

    def _written(self, now: int, spec: int, decision: Decision) -> Decision:
        """Remember a change as a scale event, as the HPA does only where it has a `behavior`."""
        change = decision.replicas - spec
        if change and self.bounds.behavior is not None:
            behavior, events = self.bounds.behavior, self.ups if change > 0 else self.downs
            events.append(Event(now, abs(change)))
            # horizontal.go drops events that no policy of either direction can see any more.
            longest = max(policy.period for policy in (*behavior.up.policies, *behavior.down.policies))
            while events[0].time <= now - longest:
                events.popleft()
        return decision
