"""Grafana's variables inside expressions: built-in ones, those of the board, and their formats.

Rules from Grafana's Prometheus data source: a variable that may have several values is a regular expression, its values
escaped; `All` is the variable's own `allValue`, else every value.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import quote

from obs.preview.board import Variable
from obs.preview.clock import Range
from obs.specs.durations import duration

ALL = "$__all"
_NAMED = re.compile(r"\$(\w+)|\$\{(\w+)(?:\.[\w.]+)?(?::(\w+))?\}|\[\[(\w+)(?::(\w+))?\]\]")
_META = re.compile(r"[\\^$.*+?()\[\]{}|/]")


@dataclass(frozen=True, slots=True)
class Choice:
    """A variable, what it can be, and what it is; `selected` is (`$__all`,) for all."""

    variable: Variable
    options: tuple[str, ...]
    selected: tuple[str, ...]

    @property
    def is_all(self) -> bool:
        """Return whether all values are chosen."""
        return ALL in self.selected

    def values(self) -> tuple[str, ...]:
        """Return the values chosen, All spelt out."""
        return self.options if self.is_all else self.selected


def choose(variable: Variable, options: tuple[str, ...], wanted: tuple[str, ...] | None) -> Choice:
    """Return the choice that `wanted` (None: what the file has selected) makes of the options there are."""
    asked = variable.current if wanted is None else wanted
    if variable.include_all and (ALL in asked or "All" in asked or (not asked and not options)):
        return Choice(variable, options, (ALL,))
    chosen = tuple(value for value in asked if value in options)
    if wanted is not None and not chosen and asked and asked != (ALL,):
        chosen = asked if not options else ()  # a link may name what is not there (yet)
    if not chosen:
        chosen = (ALL,) if variable.include_all else options[:1]
    return Choice(variable, options, chosen if variable.multi else chosen[:1])


def in_expression(choice: Choice) -> str:
    """Return what stands for the variable inside a matcher."""
    if choice.is_all and choice.variable.all_value:
        return choice.variable.all_value
    values = choice.values()
    if not (choice.variable.multi or choice.variable.include_all):
        return values[0].replace("\\", "\\\\").replace('"', '\\"') if values else ""
    escaped = [_META.sub(lambda match: "\\\\" + match[0], value) for value in values]
    return escaped[0] if len(escaped) == 1 else f"({'|'.join(escaped)})" if escaped else ""


def in_query_string(choice: Choice) -> str:
    """Return the variable as Grafana's `:queryparam` format writes it: `var-x=a&var-x=b`."""
    return "&".join(f"var-{choice.variable.name}={quote(value, safe='')}" for value in choice.selected)


def expand(expr: str, choices: Mapping[str, Choice], span: Range, step: float, scrape: float) -> str:
    """Return `expr` with its variables filled in; a name that nobody knows stays as it is.

    `step` is the distance of points and `scrape` that of scrapes, in seconds: `$__rate_interval` is at least four
    scrapes wide, so that a lost one leaves no gap (Grafana's documentation of the variable).
    """
    wide = max(step + scrape, 4 * scrape)
    known = {
        "__interval": duration(step),
        "__interval_ms": str(round(step * 1000)),
        "__rate_interval": duration(wide),
        "__rate_interval_ms": str(round(wide * 1000)),
        "__range": duration(round(span.seconds)),
        "__range_s": str(round(span.seconds)),
        "__range_ms": str(round(span.seconds * 1000)),
    }

    def fill(match: re.Match[str]) -> str:
        name = match[1] or match[2] or match[4]
        if name in known:
            return known[name]
        choice = choices.get(name)
        if choice is None:
            return match[0]
        how = match[3] or match[5] or ""
        return in_query_string(choice) if how == "queryparam" else _formatted(choice, how)

    return _NAMED.sub(fill, expr)


def _formatted(choice: Choice, how: str) -> str:
    match how:
        case "csv":
            return ",".join(choice.values())
        case "pipe":
            return "|".join(choice.values())
        case "raw":
            return choice.values()[0] if len(choice.values()) == 1 else f"{{{','.join(choice.values())}}}"
    return in_expression(choice)
