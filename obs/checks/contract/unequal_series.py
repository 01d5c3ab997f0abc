"""OBS215: two series that say the same thing differ."""

from __future__ import annotations

from collections.abc import Iterator

from obs.checks.check import Check, Hit, hit
from obs.checks.context import Context
from obs.checks.places import of_number
from obs.exposition import Series
from obs.model.check import CheckDoc
from obs.model.finding import Severity

DOC = CheckDoc(
    code="OBS215",
    slug="unequal-series",
    category="contract",
    severity=Severity.ERROR,
    summary="A legacy series and the stable series it stands for have different values.",
    why=(
        "Both count the same events, so in one scrape they are equal. When they are not, one of them misses events, "
        "and a move from the old name to the new one changes the numbers."
    ),
    bad=(
        "# HELP agent_tokens_input_total Input.\n# TYPE agent_tokens_input_total counter\n"
        "agent_tokens_input_total 900\n"
        "# HELP agent_tokens_total Tokens.\n# TYPE agent_tokens_total counter\n"
        'agent_tokens_total{type="in"} 1000\nagent_tokens_total{type="out"} 200\n'
    ),
    good=(
        "# HELP agent_tokens_input_total Input.\n# TYPE agent_tokens_input_total counter\n"
        "agent_tokens_input_total 1000\n"
        "# HELP agent_tokens_total Tokens.\n# TYPE agent_tokens_total counter\n"
        'agent_tokens_total{type="in"} 1000\nagent_tokens_total{type="out"} 200\n'
    ),
    remedy="Count both at the same place, and render a scrape from one snapshot.",
)


def find(context: Context) -> Iterator[Hit]:
    """Yield each pair of series that should be equal and is not."""
    for metric, _ in context.metrics:
        twin = metric.semantics.equals
        if twin is None:
            continue
        left = _series(context, metric.name, {})
        right = _series(context, twin.metric, dict(twin.labels))
        if left and right and left.value != right.value:
            yield _unequal(context, left, right)


def _series(context: Context, name: str, labels: dict[str, str]) -> Series | None:
    family = context.known.get(name)
    return family.find(labels, name) if family else None


def _unequal(context: Context, left: Series, right: Series) -> Hit:
    shown = ",".join(f'{key}="{value}"' for key, value in right.labels)
    message = f"`{left.name}` is {left.value:g} and `{right.name}{{{shown}}}` is {right.value:g}; they count the same"
    place = of_number(context.scrape, left.line)
    return hit(message, place, remedy=DOC.remedy, subject=left.name, related=(right.line,))


CHECK = Check(DOC, find)
