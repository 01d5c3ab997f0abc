"""How the labels of a sample differ from those of its metric: shared by the three checks of label names."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from obs.checks.cardinality.forbidden_label import is_forbidden
from obs.checks.context import Context, is_part, own_blocks
from obs.checks.contract.version_label import VERSION_LABELS
from obs.exposition import Block
from obs.model.metric import Metric


@dataclass(frozen=True, slots=True)
class Mismatch:
    """Samples of one metric, `count` of them from `line` on, that lack or add the same labels."""

    metric: Metric
    missing: tuple[str, ...]
    extra: tuple[str, ...]
    line: int
    count: int


def mismatches(context: Context) -> Iterator[Mismatch]:
    """Yield what differs, once for each metric and way to differ; labels that another check forbids are left out."""
    for metric, family in context.metrics:
        if all(set(block.label_names) == set(metric.label_keys) for block in family.blocks) and not any(
            "" in family.distinct(key) for key in metric.label_keys
        ):
            continue
        found: dict[_Way, Mismatch] = {}
        for block in own_blocks(family):
            for key, line, count in _of_block(context, metric, block):
                seen = found.get(key)
                first = min(line, seen.line) if seen else line
                found[key] = Mismatch(metric, *key, first, count + (seen.count if seen else 0))
        yield from found.values()


_Way = tuple[tuple[str, ...], tuple[str, ...]]


def _of_block(context: Context, metric: Metric, block: Block) -> Iterator[tuple[_Way, int, int]]:
    """Yield (missing, extra), first line and number of samples; an empty value is the same as no label."""
    if not any("" in values for values in block.seen):
        way = _way(context, metric, block.label_names)
        if any(way):
            yield way, block.lines[0], len(block)
        return
    ways: dict[tuple[str, ...], list[int]] = {}
    for row, line in zip(block.rows(), block.lines, strict=True):
        present = tuple(name for name, value in zip(block.label_names, row, strict=True) if value)
        ways.setdefault(present, []).append(line)
    for present, lines in ways.items():
        way = _way(context, metric, present)
        if any(way):
            yield way, lines[0], len(lines)


def _way(context: Context, metric: Metric, present: tuple[str, ...]) -> _Way:
    missing = tuple(key for key in metric.label_keys if key not in present)
    extra = tuple(sorted(key for key in present if _is_extra(context, metric, key)))
    return missing, extra


def _is_extra(context: Context, metric: Metric, key: str) -> bool:
    return (
        key not in metric.label_keys
        and not is_part(metric, key)
        and key not in VERSION_LABELS
        and not is_forbidden(key, context.budgets.forbidden_labels)
    )
