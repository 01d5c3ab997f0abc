"""What label values look like: the shapes of identifiers, and which values of a body have one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from obs.exposition import Scrape

MOST = 500
"""Distinct values of one label that are looked at: more of them are a finding of their own (OBS307)."""

PARTS = frozenset({"le", "quantile"})
"""Labels of the format: their values are numbers, and not the author's choice."""

SHAPES: Mapping[str, re.Pattern[str]] = MappingProxyType(
    {
        name: re.compile(pattern)
        for name, pattern in {
            "UUID": r"(?i)[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
            "URL": r"(?i)\b[a-z][a-z0-9+.-]*://",
            "e-mail address": r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+",
            "memory address": r"\b0[xX][0-9a-fA-F]{6,}\b",
            "ULID": r"\b[0-7][0-9A-HJKMNP-TV-Z]{25}\b",
            "hexadecimal digest": r"(?i)\b(?=[a-f]*[0-9])(?=[0-9]*[a-f])[0-9a-f]{16,}\b",
            "timestamp": r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d|^1\d{9}(?:\.\d+|\d{3}|\d{6}|\d{9})?$",
            "IP address and port": r"\b(?:\d{1,3}\.){3}\d{1,3}:\d{1,5}\b|\[[0-9a-fA-F:.]*:[0-9a-fA-F:.]*\]:\d{1,5}\b",
            "path with an id": r"/(?:\d+|[0-9a-fA-F]*\d[0-9a-fA-F]{7,})(?=[/?#]|$)",
            "free text": r"[\n\r]|^.{121}",
        }.items()
    }
)
"""What a value can look like, the most telling first: a value has the first shape that matches."""

_ANY = re.compile(r"\d{6}|[/:@\n\r]|-[0-9a-fA-F]{4}-|0[xX][0-9a-fA-F]|[0-9a-fA-F]{16}|[0-9A-Z]{26}|^.{121}")
"""What every shape contains: most values have nothing of it and need no second look."""


def shape_of(value: str) -> str:
    """Return the name of the shape of `value`, or an empty string for a plain one."""
    if not _ANY.search(value):
        return ""
    return next((name for name, pattern in SHAPES.items() if pattern.search(value)), "")


def shapes_in(scrape: Scrape) -> Mapping[str, str]:
    """Return the label values of a body that have a shape, with its name; of a label the first `MOST` by spelling."""
    unique: set[str] = set()
    for family in scrape.families:
        for label in family.label_names - PARTS:
            values = family.distinct(label)
            unique.update(values if len(values) <= MOST else sorted(values)[:MOST])
    return {value: name for value in unique if (name := shape_of(value))}
