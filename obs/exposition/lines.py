"""One sample line to its parts, strictly, or the exact place where it stops to be one.

Two grammars: the one of text 0.0.4, where blanks are free between tokens, a comma may follow the last label
and a timestamp is an integer of milliseconds; and the one of OpenMetrics 1.0, where each blank is a single
space, a timestamp is a real number of seconds, and an exemplar may follow. What a stop *means* is told by
`explain`.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from enum import Enum, auto
from typing import NamedTuple

METRIC_NAME = re.compile(r"[a-zA-Z_:][a-zA-Z0-9_:]*")
LABEL_NAME = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*")
# As Go's ParseFloat, which both parsers of the Prometheus project use, without hexadecimal floats and
# underscores: NaN has no sign, Inf and Infinity may have one, letters in any case.
NUMBER = re.compile(
    r"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?"
    r"|[-+]?[iI][nN][fF](?:[iI][nN][iI][tT][yY])?|[nN][aA][nN]"
)
_INFINITE = re.compile(r"[-+]?[iI]")
_TOKEN = re.compile(r"[^ \t]+")
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_QUOTED = re.compile(r'"((?:[^"\\]++|\\.)*+)"', re.DOTALL)
_MAX_TIMESTAMP_DIGITS = 19  # an int64 of milliseconds
_EXEMPLAR_LENGTH = 128  # OpenMetrics 1.0, "Exemplars": code points of all names and values together


class Stage(Enum):
    """What was expected where a line stopped to be a sample."""

    NAME = auto()
    AFTER_NAME = auto()
    LABEL = auto()
    AFTER_LABEL = auto()
    AFTER_LABELS = auto()
    GAP = auto()
    VALUE = auto()
    TIMESTAMP = auto()
    END = auto()
    EXEMPLAR = auto()
    EXEMPLAR_LENGTH = auto()


class Stop(Exception):  # noqa: N818 - control flow inside the package, never seen by a caller
    """The line is no sample: `stage` was expected at index `at`, after a label called `label` (or none)."""

    def __init__(self, stage: Stage, at: int, label: str = "") -> None:
        super().__init__(stage, at)
        self.stage, self.at, self.label = stage, at, label


@dataclass(frozen=True, slots=True)
class Grammar:
    """What differs between the two formats at the level of a line."""

    openmetrics: bool
    blank: re.Pattern[str]
    gap: re.Pattern[str]
    label: re.Pattern[str]
    quoted_label: re.Pattern[str]
    timestamp: re.Pattern[str]


# What nearly every line looks like, and means the same in both formats: no escape, blank, timestamp or exemplar.
_ONE = r'[a-zA-Z_][a-zA-Z0-9_]*="[^"\\]*"'
_PLAIN = re.compile(rf"([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{{((?:{_ONE},)*+{_ONE})\}})? ([^ \t]+)")
_PAIR = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="([^"\\]*)"')
_VALUE = r'"((?:[^"\\]++|\\.)*+)"'
TEXT_GRAMMAR = Grammar(
    openmetrics=False,
    blank=re.compile(r"[ \t]*"),
    gap=re.compile(r"[ \t]+"),
    label=re.compile(rf"[ \t]*([a-zA-Z_][a-zA-Z0-9_]*)[ \t]*=[ \t]*{_VALUE}[ \t]*", re.DOTALL),
    quoted_label=re.compile(rf"[ \t]*{_VALUE}[ \t]*(?:=[ \t]*{_VALUE})?[ \t]*", re.DOTALL),
    timestamp=re.compile(r"[0-9]+"),  # an int64 by the document, but servers read no sign
)
OPENMETRICS_GRAMMAR = Grammar(
    openmetrics=True,
    blank=re.compile(""),
    gap=re.compile(" "),
    label=re.compile(rf"([a-zA-Z_][a-zA-Z0-9_]*)={_VALUE}", re.DOTALL),
    quoted_label=re.compile(rf"{_VALUE}(?:={_VALUE})?", re.DOTALL),
    timestamp=re.compile(r"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?"),
)


class Sample(NamedTuple):
    """The parts of a line. Label values are unescaped; `quoted` says that a name was written in quotes.

    `exemplar` is (labels, value, timestamp or None); `escapes` says that a label value holds a backslash.
    """

    name: str
    label_names: tuple[str, ...]
    label_values: tuple[str, ...]
    value: float
    timestamp: float | None
    exemplar: tuple[tuple[tuple[str, str], ...], float, float | None] | None
    quoted: bool
    escapes: bool


def number(token: str) -> float | None:
    """Return the value of a number as the formats write it, or None.

    A decimal too large for a float is no number, as for Go's ParseFloat (ErrRange).
    """
    if NUMBER.fullmatch(token) is None:
        return None
    value = float(token)
    return None if math.isinf(value) and _INFINITE.match(token) is None else value


def unescape(text: str) -> str:
    r"""Return a label value without its escapes; unknown ones stay as they are, as in a server."""
    return (
        _ESCAPE.sub(lambda m: {"n": "\n", '"': '"', "\\": "\\"}.get(m[1], m[0]), text)
        if "\\" in text
        else text
    )


def scan(line: str, grammar: Grammar) -> Sample:
    """Return the parts of a sample line (without its line feed); raise Stop where it breaks the grammar."""
    plain = _PLAIN.fullmatch(line)
    value = number(plain[3]) if plain is not None else None
    if plain is None or value is None:
        return scan_carefully(line, grammar)
    pairs = _PAIR.findall(plain[2]) if plain[2] else ()
    names, values = tuple([name for name, _ in pairs]), tuple([text for _, text in pairs])
    return Sample(plain[1], names, values, value, None, None, quoted=False, escapes=False)


def scan_carefully(line: str, grammar: Grammar) -> Sample:
    """Do the work of `scan` token by token."""
    at = 0
    quoted = escapes = False
    found = METRIC_NAME.match(line)
    if found is not None:
        name = found[0]
        at = found.end()
        braces = grammar.blank.match(line, at).end()  # type: ignore[union-attr] # matches the empty string
    elif line[at : at + 1] == "{":
        name, braces, quoted = "", at, True
    else:
        raise Stop(Stage.NAME, at)
    names: list[str] = []
    values: list[str] = []
    if line[braces : braces + 1] == "{":
        at, own, in_quotes, escapes = _labels(line, braces + 1, grammar, names, values, has_name=bool(name))
        name, quoted = name or own, quoted or in_quotes
        value_at = _gap(line, at, grammar, Stage.AFTER_LABELS)
    else:
        value_at = _gap(line, at, grammar, Stage.AFTER_NAME)
    value, at = _number(line, value_at, Stage.VALUE)
    timestamp, exemplar = _rest(line, at, grammar)
    return Sample(name, tuple(names), tuple(values), value, timestamp, exemplar, quoted, escapes)


def _gap(line: str, at: int, grammar: Grammar, stage: Stage) -> int:
    """Step over what separates a value from what precedes it."""
    # After a closing brace text 0.0.4 needs no blank: the tokens cannot merge.
    pattern = grammar.blank if stage is Stage.AFTER_LABELS and not grammar.openmetrics else grammar.gap
    found = pattern.match(line, at)
    if found is None:
        raise Stop(stage, at)
    return found.end()


def _number(line: str, at: int, stage: Stage) -> tuple[float, int]:
    token = _TOKEN.match(line, at)
    value = number(token[0]) if token else None
    if token is None or value is None:
        raise Stop(stage, at)
    return value, token.end()


def _labels(
    line: str, at: int, grammar: Grammar, names: list[str], values: list[str], *, has_name: bool
) -> tuple[int, str, bool, bool]:
    """Read labels and the closing brace; return its end, a quoted name, "quoted", "escapes"."""
    metric, quoted, escapes, pattern = "", False, False, grammar.label
    closing = grammar.blank.match(line, at).end()  # type: ignore[union-attr] # matches the empty string
    if line[closing : closing + 1] == "}" and has_name:
        return closing + 1, metric, quoted, escapes
    while True:
        found = pattern.match(line, at)
        if found is None:
            found = grammar.quoted_label.match(line, at)
            if found is None:
                raise Stop(Stage.LABEL, at, names[-1] if names else "")
            quoted = True
        if quoted and found.re is grammar.quoted_label and found[2] is None:
            if metric or has_name:
                raise Stop(Stage.LABEL, at, names[-1] if names else "")
            metric = unescape(found[1])
        else:
            name, value = found[1], found[2]
            escapes = escapes or "\\" in value
            names.append(unescape(name))
            values.append(unescape(value))
        at = found.end()
        follows = line[at : at + 1]
        if follows == ",":
            at += 1
            if not grammar.openmetrics:
                end = grammar.blank.match(line, at).end()  # type: ignore[union-attr] # matches the empty string
                follows, at = (line[end : end + 1], end) if line[end : end + 1] == "}" else ("", at)
        elif follows != "}":
            raise Stop(Stage.AFTER_LABEL, at, names[-1] if names else "")
        if follows == "}":
            if not (has_name or metric):
                raise Stop(Stage.NAME, 0)
            return at + 1, metric, quoted, escapes


def _rest(
    line: str, at: int, grammar: Grammar
) -> tuple[float | None, tuple[tuple[tuple[str, str], ...], float, float | None] | None]:
    """Read what may follow the value: a timestamp and, in OpenMetrics, an exemplar."""
    if at == len(line):
        return None, None
    start = _follows(line, at, grammar, Stage.TIMESTAMP)
    if start == len(line) and not grammar.openmetrics:
        return None, None
    timestamp = None
    if not (grammar.openmetrics and line.startswith("# ", start)):
        timestamp, at = _timestamp(line, start, grammar, Stage.TIMESTAMP)
        if at == len(line):
            return timestamp, None
        start = _follows(line, at, grammar, Stage.END)
        if start == len(line) and not grammar.openmetrics:
            return timestamp, None
    if not (grammar.openmetrics and line.startswith("# {", start)):
        raise Stop(Stage.END, start)
    return timestamp, _exemplar(line, start + 2, grammar)


def _follows(line: str, at: int, grammar: Grammar, stage: Stage) -> int:
    found = grammar.gap.match(line, at)
    if found is None:
        raise Stop(stage, at)
    return found.end()


def _timestamp(line: str, at: int, grammar: Grammar, stage: Stage) -> tuple[float, int]:
    token = _TOKEN.match(line, at)
    if token is None or grammar.timestamp.fullmatch(token[0]) is None:
        raise Stop(stage, at)
    if not grammar.openmetrics and len(token[0].lstrip("0")) > _MAX_TIMESTAMP_DIGITS:
        raise Stop(stage, at)
    value = float(token[0])
    if math.isinf(value):
        raise Stop(stage, at)
    return value, token.end()


def _exemplar(
    line: str, at: int, grammar: Grammar
) -> tuple[tuple[tuple[str, str], ...], float, float | None]:
    """Read `{labels} value [timestamp]`, which ends the line; `at` is the brace."""
    names: list[str] = []
    values: list[str] = []
    try:
        end, _, _, _ = _labels(line, at + 1, grammar, names, values, has_name=True)
    except Stop as stop:
        raise Stop(Stage.EXEMPLAR, stop.at) from stop
    value, end = _number(line, _follows(line, end, grammar, Stage.EXEMPLAR), Stage.EXEMPLAR)
    timestamp = None
    if end != len(line):
        timestamp, end = _timestamp(
            line, _follows(line, end, grammar, Stage.EXEMPLAR), grammar, Stage.EXEMPLAR
        )
    if end != len(line):
        raise Stop(Stage.EXEMPLAR, end)
    if sum(map(len, names)) + sum(map(len, values)) > _EXEMPLAR_LENGTH:
        raise Stop(Stage.EXEMPLAR_LENGTH, at)
    return tuple(zip(names, values, strict=True)), value, timestamp
