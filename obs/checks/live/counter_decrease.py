"""OBS501: a counter fell while its process went on."""

from __future__ import annotations

from collections.abc import Iterator

from obs.checks.check import Check, Hit, hit
from obs.checks.context import Context
from obs.checks.live.example import BESIDE
from obs.checks.live.look import SeriesKey
from obs.checks.live.series_text import named, place_of
from obs.checks.live.trail import Fall
from obs.model.check import CheckDoc
from obs.model.finding import Severity

DOC = CheckDoc(
    code="OBS501",
    slug="counter-decrease",
    category="live",
    severity=Severity.ERROR,
    summary="A counter is lower than a scrape before, and the process was not started anew.",
    why=(
        "`rate` and `increase` take every fall of a counter for a restart and add what it has counted since: one "
        "lowered counter becomes a burst of events that never happened. A real restart lowers all counters at once; "
        "this finding is about a few that fell while the others went on. It is kept for 20 scrapes."
    ),
    bad=(BESIDE + "agent_runs_total 100 101 102 103 60 61\n"),
    good=(BESIDE + "agent_runs_total 100 101 102 103 104 105\n"),
    remedy="Only ever add to a counter; if it mirrors a level that can fall, make it a gauge.",
)


def find(context: Context) -> Iterator[Hit]:
    """Yield each counter that fell, once, with the deepest of its falls."""
    trail = context.trail
    if trail is None:
        return
    deepest: dict[SeriesKey, Fall] = {}
    for fall in trail.falls:
        known = deepest.get(fall.key)
        if known is None or fall.before - fall.now > known.before - known.now:
            deepest[fall.key] = fall
    for key, fall in deepest.items():
        ago = trail.looks - fall.look
        when = "since the last scrape" if ago == 0 else f"{ago} scrapes ago"
        message = f"`{named(key)}` fell from {fall.before:g} to {fall.now:g} {when}, and the process was not restarted"
        yield hit(message, place_of(context.scrape, trail.look, key), remedy=DOC.remedy, subject=key[0])


CHECK = Check(DOC, find)
