"""Where on a line a thing stands: a metric's name or type, a label, a label's value, a sample's number."""

from __future__ import annotations

import re
from dataclasses import dataclass

from obs.exposition import Family, Scrape

_NAME = re.compile(r"[ \t]*([^\s{]+)")
_LABEL = re.compile(r'([a-zA-Z_]\w*)\s*=\s*"((?:[^"\\]++|\\.)*+)"')
_NUMBER = re.compile(r'[ \t]*[^\s{]*[ \t]*(?:\{(?:[^"}]++|"(?:[^"\\]++|\\.)*+")*+\})?[ \t]*(\S+)')
_DECLARED = re.compile(r"#\s*\w+\s+(\S+)")
_TYPE = re.compile(r"#\s*TYPE\s+\S+\s+(\S+)")


@dataclass(frozen=True, slots=True)
class Place:
    """A line and the columns on it: from 1, the end exclusive, 0 for the whole line."""

    line: int = 0
    column: int = 0
    end_column: int = 0


def of_family(scrape: Scrape, family: Family) -> Place:
    """Return the place of a family's name, on its TYPE or HELP line or on its first sample."""
    return _matched(scrape, family.line, _DECLARED) or of_name(scrape, family.line)


def of_type(scrape: Scrape, family: Family) -> Place:
    """Return the place of the word that names the type; the family's place where no line does."""
    return (family.type_line and _matched(scrape, family.type_line, _TYPE)) or of_family(scrape, family)


def of_name(scrape: Scrape, line: int) -> Place:
    """Return the place of the metric name on a sample line."""
    return _matched(scrape, line, _NAME) or Place(line)


def of_number(scrape: Scrape, line: int) -> Place:
    """Return the place of the value on a sample line."""
    return _matched(scrape, line, _NUMBER) or Place(line)


def of_label(scrape: Scrape, line: int, label: str) -> Place:
    """Return the place of a label's name on a sample line."""
    return _of_label(scrape, line, label, 1)


def of_value(scrape: Scrape, line: int, label: str) -> Place:
    """Return the place of a label's value on a sample line, without its quotes."""
    return _of_label(scrape, line, label, 2)


def _matched(scrape: Scrape, line: int, pattern: re.Pattern[str]) -> Place | None:
    found = pattern.match(scrape.line_text(line))
    return Place(line, found.start(1) + 1, found.end(1) + 1) if found else None


def _of_label(scrape: Scrape, line: int, label: str, group: int) -> Place:
    text = scrape.line_text(line)
    for found in _LABEL.finditer(text, max(0, text.find("{"))):
        if found[1] == label:
            return Place(line, found.start(group) + 1, found.end(group) + 1)
    return of_name(scrape, line)
