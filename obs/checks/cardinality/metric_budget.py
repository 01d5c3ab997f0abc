"""OBS307: a metric has more series than its budget."""

from __future__ import annotations

from collections.abc import Iterator

from obs.checks.cardinality.too_many_values import overfull
from obs.checks.check import Check, Hit, hit
from obs.checks.context import Context
from obs.checks.places import of_family
from obs.exposition import Family
from obs.model.check import CheckDoc
from obs.model.finding import Severity

DOC = CheckDoc(
    code="OBS307",
    slug="metric-budget",
    category="cardinality",
    severity=Severity.ERROR,
    summary="A metric has more series than its budget allows one instance.",
    why=(
        "Series are what a server pays for, in memory and in the time of each expression, and a fleet multiplies them. "
        "The budget of a registry metric is the product of its label domains, or what the rules file says. A metric "
        "outside the registry may have 1,000 series (a warning)."
    ),
    bad=(
        "$ obs lint --rules rules.yaml metrics.txt\n"
        "==> rules.yaml <==\n"
        "version: 1\nforbidden_labels: []\nmax_series_per_instance: 100\n"
        "metrics: {acme_queue_items: {max_series_per_instance: 2, labels: {}}}\n"
        "==> metrics.txt <==\n"
        "# HELP acme_queue_items Items.\n# TYPE acme_queue_items gauge\n"
        'acme_queue_items{queue="a"} 1\nacme_queue_items{queue="b"} 1\nacme_queue_items{queue="c"} 1\n'
    ),
    good=(
        "$ obs lint --rules rules.yaml metrics.txt\n"
        "==> rules.yaml <==\n"
        "version: 1\nforbidden_labels: []\nmax_series_per_instance: 100\n"
        "metrics: {acme_queue_items: {max_series_per_instance: 2, labels: {}}}\n"
        "==> metrics.txt <==\n"
        "# HELP acme_queue_items Items.\n# TYPE acme_queue_items gauge\n"
        'acme_queue_items{queue="a"} 1\nacme_queue_items{queue="other"} 2\n'
    ),
    remedy="Drop a label or fold its values; raise the budget where the series are worth their price.",
)

OUTSIDE_SERIES = 1_000
"""Series of one metric outside the registry from which on it is named: a hundredth of what a server likes to hold."""


def find(context: Context) -> Iterator[Hit]:
    """Yield each metric over its budget, with the label that has most values; labels over theirs explain it already."""
    explained = overfull(context)
    for family in context.scrape.families:
        name = context.metric_name(family)
        budget = context.budgets.metrics.get(name)
        most = budget.max_series if budget else OUTSIDE_SERIES
        series = family.series_count - context.drifted.get(name, 0)
        if series <= most or name in explained:
            continue
        message = f"`{name}` has {series} series, {_allowed(context, most, bool(budget))}{_widest(family)}"
        severity = None if budget else Severity.WARNING
        place = of_family(context.scrape, family)
        yield hit(message, place, remedy=DOC.remedy, subject=name, severity=severity)


def _allowed(context: Context, most: int, known: bool) -> str:
    return (
        f"{context.budgets.source} allows {most}"
        if known
        else f"more than {most} are a matter for a decision"
    )


def _widest(family: Family) -> str:
    sizes = sorted(((len(family.distinct(label)), label) for label in family.label_names), reverse=True)
    shown = ", ".join(f"`{label}` {size}" for size, label in sizes[:3])
    return f"; values by label: {shown}" if shown else ""


CHECK = Check(DOC, find)
