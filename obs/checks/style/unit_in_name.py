"""OBS409: a name has a unit that is not a base unit."""

from __future__ import annotations

from collections.abc import Iterator
from types import MappingProxyType

from obs.checks.check import Check, Hit, hit
from obs.checks.context import Context
from obs.checks.places import of_family
from obs.model.check import CheckDoc
from obs.model.finding import Severity

DOC = CheckDoc(
    code="OBS409",
    slug="unit-in-name",
    category="style",
    severity=Severity.WARNING,
    summary="The name of a metric contains a unit that is abbreviated or not a base unit.",
    why=(
        "With base units (seconds, bytes, ratio) everywhere, expressions combine series without conversion and a board "
        "picks the scale. An abbreviation is read differently by different people."
    ),
    bad=("# HELP acme_wait_ms What it is.\n# TYPE acme_wait_ms gauge\nacme_wait_ms 1\n"),
    good=("# HELP acme_wait_seconds What it is.\n# TYPE acme_wait_seconds gauge\nacme_wait_seconds 1\n"),
    remedy="Use the base unit, written out.",
)

_SECONDS = (
    "milliseconds",
    "microseconds",
    "nanoseconds",
    "minutes",
    "hours",
    "days",
    "ms",
    "us",
    "ns",
    "sec",
    "secs",
)
_BYTES = (
    "kilobytes",
    "megabytes",
    "gigabytes",
    "kibibytes",
    "mebibytes",
    "gibibytes",
    "kb",
    "mb",
    "gb",
    "tb",
    "bits",
)
_OTHERS = {
    "percent": "ratio",
    "celcius": "celsius",
    "fahrenheit": "celsius",
    "kilometers": "meters",
    "millivolts": "volts",
    "milliamperes": "amperes",
    "kilograms": "grams",
    "kilojoules": "joules",
}
_BASE = MappingProxyType({**dict.fromkeys(_SECONDS, "seconds"), **dict.fromkeys(_BYTES, "bytes"), **_OTHERS})


def find(context: Context) -> Iterator[Hit]:
    """Yield each family whose name has such a word."""
    for family in context.outsiders:
        word = next((word for word in family.name.lower().split("_") if word in _BASE), "")
        if word:
            message = f"`{family.name}` is in `{word}`"
            place = of_family(context.scrape, family)
            remedy = f"use the base unit `{_BASE[word]}`"
            yield hit(message, place, remedy=remedy, subject=family.name)


CHECK = Check(DOC, find)
