"""A body to a `Scrape`: runs of lines by columns where they are alike, else line by line."""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import compress, repeat
from operator import not_

from obs.exposition.columns import Columns, Run, Shapes, read_columns
from obs.exposition.content import decode, ends_with_eof, read_content_type
from obs.exposition.diagnosis import DiagnosisKind as Kind
from obs.exposition.explain import show
from obs.exposition.families import Families, FamilyBuilder
from obs.exposition.histograms import is_sound, short_columns
from obs.exposition.judge import judge
from obs.exposition.lines import METRIC_NAME, TEXT_GRAMMAR, Stop, scan
from obs.exposition.notes import Notes
from obs.exposition.samples import LineReader, SeriesLimitReached
from obs.exposition.scrape import Format, Limits, MetricType, Scrape

_KEYWORD = re.compile(r"#[ \t]*(?:HELP|TYPE)\b")
_RUN = 1 << 18  # characters that are read by columns at once: bounds what is in memory twice
_FEW = 3  # lines below which columns do not pay
_DEFAULT_LIMITS = Limits()


def parse(
    body: bytes, *, content_type: str | None = None, limits: Limits = _DEFAULT_LIMITS, source: str = "-"
) -> Scrape:
    """Parse a scrape body.

    `content_type` is the header's value, None where there is none (a file): then a last line `# EOF` says
    OpenMetrics and anything else text 0.0.4. Raises nothing on any input: what is wrong is in `diagnoses`.
    Time is linear in the body.
    """
    return parse_with(body, content_type=content_type, limits=limits, source=source, columnar=True)


def parse_chunks(
    chunks: Iterable[bytes],
    *,
    content_type: str | None = None,
    limits: Limits = _DEFAULT_LIMITS,
    source: str = "-",
) -> Scrape:
    """Parse a body that arrives in chunks; not one chunk is asked for beyond the limit of bytes."""
    parts: list[bytes] = []
    size = 0
    for chunk in chunks:
        parts.append(chunk)
        size += len(chunk)
        if size > limits.max_bytes:
            break
    return parse(b"".join(parts), content_type=content_type, limits=limits, source=source)


def parse_with(
    body: bytes, *, content_type: str | None, limits: Limits, source: str, columnar: bool
) -> Scrape:
    """Parse with or without the fast path: the two must never differ (a property test holds them to it)."""
    notes = Notes(limits.max_diagnoses)
    text = decode(body, notes, limits)
    content = read_content_type(content_type, notes, foreign=text is None)
    guess = Format.OPENMETRICS if text is not None and ends_with_eof(text) else Format.TEXT
    form = content.form or guess
    lines = LineReader(form, content.utf8_names, notes, Families(form), limits.max_series)
    reader = _Reader(form, lines, columnar)
    if text is not None:
        reader.read(text)
    families = judge(lines.families, notes)
    return Scrape(
        form, families, notes.sorted(), notes.counts, text or "", len(body), source, notes.fatal,
        reader.truncated or Kind.BODY_LIMIT.value in notes.counts, frozenset(lines.broken),
    )  # fmt: skip


_Place = Callable[[str, int], Run]  # where a run stands, given its head and the number of its labels
_Found = tuple[str, Columns, Sequence[int]]  # the name of samples, their columns and lines


@dataclass(slots=True)
class _Reader:
    """Reads one body; `lines` holds what grows: families, notes, and the room that is left."""

    form: Format
    lines: LineReader
    columnar: bool
    truncated: bool = False
    _shapes: Shapes = field(default_factory=dict)

    def read(self, text: str) -> None:
        """Read the whole text."""
        try:
            self._read(text)
        except SeriesLimitReached:
            self.truncated = True

    def _read(self, text: str) -> None:
        position, line, end = 0, 1, text.rfind("\n") + 1
        last_line = text.count("\n") + 1
        while position < end:
            if text[position] == "#":
                stop = text.index("\n", position) + 1
                comment = text[position : stop - 1]
                if comment == "# EOF" and self.form is Format.OPENMETRICS:
                    self._after_eof(text[stop:], line + 1)
                    return
                self.lines.comments.read(comment, line)
                line += 1
            else:
                stop = _next_comment(text, position, end)
                line = self._samples(text, position, stop, line)
            position = stop
        self._last(text[end:], last_line)

    def _samples(self, text: str, start: int, end: int, line: int) -> int:
        """Read the lines between two comments, a bounded run at a time; return the next line."""
        while start < end:
            stop = end if end - start <= _RUN else text.index("\n", start + _RUN, end) + 1
            run = text[start:stop]
            numbers = range(line, line + run.count("\n"))
            place = partial(Run, text, start, stop)
            if not (self.columnar and len(numbers) >= _FEW and self._run(run, numbers, place)):
                self._each(run.split("\n")[:-1], numbers)
            start, line = stop, numbers.stop
        return line

    def _run(self, run: str, numbers: range, place: _Place) -> bool:
        """Read a run by columns; return False when it must be read line by line."""
        found = METRIC_NAME.match(run)
        if found is None or len(numbers) > self.lines.room:
            return False
        family = self.lines.families.known(found[0])
        names = (found[0],) if family is None else tuple(self.lines.families.names_of(family))
        if len(names) != 1:
            return family is not None and self._mixed(family, names, run, numbers, place)
        columns = read_columns(run, len(numbers), names[0] + "{", self._shapes)
        if columns is None:
            return False
        self._take(self.lines.families.of_sample(names[0]), (names[0], columns, numbers), place)
        return True

    def _mixed(
        self, family: FamilyBuilder, names: tuple[str, ...], run: str, numbers: range, place: _Place
    ) -> bool:
        """Read a run in which samples of several names alternate, as in a histogram."""
        if family.first_sample and self.lines.families.current is not family:
            return False  # the place where a family is resumed is found line by line
        split = list(_by_name(names, run.split("\n")[:-1], numbers))
        if sum(len(mine) for _, mine, _ in split) != len(numbers):
            return False
        runs: list[_Found] = []
        for name, mine, lines in split:
            few = len(mine) < _FEW
            columns = (
                None if few else read_columns("\n".join(mine) + "\n", len(mine), name + "{", self._shapes)
            )
            if columns is None:
                self._each(mine, lines)
            else:
                runs.append((name, columns, lines))
        sound = None
        if self.form is Format.TEXT and not family.first_sample and family.kind is MetricType.HISTOGRAM:
            sound = _sound_parts(family, runs)
        for one in reversed(runs):
            # Counts come before buckets: in a sound histogram distinct counts make distinct buckets.
            known = sound is not None and one[0].endswith("_bucket") and self._counts_differ(family)
            self._take(family, one, place, short_columns(*sound) if known and sound else None)
        family.sound = sound is not None
        return True

    def _counts_differ(self, family: FamilyBuilder) -> bool:
        name = family.name + "_count"
        return any(block.unique for (one, _, _), block in family.blocks.items() if one == name)

    def _take(
        self,
        family: FamilyBuilder,
        found: _Found,
        place: _Place,
        values: Sequence[Sequence[str]] | None = None,
    ) -> None:
        name, columns, lines = found
        self.lines.enter(family, lines[0])
        self.lines.room -= len(lines)
        family.extend(name, columns, lines, place(name + "{", len(columns.label_names)), values)

    def _each(self, parts: Sequence[str], lines: Sequence[int]) -> None:
        for text, line in zip(parts, lines, strict=True):
            self.lines.read(text, line)

    def _last(self, text: str, line: int) -> None:
        """Read what stands after the last line feed, and judge how the body ends."""
        if self.form is Format.OPENMETRICS:
            self._last_openmetrics(text, line)
            return
        if not text:
            return
        if not self._complete(text):
            self._truncated(text, line)
            return
        self.lines.read(text, line)
        message = "the last line does not end in a line feed"
        self.lines.notes.add(
            Kind.MISSING_FINAL_NEWLINE, line, message, "end the body with a line feed", column=len(text) + 1
        )

    def _complete(self, text: str) -> bool:
        """Return whether a last line without line feed can stand as it is: nothing seems to be cut off."""
        bare = text.lstrip(" \t")
        if bare.startswith("#"):
            return _KEYWORD.match(bare) is None
        try:
            return not bare or scan(text, TEXT_GRAMMAR) is not None
        except Stop:
            return False

    def _last_openmetrics(self, text: str, line: int) -> None:
        if text == "# EOF":
            return
        if text:
            self._truncated(text, line)
            return
        message = "the body does not end with `# EOF`"
        self.lines.notes.add(
            Kind.MISSING_EOF, line, message, "end it with `# EOF`; a body without is cut off", fatal=True
        )

    def _truncated(self, text: str, line: int) -> None:
        self.truncated = True
        message = f"the body is cut off inside line {line}: {show(text)}"
        remedy = "compare Content-Length with what arrived; the exporter may have been killed"
        self.lines.notes.add(
            Kind.TRUNCATED_BODY, line, message, remedy, column=len(text) + 1, end=len(text) + 2, fatal=True
        )

    def _after_eof(self, text: str, line: int) -> None:
        if text:
            message = f"text after `# EOF`: {show(text)}"
            self.lines.notes.add(
                Kind.TEXT_AFTER_EOF, line, message, "write `# EOF` once, at the end", fatal=True
            )


def _next_comment(text: str, position: int, end: int) -> int:
    """Return the start of the next line that begins with `#`, or `end`."""
    # A search for one character is many times as fast as for "\n#"; a # elsewhere is rare.
    found = text.find("#", position, end)
    while found >= 0 and text[found - 1] != "\n":
        found = text.find("#", found + 1, end)
    return end if found < 0 else found


def _sound_parts(family: FamilyBuilder, runs: Sequence[_Found]) -> tuple[Columns, Columns] | None:
    """Return buckets and counts of a histogram that breaks no law, else None."""
    columns = {name: found for name, found, _ in runs}
    buckets, counts = columns.get(family.name + "_bucket"), columns.get(family.name + "_count")
    if buckets is None or counts is None or not is_sound(buckets, counts):
        return None
    return buckets, counts


def _by_name(
    names: Sequence[str], parts: Sequence[str], numbers: Sequence[int]
) -> Iterator[tuple[str, list[str], Sequence[int]]]:
    """Yield the lines of each sample name of one family, with their numbers."""
    for name in names:
        mine = [*map(str.startswith, parts, repeat((name + "{", name + " ")))]
        if True in mine:
            yield name, [*compress(parts, mine)], array("L", compress(numbers, mine))
            others = [*map(not_, mine)]
            parts, numbers = [*compress(parts, others)], [*compress(numbers, others)]
