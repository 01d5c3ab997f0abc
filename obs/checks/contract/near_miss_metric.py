"""OBS217: a name is almost that of a metric which is absent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

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

_SIMILAR = 0.84
"""Share of equal characters, prefix aside, from which on two names are taken for one.

`run_total` and `runs_total` are above it, `claims_granted_total` and `claims_released_total` below.
"""


def near_misses(context: Context) -> Mapping[str, str]:
    """Return the strangers that are taken for an absent metric, each with the metric's name."""
    absent = {name for name in context.registry.by_name if name not in context.known}
    aliases = {alias: metric.name for metric in context.registry.metrics for alias in metric.aliases}
    found = {}
    for family in context.strangers:
        name = context.metric_name(family)
        near = aliases.get(name) or _nearest(name, absent, len(context.registry.prefix))
        if near in absent:
            found[family.name] = near
            absent.discard(near)
    return found


def _nearest(name: str, absent: set[str], prefix: int) -> str:
    from difflib import SequenceMatcher  # noqa: PLC0415 - a body without strangers does not pay for it

    local = name[prefix:]
    if name + "_total" in absent:
        return name + "_total"
    best, score = "", _SIMILAR
    for known in sorted(absent):
        matcher = SequenceMatcher(None, local, known[prefix:])
        if matcher.real_quick_ratio() > score and matcher.quick_ratio() > score and matcher.ratio() > score:
            best, score = known, matcher.ratio()
    return best


def find(context: Context) -> Iterator[Hit]:
    """Yield each stranger with the metric it should be."""
    misses = near_misses(context)
    for family in context.strangers:
        wanted = misses.get(family.name)
        if wanted is None:
            continue
        message = f"`{family.name}` is not in the registry and `{wanted}` is absent"
        remedy = f"did you mean `{wanted}`?"
        yield hit(message, of_family(context.scrape, family), remedy=remedy, subject=wanted)


CHECK = Check(DOC, find, consumer=Severity.WARNING)
