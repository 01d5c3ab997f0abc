"""OBS408: a name or label is in camelCase."""

from __future__ import annotations

import re
from collections.abc import Iterator

from obs.checks.check import Check, Hit, hit
from obs.checks.context import Context
from obs.checks.places import of_family, of_label
from obs.model.check import CheckDoc
from obs.model.finding import Severity

DOC = CheckDoc(
    code="OBS408",
    slug="camel-case",
    category="style",
    severity=Severity.WARNING,
    summary="The name of a metric or of a label is in camelCase.",
    why=("Names are snake_case everywhere in this world, so that people can write them from memory."),
    bad=("# HELP acme_queueItems What it is.\n# TYPE acme_queueItems gauge\nacme_queueItems 1\n"),
    good=("# HELP acme_queue_items What it is.\n# TYPE acme_queue_items gauge\nacme_queue_items 1\n"),
    remedy="Write it in snake_case.",
)

_CAMEL = re.compile(r"[a-z][A-Z]")


def find(context: Context) -> Iterator[Hit]:
    """Yield each family name, and each family's labels, in camelCase."""
    for family in context.outsiders:
        if _CAMEL.search(family.name):
            message = f"`{family.name}` is in camelCase"
            place = of_family(context.scrape, family)
            yield hit(message, place, remedy=DOC.remedy, subject=family.name)
        labels = [label for label in sorted(family.label_names) if _CAMEL.search(label)]
        if labels:
            shown = ", ".join(f"`{label}`" for label in labels)
            block = next(block for block in family.blocks if labels[0] in block.label_names)
            message = f"the label {shown} of `{family.name}` is in camelCase"
            place = of_label(context.scrape, block.lines[0], labels[0])
            yield hit(message, place, remedy=DOC.remedy, subject=family.name)


CHECK = Check(DOC, find)
