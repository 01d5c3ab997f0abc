"""OBS504: series keep going away."""

from __future__ import annotations

from collections.abc import Iterator

from obs.checks.check import Check, Hit, hit
from obs.checks.context import Context
from obs.checks.live.example import BESIDE
from obs.checks.live.trail import WINDOW
from obs.checks.places import Place
from obs.model.check import CheckDoc
from obs.model.finding import Severity

DOC = CheckDoc(
    code="OBS504",
    slug="label-churn",
    category="live",
    severity=Severity.WARNING,
    summary="Series go away again and again while the process lives.",
    why=(
        "The number of series in one scrape stays small, so no budget notices, but the server keeps every series it "
        "has ever seen for hours. Churn is how a label with an identifier in it fills a server one scrape at a time."
    ),
    bad=(BESIDE + 'agent_runs_total{id="a"} 1 1 1 - 1 - 1 -\n'),
    good=(BESIDE + 'agent_runs_total{status="completed"} 1 2 3 4 5 6 7 8\n'),
    remedy="Take identifiers out of labels, and do not expire series.",
)

ENOUGH = 3
"""Looks with a loss within the window: one is an accident, three are a habit."""


def find(context: Context) -> Iterator[Hit]:
    """Yield one hit when series went in several of the last looks."""
    trail = context.trail
    if trail is None or len(trail.leaving) < ENOUGH:
        return
    message = f"series went away in {len(trail.leaving)} of the last {min(WINDOW, trail.looks)} scrapes"
    names = sorted({key[0] for _, key in trail.gone})
    about = f": {', '.join(f'`{name}`' for name in names[:3])}" if names else ""
    yield hit(message + about, Place(), remedy=DOC.remedy, subject=names[0] if names else "*")


CHECK = Check(DOC, find)
