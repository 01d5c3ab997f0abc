"""OBS201: a metric has another type than the registry says."""

from __future__ import annotations

from collections.abc import Iterator

from obs.checks.check import Check, Hit, hit
from obs.checks.context import Context
from obs.checks.places import of_type
from obs.exposition import MetricType
from obs.model.check import CheckDoc
from obs.model.finding import Severity

DOC = CheckDoc(
    code="OBS201",
    slug="wrong-type",
    category="contract",
    severity=Severity.ERROR,
    summary="A metric of the registry has another type, or none.",
    why=(
        "The type decides how a series is asked for: a counter is rated, a gauge is not. Rules and boards are "
        "generated for the registry's type, so a metric of another type gives wrong numbers without an error anywhere."
    ),
    bad=(
        "# HELP agent_loop_steps_total Steps.\n"
        "# TYPE agent_loop_steps_total gauge\n"
        "agent_loop_steps_total 7\n"
    ),
    good=(
        "# HELP agent_loop_steps_total Steps.\n"
        "# TYPE agent_loop_steps_total counter\n"
        "agent_loop_steps_total 7\n"
    ),
    remedy="Write the type of the registry on the TYPE line.",
)

_NONE = {MetricType.UNTYPED, MetricType.UNKNOWN}


def find(context: Context) -> Iterator[Hit]:
    """Yield each metric whose TYPE differs, without the labels and values that follow from it."""
    for metric, family in context.metrics:
        untold = not family.type_line and not family.blocks  # a HELP line alone says nothing of the type
        if family.kind.value == metric.kind.value or untold:
            continue
        has = "has no TYPE" if family.kind in _NONE and not family.type_line else f"is a {family.kind.value}"
        message = f"`{metric.name}` {has}, the registry says {metric.kind.value}"
        remedy = f"write `# TYPE {family.name} {metric.kind.value}` before its samples"
        yield hit(message, of_type(context.scrape, family), remedy=remedy, subject=metric.name)


CHECK = Check(DOC, find)
