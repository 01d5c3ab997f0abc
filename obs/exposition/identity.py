"""Which samples are one series, as a Prometheus server sees it.

Neither the order of labels nor a label with an empty value makes a difference. The exact answer costs one set
of tuples for samples of one shape; who the twins are is asked only when there are some.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from types import MappingProxyType

from obs.exposition.diagnosis import DiagnosisKind as Kind
from obs.exposition.families import FamilyBuilder
from obs.exposition.notes import Notes
from obs.exposition.scrape import Block, Format

_TWICE = MappingProxyType(
    {
        Kind.DUPLICATE_SERIES: (
            "the same series as on line {}; label order and empty values make no difference",
            "expose each series once",
        ),
        Kind.TIMESTAMP_ORDER: (
            "its timestamp goes back behind that of line {}",
            "write the points of a series in order of time",
        ),
    }
)
_Row = tuple[int, tuple[tuple[str, str], ...], float | None]


def count_series(family: FamilyBuilder, blocks: Sequence[Block], form: Format, notes: Notes) -> int:
    """Return the number of distinct series of a family; note those that come twice."""
    if len(blocks) == 1:
        return _count_named(family, blocks[0].name, blocks, form, notes)
    names = dict.fromkeys(block.name for block in blocks)
    return sum(
        _count_named(family, name, [block for block in blocks if block.name == name], form, notes)
        for name in names
    )


def _count_named(family: FamilyBuilder, name: str, same: Sequence[Block], form: Format, notes: Notes) -> int:
    distinct = _distinct(same)
    if distinct != sum(map(len, same)):
        _note_twins(family, name, same, form, notes)
    return distinct


def _distinct(blocks: Sequence[Block]) -> int:
    if len(blocks) == 1:
        # One shape: the same names in the same places, so rows are equal exactly when the series are.
        return len(blocks[0]) if blocks[0].unique else len(set(blocks[0].rows()))
    if any("" in values for block in blocks for values in block.seen):
        return len({labels for block in blocks for _, labels, _ in identities(block)})
    shapes: dict[tuple[str, ...], list[Iterator[tuple[str, ...]]]] = {}
    for block in blocks:
        order = sorted(range(len(block.label_names)), key=block.label_names.__getitem__)
        columns = block.cut()
        rows = zip(*(columns[i] for i in order), strict=True) if order else iter([()] * len(block))
        shapes.setdefault(tuple(block.label_names[i] for i in order), []).append(rows)
    return sum(len(set(chain.from_iterable(rows))) for rows in shapes.values())


def identities(block: Block) -> Iterator[_Row]:
    """Yield line, identity (its labels, sorted, without empty ones) and timestamp of each sample."""
    order = sorted(range(len(block.label_names)), key=block.label_names.__getitem__)
    names = [block.label_names[i] for i in order]
    cut = block.cut()
    columns = [cut[i] for i in order]
    rows = zip(*columns, strict=True) if columns else iter([()] * len(block))
    stamps: Sequence[float | None] = block.timestamps or [None] * len(block)
    for line, row, stamp in zip(block.lines, rows, stamps, strict=True):
        yield line, tuple((name, value) for name, value in zip(names, row, strict=True) if value), stamp


def _note_twins(
    family: FamilyBuilder, name: str, blocks: Sequence[Block], form: Format, notes: Notes
) -> None:
    seen: dict[tuple[tuple[str, str], ...], tuple[int, float | None]] = {}
    for line, labels, stamp in sorted(chain.from_iterable(map(identities, blocks)), key=lambda row: row[0]):
        first = seen.setdefault(labels, (line, stamp))
        if first[0] == line:
            continue
        kind = Kind.DUPLICATE_SERIES
        if form is Format.OPENMETRICS and stamp is not None and first[1] is not None:
            # OpenMetrics lets a series have several points, if their timestamps do not go back.
            seen[labels] = (line, stamp)
            if stamp >= first[1]:
                continue
            kind = Kind.TIMESTAMP_ORDER
        message, remedy = _TWICE[kind]
        notes.add(
            kind,
            line,
            f"`{name}`: {message.format(first[0])}",
            remedy,
            end=len(name) + 1,
            subject=family.name,
            related=(first[0],),
        )
