"""Seeded draws: the same key gives the same numbers on every machine and version of Python."""

from __future__ import annotations

import math
import random

Weights = tuple[tuple[str, float], ...]
"""Names and how likely each is, in any scale."""

_NORMAL_FROM = 30.0  # above this mean the normal approximation of a count is good enough and costs one draw


class Chance:
    """Draws for one agent (or fleet) in one tick; made anew for each, so nobody's draws depend on anybody else's."""

    __slots__ = ("_random",)

    def __init__(self, *key: object) -> None:
        """Seed with a key, such as (seed, agent, tick): seeding by text is the same in every version of Python."""
        self._random = random.Random("/".join(map(str, key)))  # noqa: S311  # a model, not a secret

    def share(self) -> float:
        """Return a number from 0 to 1 (1 excluded)."""
        return self._random.random()

    def happens(self, probability: float) -> bool:
        """Return whether an event of this probability happens."""
        return probability > 0 and self._random.random() < probability

    def count(self, mean: float) -> int:
        """Return how many independent events happen when `mean` are expected (Poisson)."""
        if mean <= 0:
            return 0
        if mean > _NORMAL_FROM:
            return max(0, round(self._random.gauss(mean, math.sqrt(mean))))
        limit, product, found = math.exp(-mean), self._random.random(), 0
        while product > limit:
            product *= self._random.random()
            found += 1
        return found

    def of(self, many: int, probability: float) -> int:
        """Return how many of `many` things an event of this probability happens to (binomial)."""
        if many <= 0 or probability <= 0:
            return 0
        if many > _NORMAL_FROM * 2:
            mean = many * probability
            spread = math.sqrt(mean * (1 - min(1.0, probability)))
            return min(many, max(0, round(self._random.gauss(mean, spread))))
        return sum(self._random.random() < probability for _ in range(many))

    def pick(self, weights: Weights) -> str:
        """Return one of the names, each as likely as its weight says."""
        return self._random.choices([name for name, _ in weights], [weight for _, weight in weights])[0]
