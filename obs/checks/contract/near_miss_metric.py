"""OBS217: a name is almost that of a metric which is absent."""

from __future__ import annotations

from collections.abc import Iterator

from obs.checks.check import Check, Hit, hit
from obs.checks.context import Context
from obs.checks.places import of_family
from obs.model.check import CheckDoc
from obs.model.finding import Severity

DOC = CheckDoc(
    code="OBS217",
    slug="near-miss-metric",
    category="contract",
    severity=Severity.ERROR,
    summary="A name that is not in the registry is almost that of a metric which is absent.",
    why=(
        "A misspelt or renamed metric is two defects at once: one series nobody asks for, and one that every board and "
        "alert waits for in vain. It is reported as one finding that names both."
    ),
    bad=(
        "# HELP agent_claims_lost Claims lost.\n# TYPE agent_claims_lost counter\nagent_claims_lost 3\n"
        "# HELP agent_up Up.\n# TYPE agent_up gauge\nagent_up 1\n"
    ),
    good=(
        "# HELP agent_claims_lost_total Claims lost.\n# TYPE agent_claims_lost_total counter\n"
        "agent_claims_lost_total 3\n# HELP agent_up Up.\n# TYPE agent_up gauge\nagent_up 1\n"
    ),
    remedy="Use the name of the registry.",
)


def find(context: Context) -> Iterator[Hit]:
    """Yield each stranger with the metric it should be."""
    for family in context.strangers:
        wanted = context.near_misses.get(family.name)
        if wanted is None:
            continue
        message = f"`{family.name}` is not in the registry and `{wanted}` is absent"
        remedy = f"did you mean `{wanted}`?"
        yield hit(message, of_family(context.scrape, family), remedy=remedy, subject=wanted)


CHECK = Check(DOC, find, consumer=Severity.WARNING)
