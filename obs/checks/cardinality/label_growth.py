"""OBS311: a label has gained values since an earlier body."""

from __future__ import annotations

from collections.abc import Iterator

from obs.checks.check import Check, Hit, hit
from obs.checks.context import Context
from obs.checks.places import of_value
from obs.checks.values import first_lines, quoted
from obs.exposition import Family
from obs.model.check import CheckDoc
from obs.model.finding import Severity
from obs.model.metric import DomainKind

DOC = CheckDoc(
    code="OBS311",
    slug="label-growth",
    category="cardinality",
    severity=Severity.WARNING,
    summary="Between two bodies of one target a label gained values.",
    why=(
        "How many values a label has today says little; that it has more of them a minute later says that it is not "
        "bounded. Needs an earlier body: `--before FILE`, or two bodies of one target in order."
    ),
    bad=(
        "$ obs lint --before earlier.txt later.txt\n"
        "==> earlier.txt <==\n"
        "# HELP acme_jobs_total Jobs.\n# TYPE acme_jobs_total counter\n"
        'acme_jobs_total{job_name="import-a"} 1\n'
        "==> later.txt <==\n"
        "# HELP acme_jobs_total Jobs.\n# TYPE acme_jobs_total counter\n"
        'acme_jobs_total{job_name="import-a"} 1\nacme_jobs_total{job_name="import-b"} 1\n'
        'acme_jobs_total{job_name="import-c"} 1\n'
    ),
    good=(
        "$ obs lint --before earlier.txt later.txt\n"
        "==> earlier.txt <==\n"
        "# HELP acme_jobs_total Jobs.\n# TYPE acme_jobs_total counter\n"
        'acme_jobs_total{kind="import"} 1\n'
        "==> later.txt <==\n"
        "# HELP acme_jobs_total Jobs.\n# TYPE acme_jobs_total counter\n"
        'acme_jobs_total{kind="import"} 3\n'
    ),
    remedy="Find out what bounds the label; where nothing does, drop it.",
)

NEW_VALUES = 2
"""New values that count as growth: one may be the first event of its kind."""


def find(context: Context) -> Iterator[Hit]:
    """Yield each label that gained values; those that the registry closes are judged by their domain."""
    if context.previous is None:
        return
    earlier = {family.name: family for family in context.previous.families}
    for family in context.scrape.families:
        before = earlier.get(family.name)
        for label in sorted(family.label_names - {"le", "quantile"}) if before else ():
            if before and not _closed(context, family, label):
                yield from _growth(context, before, family, label)


def _closed(context: Context, family: Family, label: str) -> bool:
    metric = context.registry.by_name.get(context.metric_name(family))
    known = metric.label(label) if metric else None
    return known is not None and known.domain.kind is DomainKind.CLOSED


def _growth(context: Context, before: Family, family: Family, label: str) -> Iterator[Hit]:
    old, new = before.distinct(label), family.distinct(label)
    gained = new - old
    if not old or len(gained) < NEW_VALUES:
        return
    first = first_lines(family, label, gained)
    shown = ", ".join(quoted(value) for value, _ in first[:3])
    message = f"`{label}` of `{family.name}` gained {len(gained)} values ({len(old)} before, {len(new)} now): {shown}"
    place = of_value(context.scrape, first[0][1], label)
    yield hit(message, place, remedy=DOC.remedy, subject=family.name)


CHECK = Check(DOC, find)
