"""What must hold among the samples of a histogram: buckets ascend to `+Inf`, and `+Inf` is the count.

A histogram whose children all list the same buckets in the same order, as every client library writes them,
is proven sound by comparing slices of columns; any other is gone through child by child, and only there
defects get their lines. Bounds are compared as numbers: `1`, `1.0` and `1e0` are one bucket.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain, pairwise
from operator import le

from obs.exposition.columns import Columns
from obs.exposition.diagnosis import DiagnosisKind as Kind
from obs.exposition.families import FamilyBuilder
from obs.exposition.identity import identities
from obs.exposition.lines import number
from obs.exposition.notes import Notes
from obs.exposition.scrape import Block, Format, MetricType

_Labels = tuple[tuple[str, str], ...]


def judge_histogram(family: FamilyBuilder, blocks: Sequence[Block], form: Format, notes: Notes) -> None:
    """Note every broken law of a histogram or a gauge histogram."""
    for (labels, _), child in _children(family, blocks, form, notes).items():
        _judge_child(family, _Child(dict(labels), child), form, notes)


def is_sound(buckets: Columns, counts: Columns) -> bool:
    """Return whether the uniform children of a histogram break no law; False means "look closer".

    True also means that its buckets are distinct series if its counts are, and neither NaN nor negative.
    """
    if buckets.timestamps or counts.timestamps or "le" not in buckets.label_names:
        return False
    place = buckets.label_names.index("le")
    bounds = buckets.columns[place]
    size = _bucket_count(bounds)
    children = len(counts.values)
    if not size or len(bounds) != size * children or not _ascending(tuple(bounds[:size])):
        return False
    if bounds != bounds[:size] * children:
        return False
    labels = buckets.label_names[:place] + buckets.label_names[place + 1 :]
    others = buckets.columns[:place] + buckets.columns[place + 1 :]
    return (
        labels == counts.label_names
        and all(
            _repeats(column, counted, size) for column, counted in zip(others, counts.columns, strict=True)
        )
        and _cumulative(buckets.values, counts.values, size)
    )


def short_columns(buckets: Columns, counts: Columns) -> tuple[Sequence[str], ...]:
    """Return columns with the distinct values of a sound histogram's buckets: those of its counts, and its bounds."""
    place = buckets.label_names.index("le")
    bounds = buckets.columns[place]
    return (*counts.columns[:place], bounds[: _bucket_count(bounds)], *counts.columns[place:])


def is_sound_family(family: str, blocks: Sequence[Block]) -> bool:
    """Return the same of the whole family called `family`, however its samples were read."""
    by_name = {block.name: block for block in blocks}
    buckets, counts = by_name.get(family + "_bucket"), by_name.get(family + "_count")
    if len(by_name) != len(blocks) or buckets is None or counts is None:
        return False
    return is_sound(
        *(Columns(one.label_names, one.cut(), one.values, one.timestamps) for one in (buckets, counts))
    )


def _repeats(column: list[str], counted: list[str], size: int) -> bool:
    """Return whether `column` holds each value of `counted` `size` times in a row."""
    return list(chain.from_iterable(zip(*[counted] * size, strict=True))) == column


def _cumulative(values: Sequence[float], counts: Sequence[float], size: int) -> bool:
    """Return whether buckets start at 0 or more, never fall and end at the count; NaN fails each comparison."""
    tops, firsts = values[size - 1 :: size], values[::size]
    if tops != counts or not all(map((0.0).__le__, firsts)):
        return False
    # Pairs that do not fall, less those across children, are all pairs inside of children.
    rising = sum(map(le, values, values[1:])) - sum(map(le, tops, firsts[1:]))
    return bool(rising == len(values) - len(counts))


def _bucket_count(bounds: Sequence[str]) -> int:
    if not bounds:
        return 0
    try:
        return bounds.index(bounds[0], 1)
    except ValueError:
        return len(bounds)


@lru_cache(maxsize=64)
def _ascending(bounds: tuple[str, ...]) -> bool:
    """Return whether bounds ascend to +Inf; remembered, as a body has few layouts of buckets."""
    numbers = [number(bound) for bound in bounds]
    if None in numbers or numbers[-1] != math.inf:
        return False
    return all(a < b for a, b in pairwise(numbers))  # type: ignore[operator] # no None is left


@dataclass(slots=True)
class _Samples:
    """Samples of one child: (line, value), buckets with their bound and its text."""

    buckets: list[tuple[float, str, float, int]] = field(default_factory=list)
    counts: list[tuple[int, float]] = field(default_factory=list)
    sums: list[tuple[int, float]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Child:
    labels: dict[str, str]
    samples: _Samples

    @property
    def shown(self) -> str:
        pairs = ",".join(f'{key}="{value}"' for key, value in self.labels.items())
        return f"{{{pairs}}}" if pairs else ""


def _children(
    family: FamilyBuilder, blocks: Sequence[Block], form: Format, notes: Notes
) -> dict[tuple[_Labels, float | None], _Samples]:
    """Gather the samples by labels without `le` (and by timestamp: OpenMetrics allows several points)."""
    found: dict[tuple[_Labels, float | None], _Samples] = {}
    for line, name, labels, stamp, value in _in_order(blocks):
        suffix = name[len(family.name) :]
        if suffix == "_bucket":
            bound = _bound(family, labels, line, form, notes)
            rest = tuple(pair for pair in labels if pair[0] != "le")
            child = found.setdefault((rest, stamp), _Samples())
            if bound is not None:
                child.buckets.append((*bound, value, line))
        elif suffix in {"_count", "_gcount"}:
            found.setdefault((labels, stamp), _Samples()).counts.append((line, value))
        elif suffix in {"_sum", "_gsum"}:
            found.setdefault((labels, stamp), _Samples()).sums.append((line, value))
    return found


def _in_order(blocks: Sequence[Block]) -> Iterator[tuple[int, str, _Labels, float | None, float]]:
    rows = chain.from_iterable(
        (
            (line, block.name, labels, stamp, value)
            for (line, labels, stamp), value in zip(identities(block), block.values, strict=True)
        )
        for block in blocks
    )
    return iter(sorted(rows, key=lambda row: row[0]))


def _bound(
    family: FamilyBuilder, labels: _Labels, line: int, form: Format, notes: Notes
) -> tuple[float, str] | None:
    text = dict(labels).get("le")
    bound = number(text) if text is not None else None
    # OpenMetrics 1.0, "Histogram": the last bucket is spelled `+Inf`.
    wrong_inf = form is Format.OPENMETRICS and bound == math.inf and text != "+Inf"
    if text is not None and bound is not None and not math.isnan(bound) and not wrong_inf:
        return bound, text
    said = "has no `le` label" if text is None else f'has le="{text}", which is no bound'
    message = f"`{family.name}_bucket` {said}"
    notes.add(
        Kind.BUCKET_LABEL,
        line,
        message,
        "write the upper bound as a number, `+Inf` the last",
        subject=family.name,
    )
    return None


def _judge_child(family: FamilyBuilder, child: _Child, form: Format, notes: Notes) -> None:
    samples = child.samples
    named = f"histogram `{family.name}`{child.shown}"
    if not any(bound == math.inf for bound, _, _, _ in samples.buckets):
        lines = [b[3] for b in samples.buckets] + [line for line, _ in samples.counts + samples.sums]
        if lines:
            line = samples.buckets[-1][3] if samples.buckets else lines[0]
            notes.add(
                Kind.NO_INF_BUCKET,
                line,
                f'{named} has no bucket le="+Inf"',
                "write the `+Inf` bucket",
                subject=family.name,
            )
    if form is Format.OPENMETRICS:
        _judge_order(family, named, samples, notes)
    _judge_buckets(family, named, samples, notes)
    _judge_totals(family, named, samples, form, notes)


def _judge_order(family: FamilyBuilder, named: str, samples: _Samples, notes: Notes) -> None:
    for before, after in pairwise(samples.buckets):
        if after[0] < before[0]:
            message = f'{named}: bucket le="{after[1]}" comes after le="{before[1]}"'
            notes.add(
                Kind.BUCKET_ORDER, after[3], message, "write buckets in ascending order of `le`", subject=family.name,
                related=(before[3],),
            )  # fmt: skip


def _judge_buckets(family: FamilyBuilder, named: str, samples: _Samples, notes: Notes) -> None:
    ascending = sorted(samples.buckets, key=lambda bucket: bucket[0])
    for before, after in pairwise(ascending):
        (low, low_text, low_value, low_line), (high, high_text, high_value, high_line) = before, after
        if low == high:
            if low_text != high_text:
                message = f'{named}: le="{low_text}" and le="{high_text}" are the same bucket'
                line, first = max(low_line, high_line), min(low_line, high_line)
                notes.add(
                    Kind.DUPLICATE_BUCKET,
                    line,
                    message,
                    "write each bound once",
                    subject=family.name,
                    related=(first,),
                )
        elif high_value < low_value:
            fall = f'{low_value:g} at le="{low_text}" to {high_value:g} at le="{high_text}"'
            message = f"{named}: buckets fall from {fall}"
            remedy = "buckets are cumulative: each counts all observations up to its bound"
            notes.add(
                Kind.FALLING_BUCKETS, high_line, message, remedy, subject=family.name, related=(low_line,)
            )


def _judge_totals(family: FamilyBuilder, named: str, samples: _Samples, form: Format, notes: Notes) -> None:
    top = next((bucket for bucket in samples.buckets if bucket[0] == math.inf), None)
    gauge = family.kind is MetricType.GAUGEHISTOGRAM
    count, total = ("_gcount", "_gsum") if gauge else ("_count", "_sum")
    if top is not None and samples.counts and samples.counts[0][1] != top[2]:
        line, value = samples.counts[0]
        message = f'{named}: `{family.name}{count}` is {value:g} but the bucket le="+Inf" holds {top[2]:g}'
        notes.add(
            Kind.COUNT_MISMATCH, line, message, "both are the number of observations", subject=family.name,
            related=(top[3],),
        )  # fmt: skip
    if form is Format.TEXT:
        if samples.buckets and not samples.counts:
            message = f"{named} has buckets but no `{family.name}_count`"
            notes.add(
                Kind.MISSING_COUNT, samples.buckets[-1][3], message, "write the count", subject=family.name
            )
        return
    _judge_openmetrics_totals(family, named, samples, (count, total), notes)


def _judge_openmetrics_totals(
    family: FamilyBuilder, named: str, samples: _Samples, suffixes: tuple[str, str], notes: Notes
) -> None:
    """OpenMetrics 1.0, "Histogram" and "GaugeHistogram": sum and count come together, or not at all."""
    negative = any(bound < 0 for bound, _, _, _ in samples.buckets)
    gauge = family.kind is MetricType.GAUGEHISTOGRAM
    count, total = suffixes
    if samples.sums and negative and not gauge:
        message = f"{named} has negative buckets and a `{family.name}{total}`, which is no counter then"
        notes.add(
            Kind.NEGATIVE_BUCKET_SUM, samples.sums[0][0], message, "leave the sum out", subject=family.name
        )
    elif samples.sums and not samples.counts:
        message = f"{named} has `{family.name}{total}` but no `{family.name}{count}`"
        notes.add(Kind.MISSING_COUNT, samples.sums[0][0], message, "write both", subject=family.name)
    elif samples.counts and not samples.sums and not (negative and not gauge):
        message = f"{named} has `{family.name}{count}` but no `{family.name}{total}`"
        notes.add(Kind.MISSING_SUM, samples.counts[0][0], message, "write both", subject=family.name)
    if gauge and not negative:
        for line, value in samples.sums:
            if not value >= 0:
                message = f"{named}: `{family.name}{total}` is {value:g} although no bucket is negative"
                notes.add(
                    Kind.NEGATIVE_COUNTER,
                    line,
                    message,
                    "it is a sum of positive values",
                    subject=family.name,
                )
