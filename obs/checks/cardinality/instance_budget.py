"""OBS308: an instance has more series than its budget."""

from __future__ import annotations

from collections.abc import Iterator

from obs.checks.check import Check, Hit, hit
from obs.checks.context import Context
from obs.checks.places import Place
from obs.model.check import CheckDoc
from obs.model.finding import Severity

DOC = CheckDoc(
    code="OBS308",
    slug="instance-budget",
    category="cardinality",
    severity=Severity.ERROR,
    summary="The metrics of one instance have more series together than its budget, or the scrape limit, allows.",
    why=(
        "The scrape configuration that is generated refuses a target whose body has more samples than its limit: all "
        "of its series are lost at once, not only those that are too many."
    ),
    bad=(
        "$ obs lint --rules rules.yaml metrics.txt\n"
        "==> rules.yaml <==\n"
        "version: 1\nforbidden_labels: []\nmax_series_per_instance: 2\n"
        "metrics: {acme_queue_items: {max_series_per_instance: 9, labels: {}}}\n"
        "==> metrics.txt <==\n"
        "# HELP acme_queue_items Items.\n# TYPE acme_queue_items gauge\n"
        'acme_queue_items{queue="a"} 1\nacme_queue_items{queue="b"} 1\nacme_queue_items{queue="c"} 1\n'
    ),
    good=(
        "$ obs lint --rules rules.yaml metrics.txt\n"
        "==> rules.yaml <==\n"
        "version: 1\nforbidden_labels: []\nmax_series_per_instance: 2\n"
        "metrics: {acme_queue_items: {max_series_per_instance: 9, labels: {}}}\n"
        "==> metrics.txt <==\n"
        "# HELP acme_queue_items Items.\n# TYPE acme_queue_items gauge\n"
        'acme_queue_items{queue="a"} 1\nacme_queue_items{queue="other"} 2\n'
    ),
    remedy="Find the largest metrics and drop a label, or raise the budget and the limit together.",
)


def find(context: Context) -> Iterator[Hit]:
    """Yield at most one hit: budgeted metrics over the budget, or an agent's body over the limit of its scrape.

    A metric counts for no more than its own budget: what is over that is said there.
    """
    budgets, scrape = context.budgets, context.scrape
    spent = [
        min(family.series_count - context.drifted.get(name, 0), budget.max_series)
        for family in scrape.families
        if (budget := budgets.metrics.get(name := context.metric_name(family)))
    ]
    if sum(spent) > budgets.max_series:
        said = f"{len(spent)} metrics have {sum(spent)} series, {budgets.source} allows {budgets.max_series}"
    elif context.known and scrape.sample_count > context.registry.sample_limit:
        said = f"{scrape.sample_count} samples, the generated scrape limit is {context.registry.sample_limit}"
    else:
        return
    largest = sorted(scrape.families, key=lambda family: (-family.series_count, family.name))[:3]
    shown = ", ".join(f"`{family.name}` {family.series_count}" for family in largest)
    yield hit(f"{said}; the largest are {shown}", Place(), remedy=DOC.remedy, subject="*")


CHECK = Check(DOC, find)
