"""OBS407: a name contains a colon."""

from __future__ import annotations

from collections.abc import Iterator

from obs.checks.check import Check, Hit, hit
from obs.checks.context import Context
from obs.checks.places import of_family
from obs.model.check import CheckDoc
from obs.model.finding import Severity

DOC = CheckDoc(
    code="OBS407",
    slug="colon-in-name",
    category="style",
    severity=Severity.WARNING,
    summary="The name of an exposed metric contains a colon.",
    why=(
        "Colons are for recording rules: they tell a reader that a series was computed by a server, and from what."
    ),
    bad=("# HELP acme:queue_items What it is.\n# TYPE acme:queue_items gauge\nacme:queue_items 1\n"),
    good=("# HELP acme_queue_items What it is.\n# TYPE acme_queue_items gauge\nacme_queue_items 1\n"),
    remedy="Use underscores.",
)


def find(context: Context) -> Iterator[Hit]:
    """Yield each family with a colon in its name."""
    for family in context.outsiders:
        if ":" in family.name:
            message = f"`{family.name}` contains a colon, which is for recording rules"
            place = of_family(context.scrape, family)
            yield hit(message, place, remedy=DOC.remedy, subject=family.name)


CHECK = Check(DOC, find)
