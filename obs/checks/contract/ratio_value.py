"""OBS208: a ratio is outside 0 to 1."""

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
    code="OBS208",
    slug="ratio-value",
    category="contract",
    severity=Severity.ERROR,
    summary="A ratio is outside 0 to 1.",
    why=(
        "Scalers and alerts compare the ratio with targets such as 0.7. A percentage makes a fleet grow to its maximum."
    ),
    bad=("# HELP agent_saturation What it is.\n# TYPE agent_saturation gauge\nagent_saturation 73\n"),
    good=("# HELP agent_saturation What it is.\n# TYPE agent_saturation gauge\nagent_saturation 0.73\n"),
    remedy="Write a number from 0 to 1; divide a percentage by 100.",
)

_RULES = frozenset({ValueRule.RATIO})


def _allowed(value: float) -> bool:
    return 0 <= value <= 1


def find(context: Context) -> Iterator[Hit]:
    """Yield each sample with such a value."""
    for metric, value, line in breaking(context, _RULES, _allowed):
        message = f"`{metric.name}` is {value:g}, a ratio is from 0 to 1"
        yield hit(message, of_number(context.scrape, line), remedy=DOC.remedy, subject=metric.name)


CHECK = Check(DOC, find)
