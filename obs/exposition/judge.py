"""The laws of whole families: series identity, values that a type excludes, and what OpenMetrics adds."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import chain

from obs.exposition.diagnosis import DiagnosisKind as Kind
from obs.exposition.families import Families, FamilyBuilder, suffixes
from obs.exposition.histograms import is_sound_family, judge_histogram
from obs.exposition.identity import count_series, identities
from obs.exposition.lines import number
from obs.exposition.notes import Notes
from obs.exposition.scrape import Block, Family, Format, MetricType

T = MetricType
_HISTOGRAMS = frozenset({T.HISTOGRAM, T.GAUGEHISTOGRAM})
# As milliseconds these are up to 1973, as seconds from 1973 to the year 5138.
_EARLIEST_SECONDS, _LATEST_SECONDS = 1e8, 1e11


def judge(families: Families, notes: Notes) -> tuple[Family, ...]:
    """Return the families of a body, having noted every law they break."""
    form = families.form
    built = tuple(_judge_family(family, form, notes) for family in families)
    _judge_clashes(families, notes)
    return built


def _judge_family(family: FamilyBuilder, form: Format, notes: Notes) -> Family:
    blocks = family.built_blocks()
    histogram = bool(blocks) and family.kind in _HISTOGRAMS
    sound = histogram and form is Format.TEXT and (family.sound or is_sound_family(family.name, blocks))
    series_count = count_series(family, blocks, form, notes)
    for block in blocks:
        if not sound:
            _judge_values(family, block, blocks, form, notes)
    _judge_timestamps(family, blocks, form, notes)
    if histogram and not sound:
        judge_histogram(family, blocks, form, notes)
    if family.kind is T.SUMMARY:
        _judge_quantiles(family, blocks, form, notes)
    if form is Format.OPENMETRICS:
        _judge_openmetrics(family, blocks, series_count, notes)
    return family.built(blocks, series_count)


def _counts(kind: MetricType, suffix: str, form: Format) -> bool:
    """Return whether a sample is a counter: never NaN, never negative."""
    if form is Format.TEXT:
        return (kind is T.COUNTER) or (kind in {T.HISTOGRAM, T.SUMMARY} and suffix in {"_bucket", "_count"})
    match kind:
        case T.COUNTER:
            return suffix == "_total"
        case T.HISTOGRAM | T.SUMMARY:
            return suffix in {"_bucket", "_count", "_sum"}
        case T.GAUGEHISTOGRAM:
            return suffix in {"_bucket", "_gcount"}
        case _:
            return False


def _judge_values(
    family: FamilyBuilder, block: Block, blocks: Sequence[Block], form: Format, notes: Notes
) -> None:
    suffix = block.name[len(family.name) :]
    if not _counts(family.kind, suffix, form) or all(map((0.0).__le__, block.values)):
        return
    negative_buckets = (
        suffix == "_sum" and family.kind is T.HISTOGRAM and _has_negative_bucket(family, blocks)
    )
    for value, line in zip(block.values, block.lines, strict=True):
        if value < 0 and negative_buckets:
            continue  # said once for the whole histogram
        if not value >= 0:
            kind = Kind.NAN_COUNTER if math.isnan(value) else Kind.NEGATIVE_COUNTER
            message = f"`{block.name}` of a {family.kind.value} is {value:g}"
            notes.add(kind, line, message, "a counter starts at 0 and only grows", subject=family.name)


def _has_negative_bucket(family: FamilyBuilder, blocks: Sequence[Block]) -> bool:
    bounds = {
        bound for block in blocks if block.name == family.name + "_bucket" for bound in block.distinct("le")
    }
    return any((number(bound) or 0.0) < 0 for bound in bounds)


def _judge_timestamps(family: FamilyBuilder, blocks: Sequence[Block], form: Format, notes: Notes) -> None:
    """Note, once a family, timestamps that are surely in the other format's unit."""
    if not any(block.timestamps for block in blocks):
        return
    wants = "milliseconds" if form is Format.TEXT else "seconds"
    stamped = [
        (line, stamp)
        for block in blocks
        if block.timestamps
        for line, stamp in zip(block.lines, block.timestamps, strict=True)
    ]
    odd = sorted((line, stamp) for line, stamp in stamped if _unit(stamp) not in {"", wants})
    if not odd:
        return
    line, stamp = odd[0]
    what = f"timestamp {stamp:.0f} of `{family.name}`"
    message = f"{what} looks like {_unit(stamp)}; read as {wants} it is {_date(stamp, form)}"
    notes.add(
        Kind.TIMESTAMP_UNIT, line, message, f"write {wants}, or leave timestamps out", subject=family.name,
        related=tuple(line for line, _ in odd[1:6]),
    )  # fmt: skip


def _unit(stamp: float) -> str:
    """Return the unit in which `stamp` is a time up to the year 5138; nothing for one close to the epoch."""
    if abs(stamp) < _EARLIEST_SECONDS:
        return ""
    units = ("seconds", "milliseconds", "microseconds")
    return next(
        (unit for power, unit in enumerate(units) if abs(stamp) < _LATEST_SECONDS * 1000**power),
        "nanoseconds",
    )


def _date(stamp: float, form: Format) -> str:
    year = 1970 + stamp / (31_556_952 * (1000 if form is Format.TEXT else 1))
    return f"in the year {year:.0f}"


def _judge_quantiles(family: FamilyBuilder, blocks: Sequence[Block], form: Format, notes: Notes) -> None:
    for block in blocks:
        if block.name != family.name:
            continue
        if (
            form is Format.TEXT
            and "quantile" in block.label_names
            and all(map(_is_quantile, block.distinct("quantile")))
        ):
            continue
        quantiles = block.column("quantile") or [""] * len(block)
        for text, value, line in zip(quantiles, block.values, block.lines, strict=True):
            if not _is_quantile(text):
                said = f'has quantile="{text}"' if text else "has no `quantile` label"
                message = f"`{family.name}` of a summary {said}"
                notes.add(
                    Kind.QUANTILE_LABEL, line, message, "write a number from 0 to 1", subject=family.name
                )
            if form is Format.OPENMETRICS and value < 0:
                message = f"quantile of the summary `{family.name}` is {value:g}"
                notes.add(
                    Kind.NEGATIVE_COUNTER,
                    line,
                    message,
                    "a summary observes no negative values",
                    subject=family.name,
                )


def _is_quantile(text: str) -> bool:
    value = number(text)
    return value is not None and 0 <= value <= 1


def _judge_openmetrics(
    family: FamilyBuilder, blocks: Sequence[Block], series_count: int, notes: Notes
) -> None:
    if family.kind is T.INFO:
        _judge_constant(family, blocks, {1.0}, Kind.INFO_VALUE, notes)
    if family.kind is T.STATESET:
        _judge_constant(family, blocks, {0.0, 1.0}, Kind.STATESET, notes)
        for block in blocks:
            if family.name not in block.label_names:
                message = f"a sample of the stateset `{family.name}` has no label `{family.name}`"
                notes.add(Kind.STATESET, block.lines[0], message, "name the state in it", subject=family.name)
    if family.unit and family.kind in {T.INFO, T.STATESET}:
        message = f"a {family.kind.value} has no unit"
        notes.add(Kind.INVALID_UNIT, family.unit_line, message, "remove the UNIT line", subject=family.name)
    _judge_grouping(family, blocks, series_count, notes)


def _judge_constant(
    family: FamilyBuilder, blocks: Sequence[Block], allowed: set[float], kind: Kind, notes: Notes
) -> None:
    for block in blocks:
        if allowed.issuperset(block.values):
            continue
        for value, line in zip(block.values, block.lines, strict=True):
            if value not in allowed:
                wanted = " or ".join(f"{one:g}" for one in sorted(allowed))
                message = f"`{block.name}` of type {family.kind.value} is {value:g}"
                notes.add(kind, line, message, f"its value is {wanted}", subject=family.name)


def _judge_grouping(family: FamilyBuilder, blocks: Sequence[Block], series_count: int, notes: Notes) -> None:
    """OpenMetrics 1.0: the samples of one metric (one label set) stand together. Noted once a family."""
    special = {"le", "quantile", *((family.name,) if family.kind is T.STATESET else ())}
    if len(blocks) == 1 and special.isdisjoint(blocks[0].label_names) and series_count == len(blocks[0]):
        return
    lines: dict[tuple[tuple[str, str], ...], int] = {}
    last = None
    for line, labels in _metrics(blocks, special):
        first = lines.setdefault(labels, line)
        if labels != last and first != line:
            message = f"samples of one metric of `{family.name}` continue here after those of another"
            remedy = "write all samples with the same labels together"
            notes.add(Kind.INTERLEAVED_SERIES, line, message, remedy, subject=family.name, related=(first,))
            return
        last = labels


def _metrics(blocks: Sequence[Block], special: set[str]) -> Iterator[tuple[int, tuple[tuple[str, str], ...]]]:
    rows = (
        (line, tuple(pair for pair in labels if pair[0] not in special))
        for line, labels, _ in chain.from_iterable(map(identities, blocks))
    )
    return iter(sorted(rows, key=lambda row: row[0]))


def _judge_clashes(families: Families, notes: Notes) -> None:
    """Note names that two families use: in text 0.0.4 those written, in OpenMetrics all they may."""
    owners: dict[str, FamilyBuilder] = {}
    for family in families:
        names = {name for name, _, _ in family.blocks}
        if families.form is Format.OPENMETRICS:
            names |= {family.name, *(family.name + suffix for suffix in suffixes(families.form, family.kind))}
        for name in names:
            if owners.setdefault(name, family) is not family:
                _note_clash(name, owners[name], family, notes)


def _note_clash(name: str, owner: FamilyBuilder, family: FamilyBuilder, notes: Notes) -> None:
    message = f"`{name}` belongs to `{owner.name}` and to `{family.name}`"
    first, second = (one.type_line or one.help_line or one.first_sample for one in (owner, family))
    notes.add(
        Kind.CLASHING_NAMES,
        second,
        message,
        "rename one of them",
        subject=family.name,
        related=(first,),
    )
