"""OBS206: a label has a value outside its closed domain."""

from __future__ import annotations

from collections.abc import Iterator

from obs.checks.check import Check, Hit, hit
from obs.checks.context import Context
from obs.checks.places import of_value
from obs.checks.values import first_lines
from obs.documents.suggest import nearest
from obs.exposition import Family
from obs.model.check import CheckDoc
from obs.model.finding import Severity
from obs.model.metric import OVERFLOW, DomainKind, Label, Metric

DOC = CheckDoc(
    code="OBS206",
    slug="value-outside-domain",
    category="contract",
    severity=Severity.ERROR,
    summary="A label has a value outside the closed domain of the registry.",
    why=(
        "Boards, alerts and budgets are made for the values of the domain; a series with another one is in no panel "
        "and may be one of many. What does not fit folds into the overflow value `other`. A consumer only notes it, as "
        "minors add values."
    ),
    bad=(
        "# HELP agent_subagent_stuck_kills_total Kills.\n# TYPE agent_subagent_stuck_kills_total counter\n"
        'agent_subagent_stuck_kills_total{signal="kill"} 1\nagent_subagent_stuck_kills_total{signal="term"} 4\n'
        'agent_subagent_stuck_kills_total{signal="other"} 0\nagent_subagent_stuck_kills_total{signal="SIGHUP"} 1\n'
    ),
    good=(
        "# HELP agent_subagent_stuck_kills_total Kills.\n# TYPE agent_subagent_stuck_kills_total counter\n"
        'agent_subagent_stuck_kills_total{signal="kill"} 1\nagent_subagent_stuck_kills_total{signal="term"} 4\n'
        'agent_subagent_stuck_kills_total{signal="other"} 1\n'
    ),
    remedy="Use a value of the domain, or fold it into `other`.",
)


def find(context: Context) -> Iterator[Hit]:
    """Yield each value that a closed domain does not have, where it is first seen."""
    for metric, family in context.metrics:
        for label in metric.labels:
            if label.domain.kind is DomainKind.CLOSED:
                yield from _outside(context, metric, family, label)


def _outside(context: Context, metric: Metric, family: Family, label: Label) -> Iterator[Hit]:
    odd = family.distinct(label.key) - {*label.domain.values, ""}
    for value, line in first_lines(family, label.key, odd):
        size = len(label.domain.values)
        message = f'`{metric.name}` has `{label.key}="{value}"`, which is not one of the {size} values of this label'
        place = of_value(context.scrape, line, label.key)
        yield hit(message, place, remedy=_remedy(value, label.domain.values), subject=metric.name)


def _remedy(value: str, values: tuple[str, ...]) -> str:
    near = nearest(value, values)
    if near:
        return f"did you mean `{near}`?"
    if OVERFLOW in values:
        return f"fold it into `{OVERFLOW}`, or add it to the registry"
    return f"use one of {', '.join(f'`{each}`' for each in values)}"


CHECK = Check(DOC, find, consumer=Severity.INFO)
