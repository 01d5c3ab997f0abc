"""What label values look like: the shapes of identifiers, and which values of a body have one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from obs.exposition import Scrape

MOST = 500
"""Distinct values of one label that are looked at: more of them are a finding of their own (OBS307)."""

PARTS = frozenset({"le", "quantile"})
"""Labels of the format: their values are numbers, and not the author's choice."""

LONGEST = 1_000
"""Characters of a value that are looked at: an identifier does not begin later, and patterns stay quick."""

SHAPES: Mapping[str, str] = MappingProxyType(
    {
        "UUID": r"(?i)[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
        "URL": r"(?i)\b[a-z][a-z0-9+.-]{0,20}://",
        "e-mail address": r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64})+",
        "memory address": r"\b0[xX][0-9a-fA-F]{6,}\b",
        "ULID": r"\b[0-7][0-9A-HJKMNP-TV-Z]{25}\b",
        "hexadecimal digest": r"(?i)\b(?=[a-f]*[0-9])(?=[0-9]*[a-f])[0-9a-f]{16,}\b",
        "timestamp": r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d|^1\d{9}(?:\.\d+|\d{3}|\d{6}|\d{9})?$",
        "IP address and port": r"\b(?:\d{1,3}\.){3}\d{1,3}:\d{1,5}\b|\[[0-9a-fA-F:.]{2,45}\]:\d{1,5}\b",
        "path with an id": r"(?:^|\s)/(?:[^?#\s]*/)?(?:\d+|[0-9a-fA-F]{0,64}\d[0-9a-fA-F]{7,})(?=[/?#\s]|$)",
        "free text": r"[\n\r]|^.{121}",
    }
)
"""What a value can look like, the most telling first: a value has the first shape that matches."""

_ANY = re.compile(
    r"\d{6}|://|/[0-9a-fA-F]*\d|:\d|[@\n\r]|-[0-9a-fA-F]{4}-|0[xX][0-9a-fA-F]|[0-9a-fA-F]{16}|[0-9A-Z]{26}|^.{121}"
)
"""What every shape contains: most values have nothing of it and need no second look."""


@cache
def _patterns() -> Mapping[str, re.Pattern[str]]:
    return {name: re.compile(pattern) for name, pattern in SHAPES.items()}


def shape_of(value: str) -> str:
    """Return the name of the shape of `value`, or an empty string for a plain one."""
    value = value[:LONGEST]
    if not _ANY.search(value):
        return ""
    return next((name for name, pattern in _patterns().items() if pattern.search(value)), "")


def shapes_in(scrape: Scrape) -> Mapping[str, str]:
    """Return the label values of a body that have a shape, with its name; of a label the first `MOST` by spelling."""
    unique: set[str] = set()
    for family in scrape.families:
        for block in family.blocks:
            for label in block.label_names:
                values = block.distinct(label) if label not in PARTS else ()
                unique.update(values if len(values) <= MOST else sorted(values)[:MOST])
    return {value: name for value in unique if (name := shape_of(value))}
