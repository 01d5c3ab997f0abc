"""How the checks across bodies name a series, and where it stands now."""

from __future__ import annotations

from obs.checks.live.look import Look, SeriesKey
from obs.checks.places import Place, of_number
from obs.checks.values import SHOWN
from obs.exposition import Scrape


def named(key: SeriesKey) -> str:
    """Return a series as people write it, its label values cut to a readable length."""
    name, labels = key
    inner = ",".join(f'{label}="{value[:SHOWN]}"' for label, value in labels)
    return f"{name}{{{inner}}}" if inner else name


def place_of(scrape: Scrape, look: Look, key: SeriesKey) -> Place:
    """Return where the number of a series stands in the body at hand; no place when it is not there."""
    if key not in look.layout.keys:
        return Place()
    return of_number(scrape, look.layout.lines[look.layout.keys.index(key)])
