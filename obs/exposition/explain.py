"""Why a line is no sample, in the words of the one who wrote it: a named defect, its columns and the fix.

The scanner only knows where it stopped. What stands there, and before and after it, tells the usual mistakes
apart: a value that was not escaped, a locale that writes decimal commas, two bodies merged without a line
feed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from obs.exposition.diagnosis import DiagnosisKind as Kind
from obs.exposition.lines import LABEL_NAME, METRIC_NAME, NUMBER, Grammar, Stage, Stop

_WORD = re.compile(r"[^ \t]+")
_BAD_NAME = re.compile(r"[^ \t{]+")
_SAMPLE_LIKE = re.compile(r"[a-zA-Z_:][a-zA-Z0-9_:]*(?:\{[^}]*\})?[ \t]+[-+.0-9a-zA-Z]")
_NAME_THEN_REST = re.compile(
    r"([a-zA-Z_:][a-zA-Z0-9_:]*+(?:[ \t]++[a-zA-Z_:][a-zA-Z0-9_:]*+)*)[ \t]*(?:\{|[ \t][-+.]?[0-9NI])"
)
_NO_NUMBERS = frozenset({"true", "false", "null", "none", "nil", "undefined"})  # values of other notations
_COMMA_NUMBER = re.compile(r"[-+]?[0-9]+(?:[., ][0-9]{3})*,[0-9]+(?:[eE][-+]?[0-9]+)?")
_LABEL_START = re.compile(r'[ \t]*([a-zA-Z_][a-zA-Z0-9_]*)[ \t]*=[ \t]*"')
_LABEL_WORD = re.compile(r"[ \t]*([^=,}\"' \t]*)[ \t]*")
_SHOWN = 60  # characters of the input that a message quotes


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with a line, from index `start` to `end`; `fatal`: a server drops the scrape."""

    kind: Kind
    start: int
    end: int
    message: str
    remedy: str
    fatal: bool = True


def show(text: str) -> str:
    """Return `text` for a message: control characters escaped, cut to a bearable length, in backticks."""
    cut = text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."
    return "`" + "".join(c if c.isprintable() else repr(c)[1:-1] for c in cut) + "`"


def plain_name(text: str) -> str:
    """Return `text` with what a metric name may not hold replaced by underscores."""
    name = re.sub(r"[^a-zA-Z0-9_:]", "_", text)
    return f"_{name}" if name[:1].isdigit() else name


def explain(line: str, stop: Stop, grammar: Grammar) -> Fault:
    """Return the fault of a `line` that the scanner refused with `stop`."""
    match stop.stage:
        case Stage.NAME:
            return _name(line, stop.at)
        case Stage.AFTER_NAME:
            return _after_name(line, stop.at, grammar)
        case Stage.LABEL:
            return _label(line, stop.at, stop.label)
        case Stage.AFTER_LABEL:
            return _after_label(line, stop.at, stop.label, grammar)
        case Stage.AFTER_LABELS:
            return _after_labels(line, stop.at)
        case Stage.VALUE:
            return _value(line, stop.at, grammar)
        case Stage.EXEMPLAR:
            return _exemplar(line, stop.at)
        case Stage.EXEMPLAR_LENGTH:
            return replace(_exemplar(line, stop.at), fatal=False)
        case _:
            return _tail(line, stop.at, stop.stage, grammar)


def _fault(kind: Kind, line: str, place: tuple[int, int], message: str, remedy: str) -> Fault:
    start, end = place
    return Fault(kind, start, max(end, start + 1) if start < len(line) else start + 1, message, remedy)


def _name(line: str, at: int) -> Fault:
    if line[at : at + 1] in {" ", "\t"}:
        end = len(line) - len(line[at:].lstrip(" \t"))
        # Text 0.0.4 ignores it, but servers take it for a part of the name.
        message = "blank before the metric name"
        return _fault(Kind.WHITESPACE, line, (at, end), message, "start the line with the name")
    found = _BAD_NAME.match(line, at)
    if found is None:
        end = line.find("}", at) + 1 or len(line)
        message = "the sample has no metric name"
        return _fault(Kind.METRIC_NAME, line, (at, end), message, "write the name before the labels")
    word = found[0]
    bad = next((c for c in word if METRIC_NAME.fullmatch(f"_{c}") is None), None)
    if bad is not None:
        return _bad_name(line, at, found.end(), bad)
    message, remedy = (
        f"metric name {show(word)} starts with a digit",
        f"rename it, such as to `{plain_name(word)}`",
    )
    return _fault(Kind.METRIC_NAME, line, (at, found.end()), message, remedy)


def _bad_name(line: str, start: int, end: int, character: str) -> Fault:
    word = line[start:end]
    return _fault(
        Kind.METRIC_NAME,
        line,
        (start, end),
        f"character {show(character)} is not allowed in metric name {show(word)}",
        f"rename it to `{plain_name(word)[:_SHOWN]}`",
    )


def _after_name(line: str, at: int, grammar: Grammar) -> Fault:
    if at >= len(line):
        return _missing_value(line, at)
    if grammar.openmetrics and line[at] == "\t":
        return _blank(line, at)
    found = _BAD_NAME.match(line)
    return _bad_name(line, 0, found.end() if found else at, line[at])


def _missing_value(line: str, at: int) -> Fault:
    return _fault(
        Kind.MISSING_VALUE, line, (at, at + 1), "the sample has no value", "write a number after the name"
    )


def _blank(line: str, at: int) -> Fault:
    message = "OpenMetrics wants exactly one space between tokens and none elsewhere"
    return _fault(Kind.WHITESPACE, line, (at, at + 1), message, "remove the blank or make it a single space")


def _label(line: str, at: int, before: str) -> Fault:
    blank = len(line) - len(line[at:].lstrip(" \t"))
    rest = line[blank:]
    if not rest:
        return _unclosed(line, blank)
    if rest[0] in ",}":
        return _fault(
            Kind.EXTRA_COMMA, line, (blank, blank + 1), "a label is missing at this comma", "remove the comma"
        )
    found = _LABEL_WORD.match(line, blank)
    name = found[1] if found else ""
    after = found.end() if found else blank
    follows = line[after : after + 1]
    if before and rest.count('"') % 2 and follows != "=":
        return _stray_quote(line, line.rfind('"', 0, at), before)
    if name and LABEL_NAME.fullmatch(name) is None:
        message = f"{show(name)} is not a label name: letters, digits and underscores, no digit first"
        return _fault(
            Kind.LABEL_NAME, line, (blank, blank + len(name)), message, f"rename it to `{_label_name(name)}`"
        )
    if follows != "=":
        message = (
            f"label {show(name)} has no `=` and value"
            if name
            else f"unexpected {show(rest[0])} among the labels"
        )
        return _fault(Kind.LABEL_SYNTAX, line, (blank, after), message, 'write labels as `name="value"`')
    return _label_value(line, name, after + 1)


def _label_name(name: str) -> str:
    return plain_name(name).replace(":", "_")[:_SHOWN]


def _unclosed(line: str, at: int) -> Fault:
    return _fault(
        Kind.LABEL_SYNTAX, line, (at, at + 1), "the label braces are not closed", "write `}` after the labels"
    )


def _label_value(line: str, name: str, at: int) -> Fault:
    start = len(line) - len(line[at:].lstrip(" \t"))
    opener = line[start : start + 1]
    if opener == '"' and _quote_closes(line, start):
        return _blank(line, at - 1)
    if opener == '"':
        message = f"the value of label {show(name)} has no closing quote"
        return _fault(
            Kind.UNTERMINATED_VALUE,
            line,
            (start, len(line)),
            message,
            'close it with `"` and escape quotes inside as `\\"`',
        )
    found = re.compile(r"[^,} \t]*").match(line, start)
    end = found.end() if found else start
    message = f"the value of label {show(name)} is not in double quotes"
    return _fault(Kind.UNQUOTED_VALUE, line, (start, end), message, 'write labels as `name="value"`')


def _quote_closes(line: str, start: int) -> bool:
    return re.compile(r'"(?:[^"\\]++|\\.)*+"', re.DOTALL).match(line, start) is not None


def _stray_quote(line: str, at: int, label: str) -> Fault:
    message = (
        f"unescaped quote inside the value of label {show(label)}" if label else "unescaped quote in a name"
    )
    return _fault(Kind.UNESCAPED_QUOTE, line, (at, at + 1), message, 'escape it as `\\"`')


def _after_label(line: str, at: int, label: str, grammar: Grammar) -> Fault:
    rest = line[at:]
    if not rest:
        return _unclosed(line, at)
    if _LABEL_START.match(line, at) is not None:
        found = _fault(
            Kind.MISSING_COMMA, line, (at, at + 1), "no comma between two labels", "separate labels by `,`"
        )
        # Servers read text 0.0.4 without it, OpenMetrics not.
        return replace(found, fatal=grammar.openmetrics)
    if '"' in rest:
        return _stray_quote(line, line.rfind('"', 0, at), label)
    message = f"unexpected {show(rest[0])} after a label value"
    return _fault(Kind.LABEL_SYNTAX, line, (at, at + 1), message, "write `,` or `}` after a label")


def _after_labels(line: str, at: int) -> Fault:
    if at >= len(line):
        return _missing_value(line, at)
    return _blank(line, at)


def _value(line: str, at: int, grammar: Grammar) -> Fault:
    found = _WORD.match(line, at)
    if found is None:
        if at < len(line):
            return _blank(line, at)
        return _missing_value(line, at)
    word, end = found[0], found.end()
    if _COMMA_NUMBER.fullmatch(word):
        message = f"decimal comma in {show(word)}: the exporter formats numbers in the locale of its process"
        return _fault(
            Kind.DECIMAL_COMMA,
            line,
            (at, end),
            message,
            "format numbers with a point, independent of the locale",
        )
    spaced = (
        None if word.lower() in _NO_NUMBERS or NUMBER.fullmatch(word) else _NAME_THEN_REST.match(line, at)
    )
    if spaced is not None and "{" not in line[:at]:
        return _bad_name(line, 0, spaced.end(1), " ")
    if word.startswith("#") and not grammar.openmetrics:
        return _missing_value(line, at)
    return _fault(
        Kind.INVALID_VALUE,
        line,
        (at, end),
        f"{show(word)} is not a number: {_why(word)}",
        "write a decimal number",
    )


def _why(word: str) -> str:
    digits = word.lower().lstrip("+-")
    if digits[:2] in {"0x", "0b", "0o"}:
        return "only decimal notation is read"
    if "_" in word and NUMBER.fullmatch(word.replace("_", "")):
        return "digit groups are not allowed"
    if digits == "nan":
        return "NaN takes no sign"
    if NUMBER.fullmatch(word):
        return "it is too large for a 64-bit float; infinity is written `+Inf`"
    return "expected digits, NaN, +Inf or -Inf"


def _tail(line: str, at: int, stage: Stage, grammar: Grammar) -> Fault:
    """Explain what follows a value (or a timestamp) and should not."""
    blank = len(line) - len(line[at:].lstrip(" \t"))
    if grammar.openmetrics and (
        blank != at or (at and line[at - 1] == " " and at == len(line)) or blank == len(line)
    ):
        return _blank(line, min(at, len(line) - 1))
    found = _WORD.match(line, blank)
    word, end = (found[0], found.end()) if found else ("", blank + 1)
    if word.startswith("#"):
        return _hash(line, blank, grammar)
    if _SAMPLE_LIKE.match(line, blank):
        message = f"a second sample {show(line[blank:])} on the same line"
        remedy = "end each sample with a line feed, also where bodies are merged"
        return _fault(Kind.TWO_SAMPLES, line, (blank, end), message, remedy)
    if stage is Stage.TIMESTAMP:
        return _fault(
            Kind.INVALID_TIMESTAMP,
            line,
            (blank, end),
            f"{show(word)} is not a timestamp",
            _stamp_remedy(word, grammar),
        )
    return _fault(
        Kind.UNEXPECTED_TEXT,
        line,
        (blank, end),
        f"unexpected {show(word)} after the sample",
        "one sample a line",
    )


def _stamp_remedy(word: str, grammar: Grammar) -> str:
    if grammar.openmetrics:
        return "write seconds since the epoch as a decimal number, or leave it out"
    if word.startswith("-"):
        return "servers read no timestamps before 1970"
    if NUMBER.fullmatch(word) and "." in word:
        return "text 0.0.4 takes whole milliseconds; seconds with a fraction are OpenMetrics"
    return "write whole milliseconds since the epoch, or leave it out"


def _hash(line: str, at: int, grammar: Grammar) -> Fault:
    if grammar.openmetrics:
        return _exemplar(line, at)
    if re.compile(r"#[ \t]*\{").match(line, at):
        message = "an exemplar in text 0.0.4; only OpenMetrics has them"
        remedy = "serve application/openmetrics-text to those who accept it, or leave the exemplar out"
        return _fault(Kind.EXEMPLAR_IN_TEXT, line, (at, len(line)), message, remedy)
    return _fault(
        Kind.UNEXPECTED_TEXT,
        line,
        (at, len(line)),
        "a comment after a sample",
        "give a comment a line of its own",
    )


def _exemplar(line: str, at: int) -> Fault:
    message = "not a valid exemplar"
    remedy = 'write ` # {label="value"} VALUE [SECONDS]`, at most 128 characters of labels'
    start = min(at, len(line))
    return _fault(Kind.INVALID_EXEMPLAR, line, (start, len(line)), message, remedy)
