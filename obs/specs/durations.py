"""Durations as people write them (`15s`, `5m`, `1h`, `2d`) and as numbers of seconds."""

from __future__ import annotations

_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


def seconds(text: str) -> int:
    """Return the seconds in `text`, a whole number and one unit; raise ValueError on anything else."""
    if len(text) < 2 or text[-1] not in _SECONDS or not text[:-1].isdecimal():
        raise ValueError(f"`{text}` is not a duration such as 15s, 5m, 1h or 2d")
    return int(text[:-1]) * _SECONDS[text[-1]]


def duration(total: float) -> str:
    """Return `total` seconds in the largest unit that keeps it whole: 90 is `90s`, 120 is `2m`."""
    whole = int(total)
    if whole != total:
        return f"{round(total * 1000)}ms"
    for unit in ("d", "h", "m"):
        if whole and whole % _SECONDS[unit] == 0:
            return f"{whole // _SECONDS[unit]}{unit}"
    return f"{whole}s"
