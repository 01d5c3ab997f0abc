"""A parsed body: families of series in columns, and what was wrong with the text.

Samples are not objects: a `Block` holds every sample of one name that carries the same label names in the
same order, as one list a label. A check of a closed domain thus costs one look at each distinct value, and a
hundred thousand samples cost a few megabytes. `Series` values are made only for those who ask.
"""

from __future__ import annotations

import math
from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from heapq import merge
from itertools import chain
from operator import attrgetter

from obs.exposition.columns import Run
from obs.exposition.diagnosis import Diagnosis


class Format(StrEnum):
    """The two text formats; the value is the media type a server negotiates."""

    TEXT = "text/plain; version=0.0.4"
    OPENMETRICS = "application/openmetrics-text; version=1.0.0"


class MetricType(StrEnum):
    """The word of a TYPE line. `UNTYPED` is 0.0.4's word for OpenMetrics' `UNKNOWN`."""

    COUNTER = "counter"
    GAUGE = "gauge"
    HISTOGRAM = "histogram"
    SUMMARY = "summary"
    UNTYPED = "untyped"
    UNKNOWN = "unknown"
    INFO = "info"
    STATESET = "stateset"
    GAUGEHISTOGRAM = "gaugehistogram"

    __hash__ = str.__hash__  # an Enum hashes its name in Python, which costs more than all else of a family


@dataclass(frozen=True, slots=True)
class Limits:
    """What a body may cost.

    `max_bytes` of body, `max_series` samples, and `max_diagnoses` kept of each kind (the rest are only
    counted).
    """

    max_bytes: int = 64 * 1024 * 1024
    max_series: int = 2_000_000
    max_diagnoses: int = 1_000


@dataclass(frozen=True, slots=True)
class Exemplar:
    """An OpenMetrics exemplar: labels as written, value, and a timestamp in seconds or None."""

    labels: tuple[tuple[str, str], ...]
    value: float
    timestamp: float | None = None


@dataclass(frozen=True, slots=True)
class Series:
    """One sample. `labels` are sorted by name; `timestamp` is as written: milliseconds in 0.0.4, else seconds.

    Two samples are equal when they say the same thing, wherever they stand.
    """

    name: str
    labels: tuple[tuple[str, str], ...]
    value: float
    timestamp: float | None = None
    exemplar: Exemplar | None = None
    line: int = field(default=0, compare=False)


@dataclass(frozen=True)
class Block:
    """All samples of a family that share a name and an ordered tuple of label names.

    `values[k]` is the value of sample k, `lines[k]` its line, `timestamps[k]` its timestamp as written (None: none of
    them has one); lines ascend. `seen[i]` are the distinct values of `label_names[i]`. The values sample by sample
    are in `columns`, made when asked for. `unique` says that no two samples are known to be one series (False: not
    known); `parts` is where columns come from.
    """

    name: str
    label_names: tuple[str, ...]
    values: Sequence[float]
    lines: Sequence[int]
    timestamps: Sequence[float] | None
    seen: tuple[AbstractSet[str], ...]
    parts: tuple[Run | tuple[list[str], ...], ...] = field(repr=False)
    unique: bool = False

    def __len__(self) -> int:
        return len(self.values)

    @cached_property
    def columns(self) -> tuple[Sequence[str], ...]:
        """Return the values of each label in order of line: `columns[i][k]` that of `label_names[i]` on sample k."""
        return self.cut()

    def cut(self) -> tuple[list[str], ...]:
        """Return `columns` without keeping them."""
        made = [part.columns() if isinstance(part, Run) else part for part in self.parts]
        if len(made) == 1:
            return made[0]
        return tuple([list(chain.from_iterable(pieces)) for pieces in zip(*made, strict=True)])

    def distinct(self, label: str) -> AbstractSet[str]:
        """Return the distinct values of `label`; empty when the block does not carry it."""
        return self.seen[self.label_names.index(label)] if label in self.label_names else frozenset()

    def column(self, label: str) -> Sequence[str]:
        """Return the values of `label` in order of line; empty when the block does not carry it."""
        return self.columns[self.label_names.index(label)] if label in self.label_names else ()

    def rows(self) -> Iterator[tuple[str, ...]]:
        """Yield the label values of each sample, in the order of `label_names`."""
        if not self.label_names:
            return iter([()] * len(self.values))
        return zip(*self.cut(), strict=True)


@dataclass(frozen=True)
class Family:
    """One metric family.

    `name` is the name of its TYPE line, or of its samples where there is none; `type_line`, `help_line` and
    `unit_line` are 0 where there is no such line. `series_count` counts distinct series as a server tells
    them apart.
    """

    name: str
    kind: MetricType
    blocks: tuple[Block, ...]
    series_count: int
    help: str | None = None
    unit: str | None = None
    type_line: int = 0
    help_line: int = 0
    unit_line: int = 0
    exemplars: Mapping[int, Exemplar] = field(default_factory=dict)

    @property
    def sample_count(self) -> int:
        """Return the number of sample lines, duplicates included."""
        return sum(map(len, self.blocks))

    @property
    def line(self) -> int:
        """Return the line where a finding about the whole family belongs: its TYPE, HELP or first sample."""
        return self.type_line or self.help_line or min((block.lines[0] for block in self.blocks), default=1)

    @cached_property
    def sample_names(self) -> frozenset[str]:
        """Return the names on its sample lines (`x_bucket`, `x_sum`, `x_count` for a histogram)."""
        return frozenset(block.name for block in self.blocks)

    @cached_property
    def label_names(self) -> frozenset[str]:
        """Return every label name seen on any sample, `le` and `quantile` included."""
        return frozenset(label for block in self.blocks for label in block.label_names)

    @cached_property
    def label_sets(self) -> frozenset[frozenset[str]]:
        """Return the distinct sets of label names on its samples."""
        return frozenset(frozenset(block.label_names) for block in self.blocks)

    def distinct(self, label: str) -> AbstractSet[str]:
        """Return the distinct values of `label`: cheap, as they were collected while parsing."""
        sets = [block.distinct(label) for block in self.blocks if label in block.label_names]
        return sets[0] if len(sets) == 1 else frozenset().union(*sets)

    def first_line(self, label: str, value: str) -> int:
        """Return the first line on which `label` has `value`; 0 when there is none."""
        hits = (
            block.lines[block.column(label).index(value)]
            for block in self.blocks
            if value in block.column(label)
        )
        return min(hits, default=0)

    def value_counts(self, label: str) -> Counter[str]:
        """Return how many samples carry each value of `label`."""
        found: Counter[str] = Counter()
        for block in self.blocks:
            found.update(block.column(label))
        return found

    def series(self) -> Iterator[Series]:
        """Yield every sample as a `Series`, in order of line."""
        return merge(*(self._series_of(block) for block in self.blocks), key=attrgetter("line"))

    def _series_of(self, block: Block) -> Iterator[Series]:
        for place, row in enumerate(block.rows()):
            yield self._series_at(block, place, row)

    def find(self, labels: Mapping[str, str], name: str = "") -> Series | None:
        """Return the first sample called `name` (default: the family's own) with exactly `labels`; else None.

        As for a server, a label with an empty value is the same as no label.
        """
        wanted = {key: value for key, value in labels.items() if value}
        hits = []
        for block in self.blocks:
            if block.name == (name or self.name) and wanted.keys() <= set(block.label_names):
                row = tuple(wanted.get(label, "") for label in block.label_names)
                place = next((k for k, one in enumerate(block.rows()) if one == row), None)
                if place is not None:
                    hits.append(self._series_at(block, place, row))
        return min(hits, key=attrgetter("line"), default=None)

    def _series_at(self, block: Block, place: int, row: tuple[str, ...]) -> Series:
        labels = tuple(sorted(zip(block.label_names, row, strict=True)))
        stamp = block.timestamps[place] if block.timestamps is not None else None
        line = block.lines[place]
        return Series(block.name, labels, block.values[place], stamp, self.exemplars.get(line), line)


@dataclass(frozen=True)
class Scrape:
    """A parsed body.

    `text` is the decoded body, from which excerpts are cut; `diagnoses` are in order of line, capped by
    `Limits.max_diagnoses` of a kind, `diagnosis_counts` has the true numbers; `rejected_by_server` says that
    a Prometheus server stores nothing of it; `truncated` that something is missing at the end, so that what
    was not seen must not be called missing; `broken_names` are the names at the head of lines that could not
    be read.
    """

    format: Format
    families: tuple[Family, ...]
    diagnoses: tuple[Diagnosis, ...]
    diagnosis_counts: Mapping[str, int]
    text: str = field(repr=False)
    body_bytes: int
    source: str = "-"
    rejected_by_server: bool = False
    truncated: bool = False
    broken_names: frozenset[str] = frozenset()

    @cached_property
    def series_count(self) -> int:
        """Return the number of distinct series."""
        return sum(family.series_count for family in self.families)

    @cached_property
    def sample_count(self) -> int:
        """Return the number of sample lines that could be read."""
        return sum(family.sample_count for family in self.families)

    @cached_property
    def by_name(self) -> Mapping[str, Family]:
        """Return the families by name, and by sample name where no family has that name."""
        found: dict[str, Family] = {}
        for family in self.families:
            for name in family.sample_names:
                found.setdefault(name, family)
        found.update((family.name, family) for family in self.families)
        return found

    @cached_property
    def _line_ends(self) -> array[int]:
        ends = array("Q")
        position = self.text.find("\n")
        while position >= 0:
            ends.append(position)
            position = self.text.find("\n", position + 1)
        ends.append(len(self.text))
        return ends

    def line_text(self, line: int) -> str:
        """Return the text of `line` (from 1) without its line feed; empty when there is no such line."""
        if not 1 <= line <= len(self._line_ends):
            return ""
        start = self._line_ends[line - 2] + 1 if line > 1 else 0
        return self.text[start : self._line_ends[line - 1]]

    def line_at(self, offset: int) -> int:
        """Return the line (from 1) that holds the character at `offset` of `text`."""
        return bisect_left(self._line_ends, offset) + 1


def is_counter_value(value: float) -> bool:
    """Return whether a counter may have `value`: a number, not negative."""
    return value >= 0 and not math.isnan(value)
