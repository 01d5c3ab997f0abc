"""OBS508: two counters of the same events drift apart."""

from __future__ import annotations

from collections.abc import Iterator

from obs.checks.check import Check, Hit, hit
from obs.checks.context import Context
from obs.checks.live.example import BESIDE
from obs.checks.live.series_text import named, place_of
from obs.model.check import CheckDoc
from obs.model.finding import Severity

DOC = CheckDoc(
    code="OBS508",
    slug="drifting-twins",
    category="live",
    severity=Severity.ERROR,
    summary="A legacy counter and the stable series it stands for are ever further apart.",
    why=(
        "Both count the same events. A difference in one scrape (OBS215) may be two numbers read a moment apart; a "
        "difference that keeps changing says that one of the two misses events."
    ),
    bad=(BESIDE + 'agent_tokens_input_total 10 20 30 40 50\nagent_tokens_total{type="in"} 10 22 34 46 58\n'),
    good=(BESIDE + 'agent_tokens_input_total 10 20 30 40 50\nagent_tokens_total{type="in"} 10 20 30 40 50\n'),
    remedy="Count both at the same place.",
)

ENOUGH = 3
"""Looks in which the difference changed: a race between two reads does not last."""


def find(context: Context) -> Iterator[Hit]:
    """Yield each pair whose difference changed in several looks of one process."""
    trail = context.trail
    if trail is None:
        return
    for key, (gap, moves) in trail.gaps.items():
        if gap and moves >= ENOUGH:
            apart = f"{abs(gap):g} apart, after {moves} changes of that"
            message = f"`{named(key)}` and the series it stands for are {apart}"
            yield hit(message, place_of(context.scrape, trail.look, key), remedy=DOC.remedy, subject=key[0])


CHECK = Check(DOC, find)
