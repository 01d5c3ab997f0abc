"""OBS205: a sample has another label in place of its metric's."""

from __future__ import annotations

from collections.abc import Iterator

from obs.checks.check import Check, Hit, hit
from obs.checks.context import Context
from obs.checks.contract.label_keys import mismatches
from obs.checks.places import of_label
from obs.model.check import CheckDoc
from obs.model.finding import Severity

DOC = CheckDoc(
    code="OBS205",
    slug="renamed-label",
    category="contract",
    severity=Severity.ERROR,
    summary="A sample has an unknown label in place of one that its metric has.",
    why=(
        "The dimension is there under another name, so that everything which selects by the name of the registry finds "
        "nothing. It is one defect, and reported as one."
    ),
    bad=(
        "# HELP agent_tokens_total Tokens.\n# TYPE agent_tokens_total counter\n"
        'agent_tokens_total{direction="input"} 1000\nagent_tokens_total{direction="output"} 200\n'
    ),
    good=(
        "# HELP agent_tokens_total Tokens.\n# TYPE agent_tokens_total counter\n"
        'agent_tokens_total{type="in"} 1000\nagent_tokens_total{type="out"} 200\n'
    ),
    remedy="Use the label of the registry and its values.",
)


def find(context: Context) -> Iterator[Hit]:
    """Yield each metric with samples that lack labels and have others."""
    for one in mismatches(context):
        if not one.missing or not one.extra:
            continue
        has = ", ".join(f"`{key}`" for key in one.extra)
        lacks = ", ".join(f"`{key}`" for key in one.missing)
        message = f"`{one.metric.name}` has the label {has}, which is not in the registry, and lacks {lacks}"
        label = one.metric.label(one.missing[0])
        values = ", ".join(f"`{value}`" for value in label.domain.values) if label else ""
        remedy = f"did you mean `{one.missing[0]}`?" + (f" its values are {values}" if values else "")
        place = of_label(context.scrape, one.line, one.extra[0])
        yield hit(message, place, remedy=remedy, subject=one.metric.name, count=one.count)


CHECK = Check(DOC, find)
