"""Lines that start with `#`: HELP, TYPE and UNIT, and what is nearly one of them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from obs.exposition.diagnosis import DiagnosisKind as Kind
from obs.exposition.explain import plain_name, show
from obs.exposition.families import OPENMETRICS_SUFFIXES, TEXT_SUFFIXES, Families, FamilyBuilder, suffixes
from obs.exposition.lines import METRIC_NAME, unescape
from obs.exposition.notes import Notes
from obs.exposition.scrape import Format, MetricType

T = MetricType
_TEXT_TYPES = MappingProxyType({t.value: t for t in (T.COUNTER, T.GAUGE, T.HISTOGRAM, T.SUMMARY, T.UNTYPED)})
_OPENMETRICS_TYPES = MappingProxyType({t.value: t for t in MetricType if t is not T.UNTYPED})
_WITH_PARTS = frozenset(TEXT_SUFFIXES) | frozenset(OPENMETRICS_SUFFIXES)
_QUOTED = r'"(?:[^"\\]++|\\.)*+"'
# Text 0.0.4, "Comments, help text, and type information": blanks are free, other comments are ignored.
_TEXT = re.compile(rf"[ \t]*#[ \t]+(HELP|TYPE)(?:[ \t]+({_QUOTED}|[^ \t]*)(?:[ \t]+(.*))?)?", re.DOTALL)
# OpenMetrics 1.0, ABNF of metric-descriptor: single spaces, nothing else starts with `#`.
_OPENMETRICS = re.compile(rf"# (HELP|TYPE|UNIT) ({_QUOTED}|[^ \t]+) (.*)", re.DOTALL)
# What nearly every comment looks like, and means the same in both formats.
_PLAIN = re.compile(r"# (HELP|TYPE) ([a-zA-Z_:][a-zA-Z0-9_:]*) ([^ \t].*)", re.DOTALL)
_GLUED = re.compile(
    r"[ \t]*#(?:(HELP|TYPE)|[ \t]*(help|type|Help|Type))[ \t]+[a-zA-Z_:][a-zA-Z0-9_:]*[ \t]+[^ \t]"
)
_HELP_ESCAPE = re.compile(r"\\(.?)", re.DOTALL)


@dataclass(slots=True)
class CommentReader:
    """Reads comment lines of one body into its families."""

    form: Format
    utf8_names: bool
    families: Families
    notes: Notes
    _length: int = 0

    def read(self, text: str, line: int) -> None:
        """Read one comment line (without its line feed)."""
        self._length = len(text)
        plain = _PLAIN.fullmatch(text)
        if plain is not None:
            if plain[1] == "HELP":
                self._help(plain[2], plain[3], line)
            else:
                self._type(plain[2], plain[3], line, plain.start(3) + 1)
            return
        found = (_OPENMETRICS if self.form is Format.OPENMETRICS else _TEXT).fullmatch(text)
        if found is None:
            self._other(text, line)
            return
        keyword, written, rest = found[1], found[2] or "", found[3]
        name = self._name(text, written, line, found.start(2) + 1)
        if not name:
            return
        match keyword:
            case "HELP":
                self._help(name, rest or "", line)
            case "TYPE":
                self._type(name, rest or "", line, max(found.start(3), 0) + 1)
            case _:
                self._unit(name, rest, line, found.start(3) + 1)

    def _note(
        self,
        kind: Kind,
        line: int,
        text: tuple[str, str],
        *,
        at: tuple[int, int] = (1, 0),
        subject: str = "",
        related: tuple[int, ...] = (),
        fatal: bool = False,
    ) -> None:
        """Note a defect; `text` is message and remedy, `at` its columns (end 0: to the end of the line)."""
        self.notes.add(
            kind,
            line,
            *text,
            column=at[0],
            end=at[1] or self._length + 1,
            subject=subject,
            related=related,
            fatal=fatal,
        )

    def _other(self, text: str, line: int) -> None:
        glued = _GLUED.match(text)
        if self.form is Format.OPENMETRICS:
            message = (
                f"{show(text)} is no HELP, TYPE, UNIT or EOF line, and OpenMetrics has no other comments"
            )
            remedy = "write `# KEYWORD name text` with single spaces, or remove the line"
            self._note(Kind.COMMENT_SYNTAX, line, (message, remedy), fatal=True)
        elif glued is not None:
            word = (glued[1] or glued[2]).upper()
            message = f"{show(text)} is read as a comment, not as a {word} line"
            start = glued.start(1) if glued[1] else glued.start(2)
            place = (start + 1, start + 1 + len(word))
            self._note(Kind.GLUED_COMMENT, line, (message, f"write `# {word} `"), at=place)

    def _name(self, text: str, written: str, line: int, column: int) -> str:
        """Return the metric name of a comment line; empty when there is none that can be used."""
        end = column + len(written)
        if not written:
            # A bare keyword is a plain comment to a server; with a blank after it, it is a broken line.
            fatal = text != text.rstrip(" \t")
            message = f"{show(text)} names no metric"
            text_of = (message, "write the metric name after the keyword")
            self._note(Kind.COMMENT_SYNTAX, line, text_of, at=(self._length, 0), fatal=fatal)
            return ""
        if written.startswith('"') and written.endswith('"') and len(written) > 2:
            if not self.utf8_names:
                message = f"quoted name {show(written)}"
                self._note(Kind.QUOTED_NAME, line, (message, QUOTED_REMEDY), at=(column, end))
            return unescape(written[1:-1])
        if METRIC_NAME.fullmatch(written) is None:
            message = f"{show(written)} is not a metric name"
            remedy = f"rename it to `{plain_name(written)[:60]}`"
            self._note(Kind.METRIC_NAME, line, (message, remedy), at=(column, end), fatal=True)
            return ""
        return written

    def _help(self, name: str, rest: str, line: int) -> None:
        family = self.families.declare(name)
        if family.help_line:
            message = f"second HELP line for `{name}`, first on line {family.help_line}"
            self._second(Kind.SECOND_HELP, family, line, message, family.help_line)
            return
        self._late(family, "HELP", line)
        family.help_line = line
        family.help = self._unescape_help(rest)

    def _unescape_help(self, text: str) -> str:
        """Return a help text without escapes; a quote is escaped in OpenMetrics only."""
        if "\\" not in text:
            return text
        known = {"n": "\n", "\\": "\\"} | ({'"': '"'} if self.form is Format.OPENMETRICS else {})
        return _HELP_ESCAPE.sub(lambda found: known.get(found[1], found[0]), text)

    def _second(self, kind: Kind, family: FamilyBuilder, line: int, message: str, first: int) -> None:
        remedy = "describe each metric once; a second registration or a merge of two bodies repeats it"
        self._note(kind, line, (message, remedy), subject=family.name, related=(first,))

    def _late(self, family: FamilyBuilder, keyword: str, line: int, seen: int = 0) -> None:
        seen = family.first_sample or seen
        if seen:
            message = f"{keyword} line of `{family.name}` after its first sample on line {seen}"
            remedy = "write HELP and TYPE before the samples"
            self._note(Kind.LATE_METADATA, line, (message, remedy), subject=family.name, related=(seen,))

    def _orphan(self, name: str, kind: MetricType | None) -> int:
        """Return the first line of samples that this TYPE line would have claimed, had it come before them."""
        named = self.families.named
        parts = (
            (named.get(name + one) for one in suffixes(self.form, kind) if one) if kind in _WITH_PARTS else ()
        )
        return min(
            (one.first_sample for one in parts if one and one.first_sample and not one.type_line), default=0
        )

    def _type(self, name: str, rest: str, line: int, column: int) -> None:
        word = rest.rstrip(" \t")
        known = _TEXT_TYPES if self.form is Format.TEXT else _OPENMETRICS_TYPES
        kind = known.get(word) or known.get(word.lower())
        place = (column, column + len(word))
        if word and word != rest:
            text = (f"blank after the type of `{name}`", "end the line after the type")
            self._note(Kind.WHITESPACE, line, text, at=(place[1], 0), subject=name, fatal=True)
        if word == "":
            text = (f"TYPE line of `{name}` has no type", f"write one of {_words(known)}")
            self._note(Kind.COMMENT_SYNTAX, line, text, at=(self._length, 0), subject=name, fatal=True)
        elif kind is None:
            text = (f"{show(word)} is no metric type", f"write one of {_words(known)}")
            self._note(Kind.UNKNOWN_TYPE, line, text, at=place, subject=name, fatal=True)
        elif kind.value != word:
            text = (f"type {show(word)} is not in lower case", f"write `{kind.value}`")
            self._note(Kind.TYPE_CASE, line, text, at=place, subject=name, fatal=True)
        self._declare_type(name, kind, line)

    def _declare_type(self, name: str, kind: MetricType | None, line: int) -> None:
        family = self.families.declare(name)
        if family.type_line and kind is not None and kind is not family.kind:
            message = (
                f"`{name}` has TYPE {kind.value}, but TYPE {family.kind.value} on line {family.type_line}"
            )
            self._second(Kind.CONFLICTING_TYPE, family, line, message, family.type_line)
        elif family.type_line:
            message = f"second TYPE line for `{name}`, first on line {family.type_line}"
            self._second(Kind.SECOND_TYPE, family, line, message, family.type_line)
        else:
            self._late(family, "TYPE", line, self._orphan(name, kind))
            self.families.retype(family, kind or family.kind, line)

    def _unit(self, name: str, unit: str, line: int, column: int) -> None:
        family = self.families.declare(name)
        if family.unit_line:
            message = f"second UNIT line for `{name}`, first on line {family.unit_line}"
            self._second(Kind.SECOND_UNIT, family, line, message, family.unit_line)
            return
        self._late(family, "UNIT", line)
        family.unit, family.unit_line = unit, line
        if unit and not name.endswith(f"_{unit}"):
            message = f"unit {show(unit)} is not the end of the name `{name}`"
            remedy = "name the metric after its unit, without blanks around it"
            place = (column, column + len(unit))
            self._note(Kind.INVALID_UNIT, line, (message, remedy), at=place, subject=name, fatal=True)


QUOTED_REMEDY = "use a legacy name, or negotiate `escaping=allow-utf-8`"


def _words(kinds: Mapping[str, MetricType]) -> str:
    return ", ".join(sorted(kinds))


def allowed_suffix(form: Format, family: FamilyBuilder, sample: str) -> bool:
    """Return whether the type of `family` lets it have a sample called `sample`."""
    return sample.startswith(family.name) and sample[len(family.name) :] in suffixes(form, family.kind)
