"""OBS406: a name repeats its type."""

from __future__ import annotations

from collections.abc import Iterator

from obs.checks.check import Check, Hit, hit
from obs.checks.context import Context
from obs.checks.places import of_family
from obs.model.check import CheckDoc
from obs.model.finding import Severity

DOC = CheckDoc(
    code="OBS406",
    slug="type-in-name",
    category="style",
    severity=Severity.INFO,
    summary="The name of a metric contains the word for its own type.",
    why=(
        "The TYPE line says it already, and the name is wrong on the day the type changes. A word that is another type "
        "than the metric's own (a counter of histograms) is not meant."
    ),
    bad=("# HELP acme_queue_gauge What it is.\n# TYPE acme_queue_gauge gauge\nacme_queue_gauge 1\n"),
    good=(
        "# HELP acme_histograms_dropped_total What it is.\n"
        "# TYPE acme_histograms_dropped_total counter\n"
        "acme_histograms_dropped_total 1\n"
    ),
    remedy="Leave the word out.",
)


def find(context: Context) -> Iterator[Hit]:
    """Yield each family with its own type as a word of its name."""
    for family in context.outsiders:
        if family.kind.value in _WORDS and family.kind.value in family.name.lower().split("_"):
            message = f"`{family.name}` has its type `{family.kind.value}` in its name"
            place = of_family(context.scrape, family)
            yield hit(message, place, remedy=DOC.remedy, subject=family.name)


_WORDS = frozenset({"counter", "gauge", "histogram", "summary"})


CHECK = Check(DOC, find)
