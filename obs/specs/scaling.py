"""Which fleets are scaled, and with which numbers: `registry/scaling.yaml` overridden by `scaling:` of obs.yaml."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from obs.documents.load import Document, Path
from obs.documents.suggest import did_you_mean
from obs.errors import Problem, SpecInvalidError
from obs.model.config import Config, Fleet, Mode, TaskLength, Workload
from obs.promql.build import Matcher, equal
from obs.specs.durations import seconds

HPA_PREFIX = "keda-hpa-"
"""KEDA names the HorizontalPodAutoscaler it makes after the ScaledObject (keda, pkg/../hpa.go getHPAName)."""

SCALED_MODES = (Mode.CLAIM, Mode.REACTIVE)
"""The modes whose replicas are alike, so that an autoscaler may choose their number."""

_DURATIONS = frozenset(
    {"polling_interval", "cooldown", "initial_cooldown", "scale_down_window", "scale_up_window"}
)
_SCALED_PROFILES = tuple(str(mode) for mode in SCALED_MODES)


class ScaledFleet(NamedTuple):
    """A fleet that KEDA scales, under the names its objects and their series have.

    `backlog` selects the coordination server's series of a claim fleet and is empty for a reactive one.
    """

    fleet: Fleet
    scaled_object: str
    hpa: str
    namespace: str
    workload: Workload
    backlog: tuple[Matcher, ...]


def scaled_fleets(config: Config) -> tuple[ScaledFleet, ...]:
    """Return the fleets that get a ScaledObject, in the order of the file."""
    return tuple(
        ScaledFleet(
            fleet=fleet,
            scaled_object=fleet.name,
            hpa=HPA_PREFIX + fleet.name,
            namespace=fleet.namespace,
            workload=fleet.workload,
            backlog=equal(fleet.backlog.matchers) if fleet.backlog and fleet.mode is Mode.CLAIM else (),
        )
        for fleet in config.fleets_of(*SCALED_MODES)
    )


class Knobs(NamedTuple):
    """Every number of a ScaledObject. Times are in seconds; a `target` of 0 means: follow the fleet's capacity.

    `target_per_capacity` is how many items may wait or run for each one that a pod works on; `activation` is what the
    signal must exceed at zero replicas; the fields of scale-up and scale-down are those of the HPA's behaviour.
    """

    target_per_capacity: float
    activation: float
    polling_interval: int
    cooldown: int
    initial_cooldown: int
    fallback_replicas: int
    fallback_failures: int
    scale_up_window: int
    scale_up_percent: int
    scale_up_pods: int
    scale_down_window: int
    scale_down_percent: int
    scale_down_pods: int
    target: float = 0.0
    saturation_target: float = 0.0
    pending_only: bool = False
    metric_type: str = "AverageValue"
    saturation_aggregation: str = ""
    query: str = ""
    signals: tuple[str, ...] = ()


_REQUIRED = Knobs._fields[:13]


class ScalingTable(NamedTuple):
    """The packaged numbers by profile (`claim`, `reactive`) and task length."""

    knobs: Mapping[tuple[str, str], Knobs]

    def of(self, fleet: Fleet) -> Knobs:
        """Return the numbers of a scaled fleet with what the operator set by hand in place."""
        base = self.knobs[str(fleet.mode), str(fleet.task_length)]
        return base._replace(**{name: _value(name, value) for name, value in fleet.overrides.items()})


def read_scaling(document: Document) -> ScalingTable:
    """Return the table of `registry/scaling.yaml`; raise SpecInvalidError with everything that is wrong with it."""
    problems: list[Problem] = []
    knobs: dict[tuple[str, str], Knobs] = {}
    for profile in _SCALED_PROFILES:
        for length in TaskLength:
            path: Path = ("profiles", profile, str(length))
            entry = _at(document.data, path)
            found = list(_mistakes(document, path, entry))
            problems += found
            if not found and isinstance(entry, Mapping):
                numbers = {name: _value(name, entry[name]) for name in _REQUIRED}
                knobs[profile, str(length)] = Knobs(**numbers)
    if problems:
        raise SpecInvalidError(problems)
    return ScalingTable(knobs)


def _at(data: Any, path: Path) -> Any:
    for step in path:
        data = data.get(step) if isinstance(data, Mapping) else None
    return data


def _mistakes(document: Document, path: Path, entry: Any) -> Iterator[Problem]:
    name = ".".join(str(step) for step in path)
    if not isinstance(entry, Mapping):
        yield Problem(document.where(path), f"`{name}` is missing", "give its numbers, one for each knob")
        return
    for key in entry:
        if key not in _REQUIRED:
            yield Problem(document.where((*path, key)), f"unknown key `{key}`", did_you_mean(key, _REQUIRED))
    for key in _REQUIRED:
        if key not in entry:
            yield Problem(document.where(path), f"`{name}` has no `{key}`", "add it")
        elif not _readable(key, entry[key]):
            wanted = "a duration such as 5m" if key in _DURATIONS else "a number from 0 up"
            yield Problem(document.where((*path, key)), f"`{key}: {entry[key]}` is not {wanted}")


def _readable(name: str, value: object) -> bool:
    if name not in _DURATIONS:
        return isinstance(value, int | float) and not isinstance(value, bool) and value >= 0
    try:
        seconds(str(value))
    except ValueError:
        return False
    return True


def _value(name: str, value: object) -> Any:
    if name in _DURATIONS:
        return seconds(str(value))
    return tuple(value) if isinstance(value, list) else value
