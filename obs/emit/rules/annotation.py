"""What Prometheus makes of an annotation: the few template actions that alerts/ may use, rendered as it renders them.

Allowed are `{{ $labels.NAME }}` and `{{ $value | FUNCTION }}` with a function of `FUNCTIONS`. That is little on
purpose: every annotation is rendered here for the unit tests, and must come out as in Prometheus to the character.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping

_ACTION = re.compile(r"\{\{(.*?)\}\}", re.DOTALL)
_LABEL = re.compile(r"\s*\$labels\.([a-zA-Z_][a-zA-Z0-9_]*)\s*\Z")
_VALUE = re.compile(r"\s*\$value\s*\|\s*([a-zA-Z0-9]+)\s*\Z")

_LARGE = ("k", "M", "G", "T", "P", "E", "Z", "Y")
_SMALL = ("m", "u", "n", "p", "f", "a", "z", "y")
_BINARY = ("ki", "Mi", "Gi", "Ti", "Pi", "Ei", "Zi", "Yi")


def _significant(value: float) -> str:
    """Return Go's `%.4g`, which is Python's."""
    return f"{value:.4g}"


def humanize(value: float) -> str:
    """Return a number with a metric prefix, as Prometheus's `humanize` does (template package of Prometheus)."""
    if value == 0 or math.isnan(value) or math.isinf(value):
        return _significant(value)
    prefix = ""
    if abs(value) >= 1:
        for candidate in _LARGE:
            if abs(value) < 1000:
                break
            prefix, value = candidate, value / 1000
    else:
        for candidate in _SMALL:
            if abs(value) >= 1:
                break
            prefix, value = candidate, value * 1000
    return _significant(value) + prefix


def humanize_1024(value: float) -> str:
    """Return a number with a binary prefix, as `humanize1024` does."""
    if abs(value) <= 1 or math.isnan(value) or math.isinf(value):
        return _significant(value)
    prefix = ""
    for candidate in _BINARY:
        if abs(value) < 1024:
            break
        prefix, value = candidate, value / 1024
    return _significant(value) + prefix


def humanize_percentage(value: float) -> str:
    """Return a ratio as a percentage, as `humanizePercentage` does."""
    return f"{_significant(value * 100)}%"


def humanize_duration(value: float) -> str:
    """Return seconds as days, hours, minutes and seconds, as `humanizeDuration` does."""
    if math.isnan(value) or math.isinf(value):
        return _significant(value)
    if abs(value) < 1:
        return f"{humanize(value)}s"
    sign, whole = ("-" if value < 0 else ""), int(abs(value))
    amounts = ((whole // 86400, "d"), (whole // 3600 % 24, "h"), (whole // 60 % 60, "m"), (whole % 60, "s"))
    first = next((index for index, (amount, unit) in enumerate(amounts) if amount or unit == "s"))
    if amounts[first][1] == "s":
        return f"{sign}{_significant(abs(value))}s"
    return sign + " ".join(f"{amount}{unit}" for amount, unit in amounts[first:])


FUNCTIONS: Mapping[str, Callable[[float], str]] = {
    "humanize": humanize,
    "humanize1024": humanize_1024,
    "humanizePercentage": humanize_percentage,
    "humanizeDuration": humanize_duration,
}
"""Functions of Prometheus's templates that annotations may use."""


def problems_of(text: str) -> tuple[str, ...]:
    """Return the actions in `text` that are not allowed here."""
    return tuple(
        action.strip()
        for action in _ACTION.findall(text)
        if not _LABEL.match(action) and ((value := _VALUE.match(action)) is None or value[1] not in FUNCTIONS)
    )


def labels_in(text: str) -> frozenset[str]:
    """Return the labels that an annotation prints."""
    return frozenset(found[1] for action in _ACTION.findall(text) if (found := _LABEL.match(action)))


def render(text: str, labels: Mapping[str, str], value: float) -> str:
    """Return the annotation as Prometheus renders it for an alert with these labels and this value."""

    def fill(match: re.Match[str]) -> str:
        label = _LABEL.match(match[1])
        if label:
            return labels.get(label[1], "")
        function = _VALUE.match(match[1])
        return FUNCTIONS[function[1]](value) if function else match[0]

    return _ACTION.sub(fill, text)
