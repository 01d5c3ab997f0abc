"""Durations as people write them, in whole seconds: the simulator's clock."""

from __future__ import annotations

import re
from types import MappingProxyType

_UNITS = MappingProxyType({"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800})
_PART = re.compile(r"(\d+(?:\.\d+)?)([smhdw])")


def seconds(text: str) -> int:
    """Return `90`, `90s`, `1m30s`, `1.5h` or `7d` as seconds; raise ValueError with the reason otherwise."""
    cleaned = text.strip()
    if cleaned.isdecimal():
        return int(cleaned)
    total, position = 0.0, 0
    for part in _PART.finditer(cleaned):
        if part.start() != position:
            break
        total += float(part[1]) * _UNITS[part[2]]
        position = part.end()
    if not cleaned or position != len(cleaned):
        raise ValueError(f"`{text}` is not a duration; write 90s, 1m30s, 2h or 7d")
    if total != int(total):
        raise ValueError(f"`{text}` is not a whole number of seconds, which is the simulator's clock")
    return int(total)


def readable(amount: float) -> str:
    """Return seconds in the two largest units that matter: `45s`, `2m05s`, `3h10m`, `2d04h`, `1h`."""
    whole = round(amount)
    for large, small in (("d", "h"), ("h", "m"), ("m", "s")):
        first, rest = divmod(whole, _UNITS[large])
        if first:
            second = rest // _UNITS[small]
            return f"{first}{large}" + (f"{second:02d}{small}" if second else "")
    return f"{whole}s"
