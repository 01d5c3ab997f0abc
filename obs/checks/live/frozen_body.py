"""OBS506: nothing changes while the agent says that it works."""

from __future__ import annotations

from collections.abc import Iterator

from obs.checks.check import Check, Hit, hit
from obs.checks.context import Context
from obs.checks.live.example import ALONE
from obs.checks.live.look import Look
from obs.checks.live.series_text import named
from obs.checks.places import of_number
from obs.model.check import CheckDoc
from obs.model.finding import Severity

DOC = CheckDoc(
    code="OBS506",
    slug="frozen-body",
    category="live",
    severity=Severity.WARNING,
    summary="No number has changed for 20 scrapes, and the agent says that it is at work.",
    why=(
        "An exporter that serves a cached body, or whose agent hangs, looks healthy: it answers and every value is "
        "plausible. Work moves at least one counter or level; when nothing moves, what is shown is not the present."
    ),
    bad=(ALONE + f"agent_inflight_reactions {' '.join(['2'] * 21)}\n"),
    good=(ALONE + f"agent_inflight_reactions {' '.join(['0'] * 21)}\n"),
    remedy="Render the body when it is asked for; look for a run that hangs (agent_reactor_stalls_total).",
)

ENOUGH = 20
"""Looks without a change, five minutes at the usual interval: longer than one call to a model may take."""


def find(context: Context) -> Iterator[Hit]:
    """Yield one hit at the level that says that the agent works."""
    trail = context.trail
    if trail is None or trail.alike < ENOUGH:
        return
    at = _working(trail.look)
    key, line = trail.look.layout.keys[at], trail.look.layout.lines[at]
    message = f"no number has changed for {trail.alike} scrapes, although `{named(key)}` is {trail.look.values[at]:g}"
    yield hit(message, of_number(context.scrape, line), remedy=DOC.remedy, subject=key[0])


def _working(look: Look) -> int:
    return next(at for at in look.layout.working if look.values[at] > 0)


CHECK = Check(DOC, find)
