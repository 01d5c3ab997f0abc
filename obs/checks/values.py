"""What checks of label values share: where a value is first seen, and how it is shown."""

from __future__ import annotations

from collections.abc import Collection

from obs.exposition import Family

SHOWN = 60
"""Characters of a label value that a message quotes."""


def first_lines(family: Family, label: str, wanted: Collection[str]) -> tuple[tuple[str, int], ...]:
    """Return each of `wanted` with the first line on which `label` has it, in order of line; one pass over them."""
    found: dict[str, int] = {}
    if wanted:
        for block in family.blocks:
            for value, line in zip(block.column(label), block.lines, strict=False):
                if value in wanted and line < found.get(value, line + 1):
                    found[value] = line
    return tuple(sorted(found.items(), key=lambda item: (item[1], item[0])))


def quoted(value: str) -> str:
    """Return a label value for a message, in backticks and cut to a readable length."""
    return f"`{value[:SHOWN]}...`" if len(value) > SHOWN else f"`{value}`"
