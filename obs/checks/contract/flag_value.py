"""OBS207: a flag is neither 0 nor 1."""

from __future__ import annotations

from collections.abc import Iterator

from obs.checks.check import Check, Hit, hit
from obs.checks.context import Context
from obs.checks.contract.value_rules import breaking
from obs.checks.places import of_number
from obs.model.check import CheckDoc
from obs.model.finding import Severity
from obs.model.metric import ValueRule

DOC = CheckDoc(
    code="OBS207",
    slug="flag-value",
    category="contract",
    severity=Severity.ERROR,
    summary="A flag (unit `bool`) is neither 0 nor 1.",
    why=(
        "Flags are summed over instances to count those that are up, ready or paused. Any other value makes that count "
        "a number of nothing."
    ),
    bad=("# HELP agent_ready What it is.\n# TYPE agent_ready gauge\nagent_ready 2\n"),
    good=("# HELP agent_ready What it is.\n# TYPE agent_ready gauge\nagent_ready 1\n"),
    remedy="Write 0 or 1.",
)

_RULES = frozenset({ValueRule.FLAG})


def _allowed(value: float) -> bool:
    return value in {0.0, 1.0}


def find(context: Context) -> Iterator[Hit]:
    """Yield each sample with such a value."""
    for metric, value, line in breaking(context, _RULES, _allowed):
        message = f"`{metric.name}` is {value:g}, a flag is 0 or 1"
        yield hit(message, of_number(context.scrape, line), remedy=DOC.remedy, subject=metric.name)


CHECK = Check(DOC, find)
