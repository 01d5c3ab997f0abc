"""OBS507: the configuration generation fell while the process went on."""

from __future__ import annotations

from collections.abc import Iterator

from obs.checks.check import Check, Hit, hit
from obs.checks.context import Context
from obs.checks.live.example import BESIDE
from obs.checks.live.look import GENERATION
from obs.checks.live.series_text import place_of
from obs.model.check import CheckDoc
from obs.model.finding import Severity

DOC = CheckDoc(
    code="OBS507",
    slug="generation-decrease",
    category="live",
    severity=Severity.ERROR,
    summary="The configuration generation is lower than a scrape before, and the process was not started anew.",
    why=(
        "The generation grows by one with each configuration that is applied, and a fleet is in step when all agents "
        "show the same. One that goes back says that an old configuration is in force, or that the number means "
        "nothing. The finding is kept for 20 scrapes."
    ),
    bad=(BESIDE + "agent_config_generation 4 4 4 4 3 3\n"),
    good=(BESIDE + "agent_config_generation 4 4 4 4 5 5\n"),
    remedy="Only ever raise it while the process lives; a configuration taken back is a new generation too.",
)


def find(context: Context) -> Iterator[Hit]:
    """Yield one hit for the last time it went back."""
    trail = context.trail
    if trail is None or not trail.sunken:
        return
    _, before, now = trail.sunken[-1]
    name = context.registry.prefix + GENERATION
    message = f"`{name}` went back from {before:g} to {now:g}, and the process was not restarted"
    yield hit(message, place_of(context.scrape, trail.look, (name, ())), remedy=DOC.remedy, subject=name)


CHECK = Check(DOC, find)
