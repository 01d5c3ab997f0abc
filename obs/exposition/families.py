"""Families while they are being read: which samples belong to which family, and in which columns.

The TYPE of a family decides what a suffix means: `x_sum` belongs to a histogram `x`, but is its own gauge
when a TYPE line says so.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from types import MappingProxyType

from obs.exposition.columns import Columns, Run
from obs.exposition.lines import Sample
from obs.exposition.scrape import Block, Exemplar, Family, Format, MetricType

T = MetricType
# Prometheus text 0.0.4, "Histograms and summaries".
TEXT_SUFFIXES: Mapping[MetricType, tuple[str, ...]] = MappingProxyType(
    {T.HISTOGRAM: ("_bucket", "_sum", "_count"), T.SUMMARY: ("", "_sum", "_count")}
)
# OpenMetrics 1.0, "Suffixes" of each metric type.
OPENMETRICS_SUFFIXES: Mapping[MetricType, tuple[str, ...]] = MappingProxyType(
    {
        T.COUNTER: ("_total", "_created"),
        T.HISTOGRAM: ("_bucket", "_sum", "_count", "_created"),
        T.GAUGEHISTOGRAM: ("_bucket", "_gsum", "_gcount"),
        T.SUMMARY: ("", "_sum", "_count", "_created"),
        T.INFO: ("_info",),
    }
)
_PLAIN = ("",)


def suffixes(form: Format, kind: MetricType) -> tuple[str, ...]:
    """Return what may follow the family's name on its sample lines."""
    table = OPENMETRICS_SUFFIXES if form is Format.OPENMETRICS else TEXT_SUFFIXES
    return table.get(kind, _PLAIN)


@dataclass(slots=True)
class BlockBuilder:
    """The samples of one shape, growing.

    `parts` are, in order of line, runs that stay in the text and columns of samples that were read one by one.
    `unique` says that there is one part and that its rows are known to differ.
    """

    seen: tuple[set[str], ...]
    timestamps: array[float] | None
    values: array[float] = field(default_factory=lambda: array("d"))
    parts: list[Run | tuple[list[str], ...]] = field(default_factory=list)
    lines: list[Sequence[int]] = field(default_factory=list)
    unique: bool = False

    def extend(
        self, more: Columns, lines: Sequence[int], run: Run, values: Sequence[Sequence[str]] | None
    ) -> None:
        """Append a run of samples.

        `values`: it is known that no two of them have the same labels, and these are their distinct values (and maybe
        some of them again).
        """
        for seen, column in zip(self.seen, more.columns if values is None else values, strict=True):
            seen.update(column)
        self.unique = not self.parts and (values is not None or self._distinct(more))
        self.values.extend(more.values)
        if self.timestamps is not None and more.timestamps is not None:
            self.timestamps.extend(more.timestamps)
        self.parts.append(run)
        self.lines.append(lines)

    def _distinct(self, only: Columns) -> bool:
        samples = len(only.values)
        return samples in map(len, self.seen) or len(set(zip(*only.columns, strict=True))) == samples

    def append(self, row: tuple[str, ...], value: float, timestamp: float | None, line: int) -> None:
        """Append one sample."""
        last = self.parts[-1] if self.parts else None
        if last is None or isinstance(last, Run):
            last = tuple([] for _ in row)
            self.parts.append(last)
            self.lines.append(array("L"))
        for column, seen, cell in zip(last, self.seen, row, strict=True):
            column.append(cell)
            seen.add(cell)
        self.unique = not self.values
        self.values.append(value)
        if self.timestamps is not None and timestamp is not None:
            self.timestamps.append(timestamp)
        numbers = self.lines[-1]
        if isinstance(numbers, array):
            numbers.append(line)

    def built(self, name: str, label_names: tuple[str, ...]) -> Block:
        """Return the block."""
        lines = self.lines[0] if len(self.lines) == 1 else array("L", chain.from_iterable(self.lines))
        return Block(
            name, label_names, self.values, lines, self.timestamps, self.seen, tuple(self.parts), self.unique
        )


_Key = tuple[str, tuple[str, ...], bool]


@dataclass(slots=True)
class FamilyBuilder:
    """A family, growing. `first_sample` is a line, 0 before there is one.

    `sound` says of a histogram that all its samples came in one run and break none of its laws.
    """

    name: str
    kind: MetricType
    help: str | None = None
    unit: str | None = None
    type_line: int = 0
    help_line: int = 0
    unit_line: int = 0
    first_sample: int = 0
    interleaved: bool = False
    sound: bool = False
    blocks: dict[_Key, BlockBuilder] = field(default_factory=dict)
    exemplars: dict[int, Exemplar] = field(default_factory=dict)

    def extend(
        self,
        name: str,
        more: Columns,
        lines: Sequence[int],
        run: Run,
        values: Sequence[Sequence[str]] | None = None,
    ) -> None:
        """Append a run of samples called `name`; `values`: they are known to differ, and have these label values."""
        self.sound = False
        self.first_sample = min(self.first_sample or lines[0], lines[0])
        block = self._block(name, more.label_names, stamped=more.timestamps is not None)
        block.extend(more, lines, run, values)

    def append(self, sample: Sample, line: int) -> None:
        """Append one sample."""
        self.sound = False
        self.first_sample = min(self.first_sample or line, line)
        block = self._block(sample.name, sample.label_names, stamped=sample.timestamp is not None)
        block.append(sample.label_values, sample.value, sample.timestamp, line)

    def _block(self, name: str, labels: tuple[str, ...], *, stamped: bool) -> BlockBuilder:
        key = (name, labels, stamped)
        block = self.blocks.get(key)
        if block is None:
            seen: tuple[set[str], ...] = tuple([set() for _ in labels])
            block = self.blocks[key] = BlockBuilder(seen, array("d") if stamped else None)
        return block

    def built(self, blocks: tuple[Block, ...], series_count: int) -> Family:
        """Return the family."""
        return Family(
            self.name, self.kind, blocks, series_count, self.help, self.unit, self.type_line, self.help_line,
            self.unit_line, self.exemplars,
        )  # fmt: skip

    def built_blocks(self) -> tuple[Block, ...]:
        """Return its blocks in order of their first lines."""
        made = [block.built(name, labels) for (name, labels, _), block in self.blocks.items()]
        if len(made) > 1:
            made.sort(key=lambda block: block.lines[0])
        return tuple(made)


@dataclass(slots=True)
class Families:
    """All families of a body by name, in order of appearance, and the one that samples were last added to."""

    form: Format
    current: FamilyBuilder | None = None
    named: dict[str, FamilyBuilder] = field(default_factory=dict)
    _resolved: dict[str, FamilyBuilder] = field(default_factory=dict)

    def __iter__(self) -> Iterator[FamilyBuilder]:
        return iter(self.named.values())

    def declare(self, name: str) -> FamilyBuilder:
        """Return the family that a comment line names, new or known."""
        family = self.named.get(name)
        if family is None:
            family = self._new(name)
        return family

    def retype(self, family: FamilyBuilder, kind: MetricType, line: int) -> None:
        """Give a family the type of its TYPE line; what suffixes meant before is forgotten."""
        family.kind, family.type_line = kind, line
        self._resolved.clear()

    def of_sample(self, name: str) -> FamilyBuilder:
        """Return the family of a sample called `name`; a name nobody declared founds its own."""
        return self.known(name) or self._new(name)

    def known(self, name: str) -> FamilyBuilder | None:
        """Return the family a sample called `name` would join, or None when it would found one."""
        family = self._resolved.get(name)
        if family is None:
            family = self._resolve(name)
            if family is not None:
                self._resolved[name] = family
        return family

    def _resolve(self, name: str) -> FamilyBuilder | None:
        exact = self.named.get(name)
        if exact is not None and "" in suffixes(self.form, exact.kind):
            return exact
        cut = name.rfind("_")
        family = self.named.get(name[:cut]) if cut > 0 else None
        if family is not None and name[cut:] in suffixes(self.form, family.kind):
            return family
        return exact

    def _new(self, name: str) -> FamilyBuilder:
        kind = T.UNKNOWN if self.form is Format.OPENMETRICS else T.UNTYPED
        family = self.named[name] = FamilyBuilder(name, kind)
        self._resolved.pop(name, None)
        return family

    def names_of(self, family: FamilyBuilder) -> Iterable[str]:
        """Return the sample names that belong to `family` and are not families themselves."""
        made = [family.name + suffix for suffix in suffixes(self.form, family.kind)]
        return [name for name in made if self.known(name) is family]
