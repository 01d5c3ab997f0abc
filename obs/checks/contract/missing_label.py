"""OBS203: a sample lacks a label of its metric."""

from __future__ import annotations

from collections.abc import Iterator

from obs.checks.check import Check, Hit, hit
from obs.checks.context import Context
from obs.checks.contract.label_keys import mismatches
from obs.checks.places import of_name
from obs.model.check import CheckDoc
from obs.model.finding import Severity

DOC = CheckDoc(
    code="OBS203",
    slug="missing-label",
    category="contract",
    severity=Severity.ERROR,
    summary="A sample lacks a label that its metric has in the registry.",
    why=(
        "Expressions select and group by the label. A series without it falls out of every selection, and is counted "
        "twice where somebody sums over all of them. A label with an empty value is no label."
    ),
    bad=("# HELP agent_tokens_total Tokens.\n# TYPE agent_tokens_total counter\nagent_tokens_total 1200\n"),
    good=(
        "# HELP agent_tokens_total Tokens.\n# TYPE agent_tokens_total counter\n"
        'agent_tokens_total{type="in"} 1000\nagent_tokens_total{type="out"} 200\n'
    ),
    remedy="Expose one series for each value of the label.",
)


def find(context: Context) -> Iterator[Hit]:
    """Yield each metric with samples that lack labels and have none in their place."""
    for one in mismatches(context):
        if one.extra or not one.missing:
            continue
        labels = ", ".join(f"`{key}`" for key in one.missing)
        message = f"`{one.metric.name}` lacks the label {labels}"
        remedy = f"its labels are {', '.join(f'`{key}`' for key in one.metric.label_keys)}"
        place = of_name(context.scrape, one.line)
        yield hit(message, place, remedy=remedy, subject=one.metric.name, count=one.count)


CHECK = Check(DOC, find)
