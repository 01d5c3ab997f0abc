"""Series over time, in promtool's notation.

A timeline is a list of stretches, each with a level (of a gauge), a rate (of a counter) or nothing at all. It becomes
`0+0.5x40 20+0x20` with one sample every scrape.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from obs.specs.expressions import Clock

_TERM = re.compile(
    r"\s*(?P<sign>[-+]?)\s*(?:(?P<time>\d+[smhd])\b|(?P<number>\d+(?:\.\d+)?)?\s*\*?\s*(?P<name>[a-z_]+)?)"
    r"\s*(?:/\s*(?P<per>\d+[smhd])\b)?"
)


class FormError(ValueError):
    """The text is not a sum of terms such as `v`, `10*v`, `3`, `v / 1h`."""


@dataclass(frozen=True, slots=True)
class Form:
    """A line through `v`: `slope * v + offset`."""

    slope: float
    offset: float

    def at(self, v: float) -> float:
        """Return the value at `v`."""
        return self.slope * v + self.offset


@dataclass(frozen=True, slots=True)
class Scale:
    """What the words in a form stand for: thresholds by name, and the seconds of windows."""

    clock: Clock
    numbers: Mapping[str, float]


def parse_form(text: str, scale: Scale) -> Form:
    """Return the form in `text`; a duration stands for the seconds of the window of that length.

    Raise FormError when it is not one.
    """
    slope = offset = 0.0
    position = 0
    while position < len(text.rstrip()):
        match = _TERM.match(text, position)
        if (
            match is None
            or match.end() == position
            or not (match["number"] or match["name"] or match["time"])
        ):
            raise FormError(f"`{text}` is not a sum of terms such as `v`, `10*v`, `3` or `v / 1h`")
        if position and not match["sign"]:
            raise FormError(f"`{text}`: a sign is missing between two terms")
        amount = scale.clock.window(match["time"]) if match["time"] else float(match["number"] or 1)
        amount *= -1 if match["sign"] == "-" else 1
        if match["per"]:
            amount /= scale.clock.window(match["per"])
        if match["name"] == "v":
            slope += amount
        elif match["name"] and match["name"] not in scale.numbers:
            raise FormError(f"`{text}`: {match['name']} is neither `v` nor a threshold")
        else:
            offset += amount * scale.numbers.get(match["name"], 1)
        position = match.end()
    if not text.strip():
        raise FormError("an empty form")
    return Form(slope, offset)


@dataclass(frozen=True, slots=True)
class Stretch:
    """A length of time in seconds with one level or rate; None: no samples.

    A counter's value is its rate, a gauge's its level, unless `rising` says otherwise.
    """

    length: float
    value: float | None
    rising: bool | None = None


_WORDS = {"level": False, "rising": True}


def parse_timeline(text: str, scale: Scale) -> tuple[Stretch, ...]:
    """Return the stretches of `1 for 10m, none for 5m, 0`: the last may lack a length and then never ends.

    `level 3` is the value itself even of a counter, `rising 1` a rate even of a gauge; `for scrape` is one sample.

    Raise FormError when it is not a timeline.
    """
    stretches = []
    for part in text.split(","):
        value, _, length = part.strip().partition(" for ")
        word, _, rest = value.strip().partition(" ")
        rising = _WORDS.get(word)
        form = value if rising is None else rest
        number = None if word == "none" else parse_form(form, scale).offset
        lasts = parse_form(length, scale).offset if length else math.inf
        stretches.append(Stretch(lasts, number, rising))
    return tuple(stretches)


def notation(stretches: Iterable[Stretch], *, counter: bool, step: int, end: float) -> str:
    """Return the series in promtool's notation, a sample every `step` seconds up to `end` seconds.

    Of a counter the stretches give the rate each second. Samples that are missing after the first stretch are preceded
    by a staleness marker, as when a target disappears.
    """
    parts: list[str] = []
    position, reached, total = 0.0, 0, 0.0
    last = int(end // step) + 1
    for stretch in stretches:
        position += stretch.length
        until = last if math.isinf(position) else min(round(position / step), last)
        count = until - reached
        if count <= 0:
            continue
        reached = until
        if stretch.value is None:
            parts += _missing(count, stale=bool(parts))
        elif counter if stretch.rising is None else stretch.rising:
            grow = stretch.value * step
            first = total + grow if parts else total
            total = first + grow * (count - 1)
            parts.append(f"{_number(first)}+{_number(grow)}x{count - 1}")
        else:
            total = stretch.value
            parts.append(f"{_number(stretch.value)}+0x{count - 1}")
    return " ".join(parts) or "_"


def _missing(count: int, *, stale: bool) -> list[str]:
    if not stale:
        return [f"_x{count}"]
    return ["stale", *([f"_x{count - 1}"] if count > 1 else [])]


def _number(value: float) -> str:
    text = f"{value:.9f}".rstrip("0").rstrip(".")
    return text if text not in ("-0", "") else "0"
