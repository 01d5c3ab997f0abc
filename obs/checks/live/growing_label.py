"""OBS505: a label keeps gaining values."""

from __future__ import annotations

from collections.abc import Iterator

from obs.checks.check import Check, Hit, hit
from obs.checks.context import Context
from obs.checks.live.example import BESIDE
from obs.checks.places import Place, of_family
from obs.checks.values import quoted
from obs.model.check import CheckDoc
from obs.model.finding import Severity

DOC = CheckDoc(
    code="OBS505",
    slug="growing-label",
    category="live",
    severity=Severity.WARNING,
    summary="A label that the registry does not bound gains values scrape after scrape.",
    why=(
        "How many values a label has says little; that it keeps gaining them says that nothing bounds it. Found here "
        "it costs a few dozen series, found by the server it costs its memory."
    ),
    bad=(
        BESIDE + 'agent_runs_total{id="a"} 1 1 1 1 1\nagent_runs_total{id="b"} - 1 1 1 1\n'
        'agent_runs_total{id="c"} - - 1 1 1\nagent_runs_total{id="d"} - - - 1 1\n'
    ),
    good=(BESIDE + 'agent_runs_total{id="a"} 1 1 1 1 1\nagent_runs_total{id="b"} 1 1 1 1 1\n'),
    remedy="Find out what bounds the label; where nothing does, drop it.",
)

ENOUGH = 3
"""Looks in which a label gained values: lazily made series of a bounded label come in one or two."""


def find(context: Context) -> Iterator[Hit]:
    """Yield each label that gained values in several looks of one process."""
    trail = context.trail
    for (name, label), growth in trail.growth.items() if trail else ():
        if growth.steps < ENOUGH:
            continue
        message = f"`{label}` of `{name}` has grown from {growth.first} to {growth.last} values in {growth.steps} steps"
        family = context.scrape.by_name.get(name)
        values = sorted(family.distinct(label)) if family else []
        shown = f", among them {quoted(values[-1])}" if values else ""
        place = of_family(context.scrape, family) if family else Place()
        yield hit(message + shown, place, remedy=DOC.remedy, subject=name)


CHECK = Check(DOC, find)
