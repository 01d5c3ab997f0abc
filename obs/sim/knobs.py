"""The knobs that a search turns, the values it tries, and a ScaledObject with them set."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from obs.sim.signal import metrics_of, reads_pods
from obs.sim.why import number

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from obs.sim.keda import ScaledObject


class UpPolicy(NamedTuple):
    """A scale-up: so many per cent and so many pods, whichever is more, in any `period` seconds."""

    percent: int
    pods: int
    period: int

    def __str__(self) -> str:
        return f"{self.percent}%|{self.pods}pods/{self.period}s"


@dataclass(frozen=True, slots=True)
class Knobs:
    """One point of the search; times in seconds. `target` multiplies the thresholds it applies to."""

    target: float
    up: UpPolicy
    down_window: int
    down_percent: int
    minimum: int
    poll: int
    cooldown: int


NAMES = tuple(field.name for field in fields(Knobs))


@dataclass(frozen=True, slots=True)
class Space:
    """The values that each knob may take, in order."""

    values: Mapping[str, tuple[Any, ...]]

    def neighbours(self, knobs: Knobs) -> Iterator[Knobs]:
        """Yield the points that differ by one step of one knob."""
        for name in NAMES:
            values = self.values[name]
            here = values.index(getattr(knobs, name))
            for step in (here - 1, here + 1):
                if 0 <= step < len(values):
                    yield replace(knobs, **{name: values[step]})

    def along(self, knobs: Knobs, name: str) -> Iterator[Knobs]:
        """Yield the points that differ in the knob `name` alone, `knobs` included."""
        for value in self.values[name]:
            yield replace(knobs, **{name: value})

    def size(self) -> int:
        """Return how many points there are."""
        size = 1
        for values in self.values.values():
            size *= len(values)
        return size


UPS = (UpPolicy(50, 2, 60), UpPolicy(100, 4, 15), UpPolicy(100, 10, 30), UpPolicy(300, 20, 15))


def space_of(scaled: ScaledObject) -> Space:
    """Return what is tried for `scaled`: a fleet that wakes by its own pods' metrics keeps at least one."""
    wakes = any(not reads_pods(trigger.signal) for trigger in scaled.triggers)
    floors = {0, 1, 2} if wakes else {1, 2}
    floors.add(scaled.minimum if wakes else max(1, scaled.minimum))
    return Space(
        {
            "target": (0.5, 1.0, 2.0, 3.0, 4.0) if _counting(scaled) else (0.7, 0.85, 1.0, 1.15, 1.3),
            "up": UPS,
            "down_window": (120, 300, 600, 1200),
            "down_percent": (10, 25, 50, 100),
            "minimum": tuple(sorted(floors)),
            "poll": (5, 15, 30),
            "cooldown": (120, 300, 900),
        }
    )


def _counting(scaled: ScaledObject) -> tuple[int, ...]:
    """Return the triggers that count items, whose natural target is a multiple of what a pod works on at once."""
    return tuple(
        index
        for index, trigger in enumerate(scaled.triggers)
        if not {"agent_saturation", "agent_reaction_lag_ms"} & set(metrics_of(trigger.signal))
    )


def turned(document: Mapping[str, Any], scaled: ScaledObject, knobs: Knobs, capacity: int) -> dict[str, Any]:
    """Return a copy of the document, which reads as `scaled`, with the knobs set.

    Thresholds of triggers that count items become `target` times `capacity`; without such a trigger every
    threshold is multiplied by `target`.
    """
    copy: dict[str, Any] = deepcopy(dict(document))
    spec = copy["spec"]
    spec["minReplicaCount"] = knobs.minimum
    spec["maxReplicaCount"] = max(scaled.maximum, knobs.minimum)
    spec["pollingInterval"] = knobs.poll
    spec["cooldownPeriod"] = knobs.cooldown
    counting = _counting(scaled)
    for index, trigger in enumerate(spec["triggers"]):
        if index in counting:
            trigger["metadata"]["threshold"] = number(knobs.target * capacity)
        elif not counting:
            trigger["metadata"]["threshold"] = number(knobs.target * scaled.triggers[index].threshold)
    config = spec.setdefault("advanced", {}).setdefault("horizontalPodAutoscalerConfig", {})
    config["behavior"] = _behavior(knobs)
    return copy


def _behavior(knobs: Knobs) -> dict[str, Any]:
    up = knobs.up
    return {
        "scaleUp": {
            "stabilizationWindowSeconds": 0,
            "selectPolicy": "Max",
            "policies": [
                {"type": "Percent", "value": up.percent, "periodSeconds": up.period},
                {"type": "Pods", "value": up.pods, "periodSeconds": up.period},
            ],
        },
        "scaleDown": {
            "stabilizationWindowSeconds": knobs.down_window,
            "selectPolicy": "Max",
            "policies": [{"type": "Percent", "value": knobs.down_percent, "periodSeconds": 60}],
        },
    }
