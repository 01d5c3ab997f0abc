r"""The fast path: a run of well-formed lines of one shape to columns, without a loop over lines.

The quotes of a line without backslashes alternate between opening and closing, so `text.split('"')` of a run
of n lines with q quotes each is a table of n rows and q columns: odd columns are label values, even ones the
text between them. When the even columns are constant (up to the number at the end of a line) every line has
the same name and the same label names in the same order, and a slice with stride q *is* the column of a
label. All of it runs inside C: split, slice, join, compare, `map(float, ...)`.

Exactness: pieces of the split hold no quote, so joining a column by quotes loses nothing and one comparison
of strings proves the column constant. The column with the numbers is joined likewise; replacing the constant
text between two numbers by line feeds leaves exactly n numbers or the run is refused. Whatever is refused (or
holds a backslash, an exemplar, odd blanks) goes to the line scanner, which decides; a property test holds
both to the same result.

CPU seconds for 100,000 series in 1,000 families (13.3 MB, five labels a sample), CPython 3.11, one busy machine:

    this path, with duplicates, histogram laws and all other checks                0.14
    the same by the line scanner alone                                             0.68
    a loop over lines: split at `",`, each `name="value"` parsed once; no checks   0.15
    a regular expression a line and one for its labels (findall); no checks        0.30
    prometheus_client 0.26; no checks                                              1.9

Keeping every column instead of cutting it out again for the few who ask (`Run.columns`) costs a quarter more time as
fresh strings, and a tenth more time and memory as strings held once.
"""

from __future__ import annotations

import math
import re
from array import array
from collections.abc import Sequence
from typing import NamedTuple

from obs.exposition.lines import number

_LABEL_OPEN = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*=")
_PLAIN = b"0123456789.+-eE\n"
_STAMPED = re.compile(r"(?:[^ \n]++ [0-9]{1,15}\n)*+[^ \n]++ [0-9]{1,15}")


# Named tuples, not frozen dataclasses: thousands are made, and a tuple is made in a third of the time.
class Columns(NamedTuple):
    """A run of lines: label names as written, the values of each, numbers, and timestamps or None."""

    label_names: tuple[str, ...]
    columns: tuple[list[str], ...]
    values: Sequence[float]
    timestamps: Sequence[float] | None


class Run(NamedTuple):
    """Where in a body a run of alike lines stands, so that its label values need not be kept.

    `text[start:end]` are whole lines; those that begin with `head` (a name and its brace) are the run, each with
    `labels` labels and without a backslash.
    """

    text: str
    start: int
    end: int
    head: str
    labels: int

    def columns(self) -> tuple[list[str], ...]:
        """Return the values of each label, cut out anew."""
        part = self.text[self.start : self.end]
        if not part.startswith(self.head) or part.count("\n" + self.head) + 1 != part.count("\n"):
            part = "\n".join(line for line in part.split("\n") if line.startswith(self.head))
        pieces = part.split('"')
        return tuple([pieces[place :: 2 * self.labels] for place in range(1, 2 * self.labels, 2)])


Shapes = dict[tuple[str, ...], tuple[str, ...] | None]
"""Label names by the text before each value of a line: the same few over and over in one body."""


def read_columns(text: str, lines: int, head: str, shapes: Shapes) -> Columns | None:
    """Return the columns of `lines` lines, each ending in a line feed, or None when they are not all of one shape.

    `head` is the metric name with its opening brace.
    """
    quotes = text.count('"', 0, text.find("\n"))
    if not quotes or quotes & 1 or "\\" in text:
        return None
    pieces = text.split('"')
    if len(pieces) != lines * quotes + 1 or not pieces[0].startswith(head):
        return None
    opens = (pieces[0][len(head) :], *pieces[2:quotes:2])
    names = shapes.get(opens)
    if names is None:
        names = shapes[opens] = _label_names(opens)
        if names is None:
            return None
    for start in range(2, quotes, 2):
        constant = pieces[start] + '"'
        if '"'.join(pieces[start::quotes]) + '"' != constant * lines:
            return None
    numbers = _numbers('"'.join(pieces[quotes::quotes]), pieces[0], lines)
    if numbers is None:
        return None
    return Columns(names, tuple([pieces[start::quotes] for start in range(1, quotes, 2)]), *numbers)


def _label_names(opens: tuple[str, ...]) -> tuple[str, ...] | None:
    """Return the label names from the text before each value of a line, its head cut off: `a=`, `,b=`, ..."""
    bare = (opens[0], *(one[1:] for one in opens[1:]))
    if not all(one.startswith(",") for one in opens[1:]) or not all(map(_LABEL_OPEN.fullmatch, bare)):
        return None
    names = tuple(one[:-1] for one in bare)
    return names if len(set(names)) == len(names) else None


def _numbers(joined: str, head: str, lines: int) -> tuple[array[float], array[float] | None] | None:
    """Return values and timestamps from the last column, joined by quotes: `} 1<LF>head"} 2<LF>`..."""
    if not joined.startswith("} ") or not joined.endswith("\n"):
        return None
    text = joined[2:-1].replace(f'\n{head}"}} ', "\n")
    if text.count("\n") != lines - 1 or not text.isascii() or '"' in text:
        return None
    stamps = None
    if " " in text:
        if _STAMPED.fullmatch(text) is None:
            return None
        tokens = text.replace(" ", "\n").split("\n")
        text, stamps = "\n".join(tokens[::2]), array("d", map(float, tokens[1::2]))
    values = _floats(text)
    return None if values is None else (values, stamps)


def _floats(text: str) -> array[float] | None:
    """Return the numbers of `text`, one a line, or None when one of them is not a number of the format."""
    tokens = text.split("\n")
    if text.encode("ascii").translate(None, _PLAIN):
        return _careful_floats(tokens)
    try:
        values = array("d", map(float, tokens))
    except ValueError:
        return None
    # A decimal too large for a float reads as infinity; the formats call it an error.
    return values if math.isfinite(sum(values)) else _careful_floats(tokens)


def _careful_floats(tokens: Sequence[str]) -> array[float] | None:
    values = [number(token) for token in tokens]
    return None if None in values else array("d", values)  # type: ignore[arg-type] # no None is left
