"""OBS401: a metric has no HELP line."""

from __future__ import annotations

from collections.abc import Iterator

from obs.checks.check import Check, Hit, hit
from obs.checks.context import Context
from obs.checks.places import of_family
from obs.model.check import CheckDoc
from obs.model.finding import Severity

DOC = CheckDoc(
    code="OBS401",
    slug="missing-help",
    category="style",
    severity=Severity.WARNING,
    summary="A metric has no HELP line, or an empty one.",
    why=(
        "The sentence is what people see when they search for a metric. Without it they guess from the name."
    ),
    bad="# TYPE acme_queue_items gauge\nacme_queue_items 3\n",
    good=("# HELP acme_queue_items What it is.\n# TYPE acme_queue_items gauge\nacme_queue_items 1\n"),
    remedy="Write `# HELP name` and one sentence.",
)


def find(context: Context) -> Iterator[Hit]:
    """Yield each family without a description."""
    for family in context.outsiders:
        if not (family.help or "").strip():
            message = f"`{family.name}` has no HELP text"
            yield hit(message, of_family(context.scrape, family), remedy=DOC.remedy, subject=family.name)


CHECK = Check(DOC, find)
