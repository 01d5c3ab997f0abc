"""OBS503: a series is gone while its process went on."""

from __future__ import annotations

from collections.abc import Iterator

from obs.checks.check import Check, Hit, hit
from obs.checks.context import Context
from obs.checks.live.example import BESIDE
from obs.checks.live.series_text import named
from obs.checks.places import Place
from obs.model.check import CheckDoc
from obs.model.finding import Severity

DOC = CheckDoc(
    code="OBS503",
    slug="vanished-series",
    category="live",
    severity=Severity.WARNING,
    summary="A series that was exposed is gone, and the process was not started anew.",
    why=(
        "A series that goes away becomes stale in the server: alerts on it resolve as if all were well, and what it "
        "has counted is lost to `increase`. Once exposed, a series stays until the process ends. The finding is kept "
        "for 20 scrapes, or until the series is back."
    ),
    bad=(BESIDE + "agent_runs_total 100 101 102 103 - -\n"),
    good=(BESIDE + "agent_runs_total 100 101 102 103 103 103\n"),
    remedy="Keep exposing it with its last value; let nothing expire series that have been counted.",
)

SHOWN = 3


def find(context: Context) -> Iterator[Hit]:
    """Yield each metric that lost series, with some of them."""
    trail = context.trail
    lost: dict[str, list[str]] = {}
    prefix = context.registry.prefix
    for _, key in trail.gone if trail else ():
        if not key[0].startswith(prefix):
            continue  # what a runtime exposes of its own is no promise of the agent
        lost.setdefault(key[0], []).append(named(key))
    for name, series in lost.items():
        shown = ", ".join(f"`{one}`" for one in series[:SHOWN])
        more = f" and {len(series) - SHOWN} more" if len(series) > SHOWN else ""
        message = f"{shown}{more} of `{name}` vanished while the process went on"
        yield hit(message, Place(), remedy=DOC.remedy, subject=name, count=len(series))


CHECK = Check(DOC, find)
