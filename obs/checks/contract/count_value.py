"""OBS209: a count is not a whole number, or is negative."""

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
    code="OBS209",
    slug="count-value",
    category="contract",
    severity=Severity.ERROR,
    summary="A count is not a whole number from 0 on.",
    why=(
        "Everything but the one ratio is a whole number (contract, section 6.3). A fraction or a negative level is a "
        "sign of another unit or of a lost decrement, and consumers may read the value as an integer."
    ),
    bad=(
        "# HELP agent_pending_events What it is.\n"
        "# TYPE agent_pending_events gauge\n"
        "agent_pending_events -3\n"
    ),
    good=(
        "# HELP agent_pending_events What it is.\n# TYPE agent_pending_events gauge\nagent_pending_events 3\n"
    ),
    remedy="Write a whole number, 0 at the least; check the unit and where the level is lowered.",
)

_RULES = frozenset({ValueRule.COUNT})


def _allowed(value: float) -> bool:
    return value >= 0 and value.is_integer()


def find(context: Context) -> Iterator[Hit]:
    """Yield each sample with such a value."""
    for metric, value, line in breaking(context, _RULES, _allowed):
        message = f"`{metric.name}` is {value:g}, this metric counts in whole numbers from 0 on"
        yield hit(message, of_number(context.scrape, line), remedy=DOC.remedy, subject=metric.name)


CHECK = Check(DOC, find)
