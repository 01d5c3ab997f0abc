"""Line by line: each sample into its family, and what is wrong with it into the notes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from obs.exposition.comments import QUOTED_REMEDY, CommentReader, allowed_suffix
from obs.exposition.diagnosis import DiagnosisKind as Kind
from obs.exposition.explain import explain, show
from obs.exposition.families import Families, FamilyBuilder
from obs.exposition.lines import METRIC_NAME, OPENMETRICS_GRAMMAR, TEXT_GRAMMAR, Sample, Stop, scan
from obs.exposition.notes import Notes
from obs.exposition.scrape import Exemplar, Format, MetricType

_PART = re.compile(r"_(?:bucket|sum|count)$")
_EXEMPLARS = frozenset(
    {
        (MetricType.COUNTER, "_total"),
        (MetricType.HISTOGRAM, "_bucket"),
        (MetricType.GAUGEHISTOGRAM, "_bucket"),
    }
)


class SeriesLimitReached(Exception):  # noqa: N818 - stops the reader, never seen by a caller
    """There is no room for one more sample."""


@dataclass(slots=True)
class LineReader:
    """Reads lines into families; `room` is how many more samples may come, `broken` the names of unreadable lines."""

    form: Format
    utf8_names: bool
    notes: Notes
    families: Families
    room: int
    broken: set[str] = field(default_factory=set)
    comments: CommentReader = field(init=False)

    def __post_init__(self) -> None:
        self.comments = CommentReader(self.form, self.utf8_names, self.families, self.notes)

    def read(self, text: str, line: int) -> None:
        """Read one line (without its line feed): a comment, a sample, or neither."""
        bare = text.lstrip(" \t")
        if not bare:
            if self.form is Format.OPENMETRICS:
                self.notes.add(
                    Kind.BLANK_LINE, line, "blank line", "OpenMetrics has none: remove it", fatal=True
                )
        elif bare[0] == "#" and (self.form is Format.TEXT or text[0] == "#"):
            self.comments.read(text, line)
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
            raise SeriesLimitReached
        self.room -= 1
        family = self.families.of_sample(sample.name)
        self.enter(family, line)
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

    def enter(self, family: FamilyBuilder, line: int) -> None:
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


def _related(left: FamilyBuilder | None, family: FamilyBuilder) -> bool:
    """Return whether two families without TYPE lines may be parts of one histogram or summary."""
    if left is None or left.type_line or family.type_line:
        return False
    return _PART.sub("", left.name) == _PART.sub("", family.name)


def _unknown_escapes(text: str) -> Iterator[tuple[int, str]]:
    """Yield index and text of each escape of a sample line that the text format does not know."""
    at = text.find("\\")
    while at >= 0:
        if text[at + 1 : at + 2] not in {"n", '"', "\\"}:
            yield at, text[at : at + 2]
        at = text.find("\\", at + 2)
