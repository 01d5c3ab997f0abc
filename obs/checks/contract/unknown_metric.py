"""OBS202: a metric claims the registry's prefix and is not in the registry."""

from __future__ import annotations

from collections.abc import Iterator

from obs.checks.check import Check, Hit, hit
from obs.checks.context import Context
from obs.checks.places import of_family
from obs.documents.suggest import nearest
from obs.model.check import CheckDoc
from obs.model.finding import Severity

DOC = CheckDoc(
    code="OBS202",
    slug="unknown-metric",
    category="contract",
    severity=Severity.ERROR,
    summary="A metric has the registry's prefix and is not in the registry.",
    why=(
        "The registry is frozen: what is not in it has no board, no alert and no budget, and the name may come to mean "
        "something else in the next minor. A producer adds it to the registry first. A consumer only notes it, as "
        "minors add metrics (laws L1 and L3)."
    ),
    bad=(
        "# HELP agent_ready Ready.\n# TYPE agent_ready gauge\nagent_ready 1\n"
        "# HELP agent_pressure_level Pressure.\n# TYPE agent_pressure_level gauge\nagent_pressure_level 0\n"
    ),
    good=(
        "# HELP agent_ready Ready.\n# TYPE agent_ready gauge\nagent_ready 1\n"
        "# HELP acme_pressure_level Pressure.\n# TYPE acme_pressure_level gauge\nacme_pressure_level 0\n"
    ),
    remedy="Add the metric to the registry, or give it another prefix; use a registry of the same minor.",
)

_HINTED = 100
"""Strangers for which the nearest metric is looked up; who has more of them knows that they are not misspelt."""


def find(context: Context) -> Iterator[Hit]:
    """Yield each stranger that does not look like a misspelt metric."""
    schema = context.registry.schema_version
    strangers = (family for family in context.strangers if family.name not in context.near_misses)
    for number, family in enumerate(strangers):
        message = f"`{family.name}` is not in the registry (metrics_schema {schema})"
        near = nearest(context.metric_name(family), context.registry.by_name) if number < _HINTED else ""
        hint = f"; the nearest metric is `{near}`" if near else ""
        remedy = f"add it to the registry or drop the prefix `{context.registry.prefix}`{hint}"
        place = of_family(context.scrape, family)
        yield hit(message, place, remedy=remedy, subject=context.metric_name(family))


CHECK = Check(DOC, find, consumer=Severity.INFO)
