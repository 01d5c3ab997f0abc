"""One body as the checks across bodies see it: a vector of numbers, and what each of them is.

The layout is worked out once for a set of label sets; as long as a target keeps it, a look costs one copy of the
numbers.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from obs.exposition import Block, Family, MetricType, Scrape
from obs.model.metric import DomainKind, Kind, Metric, Registry

SeriesKey = tuple[str, tuple[tuple[str, str], ...]]
"""A sample's name and its labels, sorted, those with an empty value left out."""

GENERATION = "config_generation"
"""The level that only grows while a process lives (contract section 6), without the registry's prefix."""

WORKING = ("active_subagents", "inflight_reactions", "saturation")
"""Levels that say, above 0, that the agent is at work (contract section 6.2), without the registry's prefix."""

_PARTS = frozenset({"le", "quantile"})


@dataclass(frozen=True, slots=True)
class Layout:
    """What the numbers of a body are, by position.

    `keys` name the series and `lines` say where they stand; `counters` never fall while a process lives; `twins` must
    be equal; `generation` and `working` are positions of the levels named above; `free` says how many values each label
    has that the registry does not bound, by metric and label.
    """

    keys: tuple[SeriesKey, ...]
    lines: tuple[int, ...]
    counters: tuple[int, ...]
    twins: tuple[tuple[int, int], ...]
    generation: tuple[int, ...]
    working: tuple[int, ...]
    free: Mapping[tuple[str, str], int]


@dataclass(frozen=True, slots=True)
class Look:
    """The numbers of one body, in the order of its layout."""

    layout: Layout
    values: array[float]

    def by_key(self) -> dict[SeriesKey, float]:
        """Return the numbers by series."""
        return dict(zip(self.layout.keys, self.values, strict=True))


def look(scrape: Scrape, registry: Registry, layout: Layout | None = None) -> Look:
    """Return what a body shows; `layout` is given when its label sets are known to be those of an earlier body."""
    values = array("d")
    for block in _blocks(scrape):
        values.extend(block.values)
    return Look(layout or layout_of(scrape, registry), values)


def layout_of(scrape: Scrape, registry: Registry) -> Layout:
    """Return what the numbers of `scrape` are, with the registry's knowledge of them."""
    keys = tuple(key for block in _blocks(scrape) for key in _keys(block))
    position = {key: at for at, key in enumerate(keys)}
    spelled = [registry.prefix + name for name in WORKING]
    return Layout(
        keys=keys,
        lines=tuple(line for block in _blocks(scrape) for line in block.lines),
        counters=_counters(scrape, registry),
        twins=tuple(_twins(position, registry)),
        generation=tuple(_positions(position, [registry.prefix + GENERATION])),
        working=tuple(_positions(position, spelled)),
        free=MappingProxyType(_free(scrape, registry)),
    )


def _blocks(scrape: Scrape) -> Iterator[Block]:
    return (block for family in scrape.families for block in family.blocks)


def _keys(block: Block) -> Iterator[SeriesKey]:
    order = sorted(range(len(block.label_names)), key=block.label_names.__getitem__)
    names = [block.label_names[at] for at in order]
    for row in block.rows():
        pairs = zip(names, (row[at] for at in order), strict=True)
        yield block.name, tuple((name, value) for name, value in pairs if value)


def _counters(scrape: Scrape, registry: Registry) -> tuple[int, ...]:
    found: list[int] = []
    at = 0
    for family in scrape.families:
        for block in family.blocks:
            if _counts(family, block, registry):
                found.extend(range(at, at + len(block)))
            at += len(block)
    return tuple(found)


def _counts(family: Family, block: Block, registry: Registry) -> bool:
    if block.name.endswith("_created"):
        return False
    metric = registry.by_name.get(block.name)
    if metric is not None:
        return metric.kind is Kind.COUNTER
    if family.kind in {MetricType.HISTOGRAM, MetricType.SUMMARY}:
        return block.name.endswith(("_bucket", "_count"))
    return family.kind is MetricType.COUNTER


def _positions(position: Mapping[SeriesKey, int], names: list[str]) -> Iterator[int]:
    return (position[key] for name in names if (key := (name, ())) in position)


def _twins(position: Mapping[SeriesKey, int], registry: Registry) -> Iterator[tuple[int, int]]:
    for metric in registry.metrics:
        twin = metric.semantics.equals
        if twin is None:
            continue
        left, right = position.get((metric.name, ())), position.get((twin.metric, twin.labels))
        if left is not None and right is not None:
            yield left, right


def _free(scrape: Scrape, registry: Registry) -> dict[tuple[str, str], int]:
    return {
        (family.name, label): len(family.distinct(label))
        for family in scrape.families
        for label in sorted(family.label_names - _PARTS)
        if not _bounded(_metric(family, registry), label)
    }


def _metric(family: Family, registry: Registry) -> Metric | None:
    return registry.by_name.get(family.name) or registry.by_name.get(family.name + "_total")


def _bounded(metric: Metric | None, label: str) -> bool:
    """Return whether the registry bounds a label: what it may hold is then judged by its domain and its budget."""
    known = metric.label(label) if metric else None
    return known is not None and known.domain.kind is not DomainKind.OPEN
