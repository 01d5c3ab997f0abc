"""PromQL from parts. Every string that enters an expression is escaped here."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

Matcher = tuple[str, str, str]
"""A label name, an operator (`=`, `!=`, `=~`, `!~`) and a value."""

_SPECIAL = re.compile(r"[.\\+*?()|\[\]{}^$]")


def quote(text: str) -> str:
    """Return `text` as a PromQL string literal."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def regex_literal(text: str) -> str:
    """Return an RE2 pattern that matches `text` and nothing else (Go rejects the escapes re.escape adds)."""
    return _SPECIAL.sub(lambda match: "\\" + match[0], text)


def regex_any(values: Iterable[str]) -> str:
    """Return an RE2 pattern that matches any of `values`."""
    return "|".join(regex_literal(value) for value in values)


def equal(labels: Mapping[str, str]) -> tuple[Matcher, ...]:
    """Return equality matchers for `labels`, sorted by name."""
    return tuple((name, "=", labels[name]) for name in sorted(labels))


def selector(name: str, matchers: Iterable[Matcher] = (), window: str = "", offset: str = "") -> str:
    """Return `name{matchers}`, with `[window]` and `offset` when they are given."""
    inside = ",".join(f"{label}{operator}{quote(value)}" for label, operator, value in matchers)
    text = name + (f"{{{inside}}}" if inside else "") + (f"[{window}]" if window else "")
    return f"{text} offset {offset}" if offset else text


def aggregate(operator: str, expression: str, by: Iterable[str] = ()) -> str:
    """Return `operator by (labels) (expression)`, without `by` when there are no labels."""
    labels = ", ".join(by)
    return f"{operator} by ({labels}) ({expression})" if labels else f"{operator}({expression})"


def ratio(numerator: str, denominator: str) -> str:
    """Return a quotient that has no value, instead of NaN, while the denominator is zero."""
    return f"{numerator}\n/\n({denominator} > 0)"
