"""The HPA's own test tables, restated as numbers, against the pure functions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from obs.sim.controller import Recommendations
from obs.sim.hpa import (
    DEFAULT_DOWN,
    DEFAULT_UP,
    DOWNSCALE_WINDOW,
    Behavior,
    Bounds,
    Event,
    Policy,
    PolicyKind,
    Rules,
    Select,
    average_value,
    limit_plain,
    limit_rate,
    stabilize,
    value,
)

VECTORS = json.loads((Path(__file__).parent / "hpa_vectors.json").read_text())
NOW = 100_000


def rules(data: dict[str, Any] | None, default: Rules) -> Rules:
    """Read one direction of a vector; None is what the API server fills in."""
    if data is None:
        return default
    policies = tuple(Policy(PolicyKind(kind), amount, period) for kind, amount, period in data["policies"])
    return Rules(policies, Select(data["select"]), data["window"])


def events(rows: list[list[int]]) -> tuple[Event, ...]:
    """Read scale events, oldest first."""
    return tuple(Event(NOW - age, change) for age, change in sorted(rows, reverse=True))


def past(rows: list[list[int]], up_window: int, down_window: int) -> Recommendations:
    """Read recommendations in the order of time."""
    return Recommendations(
        up_window, down_window, [(NOW - age, replicas) for age, replicas in sorted(rows, reverse=True)]
    )


def answer(v: dict[str, Any]) -> tuple[object, ...]:
    """Return what the pure function makes of a vector's input."""
    match v["kind"]:
        case "average_value":
            return tuple(average_value((v["usage"],), v["target"], v["status"], v["down"], v["up"]))
        case "value":
            return tuple(
                value(
                    v["usages"],
                    v["target"],
                    current=v["current"],
                    ready=v["ready"],
                    down=v["down"],
                    up=v["up"],
                )
            )
        case "plain_limit":
            return tuple(limit_plain(v["current"], v["desired"], v["minimum"], v["maximum"]))
        case "plain_window":
            assert v["window"] == DOWNSCALE_WINDOW
            highest = past(v["past"], 0, v["window"] + 1).highest(NOW, v["desired"])
            return (max(v["desired"], highest),)
        case "windows":
            seen = past(v["past"], v["up_window"], v["down_window"])
            desired = v["desired"]
            return (
                stabilize(v["current"], desired, seen.lowest(NOW, desired), seen.highest(NOW, desired))[0],
            )
        case "rate":
            behavior = Behavior(rules(v["up"], DEFAULT_UP), rules(v["down"], DEFAULT_DOWN))
            bounds = Bounds(v["minimum"], v["maximum"], behavior)
            ups, downs = events(v["ups"]), events(v["downs"])
            return tuple(limit_rate(bounds, v["current"], v["desired"], ups=ups, downs=downs, now=NOW))
    raise AssertionError(v["kind"])


def test_there_are_fifty_three() -> None:
    """No vector was lost on the way."""
    assert len(VECTORS) == 53


@pytest.mark.parametrize("v", VECTORS, ids=[f"{i:02d}-{v['kind']}" for i, v in enumerate(VECTORS)])
def test_vector(v: dict[str, Any]) -> None:
    """The function gives the controller's result, and its reason or shown value where the table has one."""
    expected = tuple(v[key] for key in ("replicas", "shown", "reason") if key in v)
    assert answer(v) == expected
