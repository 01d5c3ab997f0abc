"""OBS502: several processes answer at one address."""

from __future__ import annotations

from collections.abc import Iterator

from obs.checks.check import Check, Hit, hit
from obs.checks.context import Context
from obs.checks.live.example import ALONE
from obs.checks.places import Place
from obs.model.check import CheckDoc
from obs.model.finding import Severity

DOC = CheckDoc(
    code="OBS502",
    slug="several-processes",
    category="live",
    severity=Severity.ERROR,
    summary="The counters jump between those of several processes that answer at one address.",
    why=(
        "Behind a load balancer, or with several workers that share a port, each scrape shows another process. Every "
        "switch looks like a restart, so `rate` counts the same events again and again, and no series can be trusted."
    ),
    bad=(ALONE + "agent_runs_total 100 20 103 22 105 25 109\n"),
    good=(ALONE + "agent_runs_total 100 103 105 0 2 5 6\n"),
    remedy="Scrape each process at an address of its own, or let the workers keep their counters together.",
)

ENOUGH = 3
"""Returns of an earlier process within the window that no series of restarts explains."""


def find(context: Context) -> Iterator[Hit]:
    """Yield one hit when earlier processes keep coming back."""
    trail = context.trail
    if trail is None or len(trail.returns) < ENOUGH:
        return
    message = (
        f"the counters went back to those of an earlier process {len(trail.returns)} times in the last scrapes: "
        "more than one process answers here"
    )
    yield hit(message, Place(), remedy=DOC.remedy, subject=context.registry.prefix + "*")


CHECK = Check(DOC, find)
