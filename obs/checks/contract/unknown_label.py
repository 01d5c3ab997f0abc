"""OBS204: a sample has a label that its metric does not have."""

from __future__ import annotations

from collections.abc import Iterator

from obs.checks.check import Check, Hit, hit
from obs.checks.context import Context
from obs.checks.contract.label_keys import mismatches
from obs.checks.places import of_label
from obs.model.check import CheckDoc
from obs.model.finding import Severity

DOC = CheckDoc(
    code="OBS204",
    slug="unknown-label",
    category="contract",
    severity=Severity.ERROR,
    summary="A sample has a label that its metric does not have in the registry.",
    why=(
        "A new label multiplies the series of a metric and takes away the meaning of expressions that expect one "
        "series for each combination of the known ones. Minors add metrics and values, never labels of a metric."
    ),
    bad=(
        "# HELP agent_tokens_total Tokens.\n# TYPE agent_tokens_total counter\n"
        'agent_tokens_total{type="in",model="large"} 1000\nagent_tokens_total{type="out",model="large"} 200\n'
    ),
    good=(
        "# HELP agent_tokens_total Tokens.\n# TYPE agent_tokens_total counter\n"
        'agent_tokens_total{type="in"} 1000\nagent_tokens_total{type="out"} 200\n'
    ),
    remedy="Drop the label, or count it in a metric with a prefix of your own.",
)

_KNOWN_CAUSES = {
    "pid": "the multiprocess mode of the Python client adds `pid` to gauges: choose another `multiprocess_mode`",
}


def find(context: Context) -> Iterator[Hit]:
    """Yield each metric with samples that add labels and lack none."""
    for one in mismatches(context):
        if one.missing or not one.extra:
            continue
        labels = ", ".join(f"`{key}`" for key in one.extra)
        keys = ", ".join(f"`{key}`" for key in one.metric.label_keys)
        allowed = f"its labels are {keys}" if keys else "it has no labels"
        message = f"`{one.metric.name}` has no label {labels} in the registry"
        remedy = _KNOWN_CAUSES.get(one.extra[0], f"drop it, {allowed}")
        place = of_label(context.scrape, one.line, one.extra[0])
        yield hit(message, place, remedy=remedy, subject=one.metric.name, count=one.count)


CHECK = Check(DOC, find)
