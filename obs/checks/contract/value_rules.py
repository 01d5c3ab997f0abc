"""Which samples break the value rule of their metric: shared by the checks of values."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from obs.checks.context import Context, own_blocks
from obs.model.metric import Kind, Metric, ValueRule


def breaking(
    context: Context, rules: frozenset[ValueRule], allowed: Callable[[float], bool]
) -> Iterator[tuple[Metric, float, int]]:
    """Yield (metric, value, line) of samples whose metric has one of `rules` and whose value is not `allowed`.

    Histograms are left to the format; so are counters that are negative or not a number.
    """
    for metric, family in context.metrics:
        if metric.semantics.values not in rules or metric.kind is Kind.HISTOGRAM:
            continue
        for block in own_blocks(family):
            if all(map(allowed, block.values)):
                continue
            for value, line in zip(block.values, block.lines, strict=True):
                if not allowed(value) and (metric.kind is not Kind.COUNTER or value >= 0):
                    yield metric, value, line
