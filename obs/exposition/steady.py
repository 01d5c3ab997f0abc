"""A body that has the lines of an earlier one and other numbers: recognised by its text, not parsed again.

An exporter renders the same comments and the same label sets, in the same order, scrape after scrape. `Steady`
remembers the text before each number; when a new body agrees with it line by line, the new `Scrape` is the old one
with new values. It is exact: whatever it cannot vouch for (a diagnosis, a timestamp, an exemplar, a summary, one odd
number) goes to the parser.

Measured on the 177 series of a full agent, CPython 3.11: 0.15 ms against 1.6 ms.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter

from obs.exposition.histograms import is_sound_family
from obs.exposition.lines import number
from obs.exposition.scrape import Block, Family, Format, MetricType, Scrape, is_counter_value

_PLAIN_TYPES = frozenset({MetricType.COUNTER, MetricType.GAUGE, MetricType.UNTYPED, MetricType.UNKNOWN})


@dataclass(frozen=True, slots=True)
class Steady:
    """What stays the same in the bodies of one target. `pick` takes the sample lines, `still` the other ones."""

    scrape: Scrape
    pick: Callable[[list[str]], tuple[str, ...]]
    heads: tuple[str, ...]
    cuts: tuple[int, ...]
    still: Callable[[list[str]], tuple[str, ...]]
    comments: tuple[str, ...]
    count: int

    @classmethod
    def of(cls, scrape: Scrape) -> Steady | None:
        """Return what can be recognised again of a parsed body, or None when only the parser can judge it."""
        if (
            scrape.diagnoses
            or scrape.truncated
            or not all(_is_plain(family, scrape.format) for family in scrape.families)
        ):
            return None
        lines = scrape.text.split("\n")
        places = [line - 1 for family in scrape.families for block in family.blocks for line in block.lines]
        heads = tuple(lines[place].rpartition(" ")[0] + " " for place in places)
        taken = set(places)
        others = [place for place in range(len(lines)) if place not in taken]
        if not places or not all(map(_ends_in_number, [lines[place] for place in places])):
            return None
        still = _picker(others)
        return cls(scrape, _picker(places), heads, tuple(map(len, heads)), still, still(lines), len(lines))

    def read(self, body: bytes) -> Scrape | None:
        """Return the scrape in `body` when it differs from the remembered one in numbers only, else None."""
        try:
            text = body.decode("utf-8")
        except UnicodeDecodeError:
            return None
        lines = text.split("\n")
        if len(lines) != self.count or self.still(lines) != self.comments:
            return None
        samples = self.pick(lines)
        if not all(map(str.startswith, samples, self.heads)):
            return None
        values = [number(line[cut:]) for line, cut in zip(samples, self.cuts, strict=True)]
        return None if None in values else self._with(values, text, len(body))  # type: ignore[arg-type] # no None left

    def _with(self, values: list[float], text: str, size: int) -> Scrape | None:
        families: list[Family] = []
        at = 0
        for family in self.scrape.families:
            blocks = []
            for block in family.blocks:
                blocks.append(replace(block, values=array("d", values[at : at + len(block)])))
                at += len(block)
            if not _lawful(family, blocks):
                return None
            families.append(replace(family, blocks=tuple(blocks)))
        return replace(self.scrape, families=tuple(families), text=text, body_bytes=size)


def _is_plain(family: Family, form: Format) -> bool:
    """Return whether the laws of a family's values are known here: `_lawful`."""
    if family.exemplars or any(block.timestamps is not None for block in family.blocks):
        return False
    histogram = family.kind is MetricType.HISTOGRAM and form is Format.TEXT
    return histogram or family.kind in _PLAIN_TYPES or not family.blocks


def _lawful(family: Family, blocks: Sequence[Block]) -> bool:
    """Return whether the values break no law; False means that the parser must say which."""
    if family.kind is MetricType.COUNTER:
        return all(is_counter_value(value) for block in blocks for value in block.values)
    return family.kind is not MetricType.HISTOGRAM or not blocks or is_sound_family(family.name, blocks)


def _ends_in_number(line: str) -> bool:
    return number(line.rpartition(" ")[2]) is not None


def _picker(places: list[int]) -> Callable[[list[str]], tuple[str, ...]]:
    """Return a function that takes the lines at `places`; `itemgetter` alone answers one place with no tuple."""
    if not places:
        return _nothing
    getter = itemgetter(*places)
    return getter if len(places) > 1 else lambda lines: (lines[places[0]],)


def _nothing(_: list[str]) -> tuple[str, ...]:
    return ()
