"""What the fleet works on: how long tasks take, how pods start, drain and die. Times are whole seconds."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from enum import StrEnum

# How much longer than the median task the longest one may take: agents work against a deadline.
TASK_LIMIT_FACTOR = 4

# Kubernetes kills a pod this much later than its own drain should have ended.
GRACE_MARGIN = 10


class Victims(StrEnum):
    """Which ready pods are removed first: the newest (a ReplicaSet), or the idlest (pod-deletion-cost)."""

    NEWEST = "newest"
    IDLEST = "idlest"


@dataclass(frozen=True, slots=True)
class Workload:
    """Tasks and pods; all times in whole seconds.

    A task takes `work` at the median, log-normal with `spread` (sigma; 0: all alike), and at most `limit`
    (0: four times `work`). A pod holds `capacity` tasks at once, is ready `startup` after its creation, and
    when it is removed takes nothing new and has `drain` to finish; what is left then goes back to the
    queue. A pod that is still there after `grace` (0: ten seconds more than the drain) is killed, and its
    tasks come back only when their `lease` has run out.
    """

    work: int
    capacity: int = 1
    spread: float = 0.5
    limit: int = 0
    startup: int = 25
    drain: int = 45
    grace: int = 0
    lease: int = 60
    victims: Victims = Victims.NEWEST
    room: int = 0

    @property
    def longest(self) -> int:
        """Return the longest that a task can take, in seconds."""
        return self.limit or TASK_LIMIT_FACTOR * self.work

    @property
    def mean(self) -> float:
        """Return how long a task takes on average, in seconds (of the log-normal before it is cut)."""
        return self.work * math.exp(self.spread**2 / 2)

    @property
    def killed_after(self) -> int:
        """Return how long a removed pod lives at most, in seconds."""
        return self.grace or self.drain + GRACE_MARGIN

    def service_times(self, count: int, seed: int) -> tuple[int, ...]:
        """Return how long each of `count` tasks takes; the n-th depends on n and the seed alone.

        The same tasks meet every configuration that is compared (common random numbers).
        """
        if not self.spread:
            return (max(1, min(self.work, self.longest)),) * count
        # Randomness is an argument of a simulation, not a secret.
        draw = random.Random(f"service:{seed}").lognormvariate  # noqa: S311
        work, spread, longest = self.work, self.spread, self.longest
        return tuple([max(1, min(longest, round(work * draw(0.0, spread)))) for _ in range(count)])
