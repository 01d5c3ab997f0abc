"""From the document that is applied to the ScaledObject that is simulated.

The reader is tolerant of what the simulator does not need and strict about what it does: a field that would
be refused by the API server, or that the model cannot follow, is a problem with its place. All problems
come at once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from types import MappingProxyType
from typing import Any, TypeAlias, TypeVar

from obs.documents.load import Path, json_path
from obs.documents.suggest import did_you_mean
from obs.errors import InvalidInputError, Problem
from obs.sim.hpa import (
    DEFAULT_DOWN,
    DEFAULT_UP,
    TOLERANCE,
    Behavior,
    MetricKind,
    Policy,
    PolicyKind,
    Rules,
    Select,
)
from obs.sim.keda import (
    COOLDOWN_PERIOD,
    MAX_REPLICAS,
    POLLING_INTERVAL,
    Fallback,
    Hold,
    Pause,
    ScaledObject,
    Source,
    Trigger,
    milli,
)
from obs.sim.query import PREFIX, QueryError, parse, parse_external
from obs.sim.signal import Constant, Signal

Where: TypeAlias = Callable[[Path], str]

# autoscaling/v2 validation: the longest period of a policy, the longest stabilisation window (seconds).
LONGEST_PERIOD, LONGEST_WINDOW = 1800, 3600

# More pods than this are no fleet but a typing error, and minutes of simulation.
MOST_REPLICAS = 10_000

_Word = TypeVar("_Word", bound=StrEnum)

_PREFIX = "autoscaling.keda.sh/"
_NOTHING: Mapping[str, Any] = MappingProxyType({})


def read(document: object, where: Where = json_path, prefix: str = PREFIX) -> ScaledObject:
    """Return the ScaledObject that `document` describes.

    `where` turns a path into the place that a problem names; `prefix` is that of the registry's metrics. Raises
    InvalidInputError with every problem.
    """
    reader = _Reader(document, where, prefix)
    scaled = reader.scaled_object()
    if reader.problems:
        raise InvalidInputError(reader.problems)
    return scaled


class _Reader:
    """Walks one document and gathers what is wrong with it."""

    def __init__(self, document: object, where: Where, prefix: str) -> None:
        self.document = document
        self.where = where
        self.prefix = prefix
        self.problems: list[Problem] = []

    def scaled_object(self) -> ScaledObject:
        if not isinstance(self.document, Mapping) or self.document.get("kind") != "ScaledObject":
            self.wrong((), "this is not a ScaledObject", "give the file that is applied: kind: ScaledObject")
            return ScaledObject("", ())
        spec = self.mapping(("spec",))
        minimum = self.integer(("spec", "minReplicaCount"), 0, most=MOST_REPLICAS)
        maximum = self.integer(("spec", "maxReplicaCount"), MAX_REPLICAS, least=1, most=MOST_REPLICAS)
        idle = self.integer(("spec", "idleReplicaCount"), 0) if "idleReplicaCount" in spec else None
        if minimum > maximum:
            self.wrong(
                ("spec", "minReplicaCount"),
                f"minReplicaCount {minimum} is more than maxReplicaCount {maximum}",
                "lower the one or raise the other",
            )
        if idle is not None and idle >= max(1, minimum):
            self.wrong(
                ("spec", "idleReplicaCount"),
                f"idleReplicaCount {idle} is not below minReplicaCount {minimum}",
                "remove it or raise minReplicaCount",
            )
        return ScaledObject(
            name=str(self.mapping(("metadata",)).get("name", "")),
            triggers=self.triggers(),
            minimum=minimum,
            maximum=maximum,
            idle=idle,
            polling=self.integer(("spec", "pollingInterval"), POLLING_INTERVAL, least=1),
            cooldown=self.integer(("spec", "cooldownPeriod"), COOLDOWN_PERIOD),
            initial_cooldown=self.integer(("spec", "initialCooldownPeriod"), 0),
            fallback=self.fallback(),
            behavior=self.behavior(),
            pause=self.pause(),
        )

    def triggers(self) -> tuple[Trigger, ...]:
        if self.get(("spec", "advanced", "scalingModifiers", "formula")):
            self.wrong(
                ("spec", "advanced", "scalingModifiers", "formula"),
                "a formula over the triggers is not modelled",
                "put the arithmetic into one query",
            )
        found = self.get(("spec", "triggers"))
        if not isinstance(found, Sequence) or isinstance(found, str) or not found:
            self.wrong(("spec", "triggers"), "there is no trigger", "add at least one")
            return ()
        return tuple(self.trigger(("spec", "triggers", index)) for index in range(len(found)))

    def trigger(self, path: Path) -> Trigger:
        before = len(self.problems)
        source = self.choice((*path, "type"), Source, Source.PROMETHEUS, required=True)
        if len(self.problems) > before:
            return Trigger("", source, Constant(0.0), 1.0)
        kind = self.choice((*path, "metricType"), MetricKind, MetricKind.AVERAGE_VALUE)
        threshold = self.number((*path, "metadata", "threshold"), None)
        if milli(threshold) == 0:
            self.wrong(
                (*path, "metadata", "threshold"),
                f"the threshold {threshold} is 0 in thousandths",
                "make it at least 0.001; the HPA refuses a target of 0",
            )
        return Trigger(
            name=str(self.get((*path, "name")) or f"trigger {path[-1]}"),
            source=source,
            signal=self.signal(path, source),
            threshold=threshold,
            activation=self.number((*path, "metadata", "activationThreshold"), 0.0),
            kind=kind,
            ignore_null=self.boolean((*path, "metadata", "ignoreNullValues"), default=True),
            cached=self.boolean((*path, "useCachedMetrics"), default=False),
        )

    def signal(self, path: Path, source: Source) -> Signal:
        """Infer what a trigger measures from its query, or from what an external scaler is told."""
        key = "query" if source is Source.PROMETHEUS else "signal"
        text = self.get((*path, "metadata", key))
        try:
            if source is Source.PROMETHEUS:
                return parse(str(text or ""), self.prefix)
            return parse_external(str(text or "pending"))
        except QueryError as error:
            self.wrong((*path, "metadata", key), error.message, error.remedy)
            return Constant(0.0)

    def fallback(self) -> Fallback | None:
        path: Path = ("spec", "fallback")
        if self.get(path) is None:
            return None
        return Fallback(
            self.integer((*path, "failureThreshold"), 0),
            self.integer((*path, "replicas"), 0, most=MOST_REPLICAS),
            self.choice((*path, "behavior"), Hold, Hold.STATIC),
        )

    def behavior(self) -> Behavior | None:
        path: Path = ("spec", "advanced", "horizontalPodAutoscalerConfig", "behavior")
        if self.get(path) is None:
            return None
        return Behavior(
            self.rules((*path, "scaleUp"), DEFAULT_UP), self.rules((*path, "scaleDown"), DEFAULT_DOWN)
        )

    def rules(self, path: Path, default: Rules) -> Rules:
        """Read one direction; every field that is absent has the API server's default."""
        if self.get(path) is None:
            return default
        policies = self.get((*path, "policies"))
        read = default.policies
        if isinstance(policies, Sequence) and not isinstance(policies, str) and policies:
            read = tuple(self.policy((*path, "policies", index)) for index in range(len(policies)))
        return Rules(
            read,
            self.choice((*path, "selectPolicy"), Select, default.select),
            self.integer((*path, "stabilizationWindowSeconds"), default.window, most=LONGEST_WINDOW),
            self.number((*path, "tolerance"), TOLERANCE),
        )

    def policy(self, path: Path) -> Policy:
        return Policy(
            self.choice((*path, "type"), PolicyKind, PolicyKind.PODS, required=True),
            self.integer((*path, "value"), None, least=1),
            self.integer((*path, "periodSeconds"), None, least=1, most=LONGEST_PERIOD),
        )

    def pause(self) -> Pause:
        metadata = self.mapping(("metadata",))
        notes = metadata.get("annotations")
        notes = notes if isinstance(notes, Mapping) else _NOTHING
        replicas = None
        if f"{_PREFIX}paused-replicas" in notes:
            replicas = self.integer(
                ("metadata", "annotations", f"{_PREFIX}paused-replicas"), 0, most=MOST_REPLICAS
            )

        def on(word: str) -> bool:
            """KEDA takes any text but a word for false as true."""
            text = str(notes.get(f"{_PREFIX}{word}", "false")).lower()
            return text not in {"false", "f", "0"}

        return Pause(
            on("paused"), replicas, on("paused-scale-in"), on("paused-scale-out"), on("force-activation")
        )

    def get(self, path: Path) -> Any:
        """Return what is at `path`, None where nothing is."""
        node: Any = self.document
        for part in path:
            if isinstance(node, Mapping):
                node = node.get(part)
            elif isinstance(node, Sequence) and not isinstance(node, str) and isinstance(part, int):
                node = node[part]
            else:
                return None
        return node

    def mapping(self, path: Path) -> Mapping[str, Any]:
        node = self.get(path)
        if isinstance(node, Mapping):
            return node
        self.wrong(path, f"`{path[-1]}` is not a mapping", "write its fields below it")
        return _NOTHING

    def integer(self, path: Path, default: int | None, *, least: int = 0, most: int | None = None) -> int:
        node = self.get(path)
        if node is None and default is not None:
            return default
        bounds = f"from {least} up" if most is None else f"from {least} to {most}"
        text = str(node)
        if node is None:
            self.wrong(path, f"`{path[-1]}` is missing", f"write a whole number {bounds}")
        elif isinstance(node, bool) or not text.isdecimal():
            self.wrong(path, f"`{node}` is not a whole number", f"write one {bounds}")
        elif int(text) < least or (most is not None and int(text) > most):
            self.wrong(path, f"{text} is out of range", f"write a whole number {bounds}")
        else:
            return int(text)
        return default or least

    def number(self, path: Path, default: float | None) -> float:
        node = self.get(path)
        if node is None:
            if default is None:
                self.wrong(path, f"`{path[-1]}` is missing", 'write a number in quotes, like "4"')
            return 1.0 if default is None else default
        try:
            amount = float(node)
        except (TypeError, ValueError):
            amount = math.nan
        if isinstance(node, bool) or not math.isfinite(amount) or amount < 0:
            self.wrong(path, f"`{node}` is not a number from 0 up", 'write one in quotes, like "4"')
            return 1.0
        return amount

    def boolean(self, path: Path, *, default: bool) -> bool:
        node = self.get(path)
        return default if node is None else str(node).lower() in {"true", "t", "1"}

    def choice(self, path: Path, words: type[_Word], default: _Word, *, required: bool = False) -> _Word:
        node = self.get(path)
        if node is None and not required:
            return default
        try:
            return words(node)
        except ValueError:
            known = ", ".join(words)
            hint = did_you_mean(str(node), words)
            self.wrong(path, f"`{node}` is not modelled", hint if "mean" in hint else f"use {known}")
            return default

    def wrong(self, path: Path, message: str, remedy: str) -> None:
        self.problems.append(Problem(self.where(path), message, remedy))
