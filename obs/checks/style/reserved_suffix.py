"""OBS404: a name ends like a part of a histogram."""

from __future__ import annotations

from collections.abc import Iterator

from obs.checks.check import Check, Hit, hit
from obs.checks.context import Context
from obs.checks.places import of_family
from obs.exposition import MetricType
from obs.model.check import CheckDoc
from obs.model.finding import Severity

DOC = CheckDoc(
    code="OBS404",
    slug="reserved-suffix",
    category="style",
    severity=Severity.WARNING,
    summary="The name of a gauge or counter ends in `_count`, `_sum` or `_bucket`.",
    why=(
        "These suffixes belong to the parts of histograms and summaries. Tools that see the name alone take the metric "
        "for a part of one that does not exist."
    ),
    bad=("# HELP acme_nodes_count What it is.\n# TYPE acme_nodes_count gauge\nacme_nodes_count 1\n"),
    good=("# HELP acme_nodes What it is.\n# TYPE acme_nodes gauge\nacme_nodes 1\n"),
    remedy="Rename it; a number of things needs no suffix.",
)

_PLAIN = frozenset({MetricType.GAUGE, MetricType.COUNTER})
_RESERVED = ("_count", "_sum", "_bucket")


def find(context: Context) -> Iterator[Hit]:
    """Yield each gauge or counter with such a name."""
    for family in context.outsiders:
        if family.kind in _PLAIN and family.name.endswith(_RESERVED):
            suffix = family.name[family.name.rindex("_") :]
            message = f"{family.kind.value} `{family.name}` ends in `{suffix}`, which is for histograms and summaries"
            place = of_family(context.scrape, family)
            yield hit(message, place, remedy=DOC.remedy, subject=family.name)


CHECK = Check(DOC, find)
