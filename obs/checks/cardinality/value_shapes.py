"""Label values that look like identifiers: the loop that four checks share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from obs.checks.check import Hit, hit
from obs.checks.context import Context
from obs.checks.places import of_value
from obs.checks.shapes import PARTS
from obs.checks.values import first_lines, quoted
from obs.exposition import Family


def shaped(context: Context, wanted: Mapping[str, str]) -> Iterator[Hit]:
    """Yield each family and label with values of a shape in `wanted`; `wanted` says what to do about each shape.

    One hit a family, label and shape: it tells how many values there are, and three of them.
    """
    shapes = context.shapes
    for family in context.scrape.families if shapes else ():
        for label in sorted(family.label_names - PARTS):
            found: dict[str, list[str]] = {}
            for value in family.distinct(label):
                name = shapes.get(value, "")
                if name in wanted and not _constant(family, name):
                    found.setdefault(name, []).append(value)
            for name, values in sorted(found.items()):
                yield _hit(context, family, label, (name, wanted[name]), values)


def _constant(family: Family, name: str) -> bool:
    """Return whether the value is the build of the process: it changes with a deployment only."""
    return family.name.endswith("_build_info") and name in {"hexadecimal digest", "timestamp", "URL"}


def _hit(context: Context, family: Family, label: str, shape: tuple[str, str], values: list[str]) -> Hit:
    name, remedy = shape
    first = first_lines(family, label, values)
    shown = ", ".join(quoted(value) for value, _ in first[:3])
    total = len(family.distinct(label))
    noun = "value" if total == 1 else "values"
    article = "an" if name[0] in "eI" else "a"
    message = (
        f"`{label}` of `{family.name}` looks like {article} {name}: {shown} ({len(values)} of {total} {noun})"
    )
    place = of_value(context.scrape, first[0][1], label)
    return hit(message.replace("\n", "\\n"), place, remedy=remedy, subject=family.name)
