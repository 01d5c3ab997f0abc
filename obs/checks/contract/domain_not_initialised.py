"""OBS212: a closed domain is exposed in part."""

from __future__ import annotations

from collections.abc import Iterator

from obs.checks.check import Check, Hit, hit
from obs.checks.context import Context
from obs.checks.places import of_family
from obs.model.check import CheckDoc
from obs.model.finding import Severity
from obs.model.metric import DomainKind, Presence

DOC = CheckDoc(
    code="OBS212",
    slug="domain-not-initialised",
    category="contract",
    severity=Severity.INFO,
    summary="A metric has series for some values of its closed domain and not for the others.",
    why=(
        "A series that appears with its first event starts at 1, and `rate` and `increase` miss that event. Agents "
        "expose all values of a closed domain from the start, with 0."
    ),
    bad=(
        "# HELP agent_tokens_total Tokens.\n# TYPE agent_tokens_total counter\n"
        'agent_tokens_total{type="in"} 1000\n'
    ),
    good=(
        "# HELP agent_tokens_total Tokens.\n# TYPE agent_tokens_total counter\n"
        'agent_tokens_total{type="in"} 1000\nagent_tokens_total{type="out"} 0\n'
    ),
    remedy="Create the series of all values when the process starts.",
)


def find(context: Context) -> Iterator[Hit]:
    """Yield each metric and label of which some values are there and others are not."""
    if context.scrape.truncated:
        return
    for metric, family in context.metrics:
        if metric.semantics.presence is not Presence.ALWAYS or metric.name in context.unseen:
            continue
        for label in metric.labels:
            seen = family.distinct(label.key)
            lacking = [value for value in label.domain.values if value not in seen]
            if (
                label.domain.kind is DomainKind.CLOSED
                and lacking
                and not seen.isdisjoint(label.domain.values)
            ):
                values = ", ".join(f"`{value}`" for value in lacking)
                message = f"`{metric.name}` has no series for `{label.key}` {values}"
                place = of_family(context.scrape, family)
                yield hit(message, place, remedy=DOC.remedy, subject=metric.name)


CHECK = Check(DOC, find)
