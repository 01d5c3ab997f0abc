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
from obs.exposition.comments import QUOTED_REMEDY, CommentReader, allowed_suffix
from obs.exposition.content import decode, ends_with_eof, read_content_type
from obs.exposition.diagnosis import DiagnosisKind as Kind
from obs.exposition.explain import explain, show
from obs.exposition.families import Families, FamilyBuilder
from obs.exposition.histograms import is_sound
from obs.exposition.judge import judge
from obs.exposition.lines import METRIC_NAME, OPENMETRICS_GRAMMAR, TEXT_GRAMMAR, Sample, Stop, scan
from obs.exposition.notes import Notes
from obs.exposition.scrape import Exemplar, Format, Limits, MetricType, Scrape

_KEYWORD = re.compile(r"#[ \t]*(?:HELP|TYPE)\b")
_PART = re.compile(r"_(?:bucket|sum|count)$")
_RUN = 1 << 18  # characters that are read by columns at once: bounds what is in memory twice
_FEW = 3  # lines below which columns do not pay
_EXEMPLARS = frozenset(
    {
        (MetricType.COUNTER, "_total"),
        (MetricType.HISTOGRAM, "_bucket"),
        (MetricType.GAUGEHISTOGRAM, "_bucket"),
    }
)
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
    reader = _Reader(form, content.utf8_names, notes, limits.max_series, columnar)
    if text is not None:
        reader.read(text)
    families = judge(reader.families, notes)
    return Scrape(
        form, families, notes.sorted(), notes.counts, text or "", len(body), source, notes.fatal,
        reader.truncated or Kind.BODY_LIMIT.value in notes.counts, frozenset(reader.broken),
    )  # fmt: skip


_Place = Callable[[str, int], Run]  # where a run stands, given its head and the number of its labels
_Found = tuple[str, Columns, Sequence[int]]  # the name of samples, their columns and lines


class _SeriesLimitReached(Exception):  # noqa: N818 - stops the reader, never leaves this module
    pass


@dataclass(slots=True)
class _Reader:
    form: Format
    utf8_names: bool
    notes: Notes
    room: int
    columnar: bool
    truncated: bool = False
    broken: set[str] = field(default_factory=set)
    families: Families = field(init=False)
    _comments: CommentReader = field(init=False)
    _shapes: Shapes = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.families = Families(self.form)
        self._comments = CommentReader(self.form, self.utf8_names, self.families, self.notes)

    def read(self, text: str) -> None:
        """Read the whole text."""
        try:
            self._read(text)
        except _SeriesLimitReached:
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
                self._comments.read(comment, line)
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
        if found is None or len(numbers) > self.room:
            return False
        family = self.families.known(found[0])
        names = (found[0],) if family is None else tuple(self.families.names_of(family))
        if len(names) != 1:
            return family is not None and self._mixed(family, names, run, numbers, place)
        columns = read_columns(run, len(numbers), names[0] + "{", self._shapes)
        if columns is None:
            return False
        self._take(self.families.of_sample(names[0]), (names[0], columns, numbers), place)
        return True

    def _mixed(
        self, family: FamilyBuilder, names: tuple[str, ...], run: str, numbers: range, place: _Place
    ) -> bool:
        """Read a run in which samples of several names alternate, as in a histogram."""
        if family.first_sample and self.families.current is not family:
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
        sound = self.form is Format.TEXT and not family.first_sample and _is_sound(family, runs)
        # Counts before buckets: in a sound histogram distinct counts make distinct buckets.
        for one in reversed(runs):
            distinct = sound and one[0].endswith("_bucket") and self._counts_differ(family)
            self._take(family, one, place, distinct=distinct)
        family.sound = sound
        return True

    def _counts_differ(self, family: FamilyBuilder) -> bool:
        name = family.name + "_count"
        return any(block.unique for (one, _, _), block in family.blocks.items() if one == name)

    def _take(self, family: FamilyBuilder, found: _Found, place: _Place, *, distinct: bool = False) -> None:
        name, columns, lines = found
        self._enter(family, lines[0])
        self.room -= len(lines)
        run = place(name + "{", len(columns.label_names))
        family.extend(name, columns, lines, run, distinct=distinct)

    def _each(self, parts: Sequence[str], lines: Sequence[int]) -> None:
        for text, line in zip(parts, lines, strict=True):
            self._line(text, line)

    def _line(self, text: str, line: int) -> None:
        bare = text.lstrip(" \t")
        if not bare:
            if self.form is Format.OPENMETRICS:
                self.notes.add(
                    Kind.BLANK_LINE, line, "blank line", "OpenMetrics has none: remove it", fatal=True
                )
        elif bare[0] == "#" and (self.form is Format.TEXT or text[0] == "#"):
            self._comments.read(text, line)
        else:
            self._sample(text, line)

    def _sample(self, text: str, line: int) -> None:
        grammar = OPENMETRICS_GRAMMAR if self.form is Format.OPENMETRICS else TEXT_GRAMMAR
        try:
            sample = scan(text, grammar)
        except Stop as stop:
            self._broken(text, line, stop)
            return
        if not self._sound(sample, text, line):
            return
        if self.room <= 0:
            message = "more series than the limit; the rest of the body was not read"
            self.notes.add(Kind.SERIES_LIMIT, line, message, "expose fewer series, or raise the limit")
            raise _SeriesLimitReached
        self.room -= 1
        family = self.families.of_sample(sample.name)
        self._enter(family, line)
        if not allowed_suffix(self.form, family, sample.name):
            self._wrong_suffix(family, sample, line)
        family.append(sample, line)
        if sample.exemplar is not None:
            self._exemplar(family, sample, text, line)

    def _broken(self, text: str, line: int, stop: Stop) -> None:
        grammar = OPENMETRICS_GRAMMAR if self.form is Format.OPENMETRICS else TEXT_GRAMMAR
        fault = explain(text, stop, grammar)
        name = METRIC_NAME.match(text.lstrip(" \t"))
        if name:
            self.broken.add(name[0])
        self.notes.add(
            fault.kind, line, fault.message, fault.remedy, column=fault.start + 1, end=fault.end + 1,
            subject=name[0] if name else "", fatal=fault.fatal,
        )  # fmt: skip

    def _sound(self, sample: Sample, text: str, line: int) -> bool:
        """Note what the grammar lets pass and the format does not; return whether the sample can be used."""
        if sample.escapes and self.form is Format.TEXT:
            self._escapes(sample, text, line)
        if sample.quoted and not self.utf8_names:
            column = text.find('"') + 1
            message = "a quoted name; servers before version 3 drop the whole scrape"
            self.notes.add(
                Kind.QUOTED_NAME,
                line,
                message,
                QUOTED_REMEDY,
                column=column,
                end=column + 1,
                subject=sample.name,
            )
        if len(set(sample.label_names)) == len(sample.label_names):
            return True
        twice = next(one for one in sample.label_names if sample.label_names.count(one) > 1)
        column = text.rfind(twice) + 1
        self.notes.add(
            Kind.DUPLICATE_LABEL, line, f"label `{twice}` twice on one sample", "give each label one value",
            column=column, end=column + len(twice), subject=sample.name, fatal=True,
        )  # fmt: skip
        self.broken.add(sample.name)
        return False

    def _escapes(self, sample: Sample, text: str, line: int) -> None:
        for at, escape in _unknown_escapes(text):
            message = f"unknown escape {show(escape)} in a label value"
            remedy = 'only `\\\\`, `\\"` and `\\n` are escapes; write a backslash as `\\\\`'
            self.notes.add(
                Kind.UNKNOWN_ESCAPE, line, message, remedy, column=at + 1, end=at + 3, subject=sample.name
            )

    def _wrong_suffix(self, family: FamilyBuilder, sample: Sample, line: int) -> None:
        message = f"`{sample.name}` is no sample of the {family.kind.value} `{family.name}`"
        remedy = "follow the type: see the suffixes of each metric type"
        self.notes.add(
            Kind.SAMPLE_SUFFIX, line, message, remedy, end=len(sample.name) + 1, subject=family.name,
            related=(family.type_line,),
        )  # fmt: skip

    def _exemplar(self, family: FamilyBuilder, sample: Sample, text: str, line: int) -> None:
        if sample.exemplar is None:
            return
        family.exemplars[line] = Exemplar(*sample.exemplar)
        if (family.kind, sample.name[len(family.name) :]) not in _EXEMPLARS:
            message = f"an exemplar on `{sample.name}`; servers before version 3 drop the whole scrape"
            remedy = "only `_total` of counters and `_bucket` of histograms carry exemplars"
            column = text.rfind(" # {") + 2
            self.notes.add(
                Kind.MISPLACED_EXEMPLAR,
                line,
                message,
                remedy,
                column=column,
                end=len(text) + 1,
                subject=sample.name,
            )

    def _enter(self, family: FamilyBuilder, line: int) -> None:
        """Make `family` the one that is being read; note when it had been left before."""
        left = self.families.current
        if left is family:
            return
        self.families.current = family
        if family.first_sample and not family.interleaved and not _related(left, family):
            family.interleaved = True
            message = f"samples of `{family.name}` continue here after those of `{left.name if left else ''}`"
            remedy = "write all samples of a metric in one group"
            self.notes.add(
                Kind.INTERLEAVED_FAMILY,
                line,
                message,
                remedy,
                subject=family.name,
                related=(family.first_sample,),
            )

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
        self._line(text, line)
        message = "the last line does not end in a line feed"
        self.notes.add(
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
        self.notes.add(
            Kind.MISSING_EOF, line, message, "end it with `# EOF`; a body without is cut off", fatal=True
        )

    def _truncated(self, text: str, line: int) -> None:
        self.truncated = True
        message = f"the body is cut off inside line {line}: {show(text)}"
        remedy = "compare Content-Length with what arrived; the exporter may have been killed"
        self.notes.add(
            Kind.TRUNCATED_BODY, line, message, remedy, column=len(text) + 1, end=len(text) + 2, fatal=True
        )

    def _after_eof(self, text: str, line: int) -> None:
        if text:
            message = f"text after `# EOF`: {show(text)}"
            self.notes.add(Kind.TEXT_AFTER_EOF, line, message, "write `# EOF` once, at the end", fatal=True)


def _next_comment(text: str, position: int, end: int) -> int:
    """Return the start of the next line that begins with `#`, or `end`."""
    # A search for one character is many times as fast as for "\n#"; a # elsewhere is rare.
    found = text.find("#", position, end)
    while found >= 0 and text[found - 1] != "\n":
        found = text.find("#", found + 1, end)
    return end if found < 0 else found


def _related(left: FamilyBuilder | None, family: FamilyBuilder) -> bool:
    """Return whether two families without TYPE lines may be parts of one histogram or summary."""
    if left is None or left.type_line or family.type_line:
        return False
    return _PART.sub("", left.name) == _PART.sub("", family.name)


def _is_sound(family: FamilyBuilder, runs: Sequence[_Found]) -> bool:
    columns = {name: found for name, found, _ in runs}
    buckets, counts = columns.get(family.name + "_bucket"), columns.get(family.name + "_count")
    histogram = family.kind is MetricType.HISTOGRAM
    return histogram and buckets is not None and counts is not None and is_sound(buckets, counts)


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


def _unknown_escapes(text: str) -> Iterator[tuple[int, str]]:
    """Yield index and text of each escape of a sample line that the text format does not know."""
    at = text.find("\\")
    while at >= 0:
        if text[at + 1 : at + 2] not in {"n", '"', "\\"}:
            yield at, text[at : at + 2]
        at = text.find("\\", at + 2)
