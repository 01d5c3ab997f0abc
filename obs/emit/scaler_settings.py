"""Settings of obs.yaml that would do nothing: each is a misunderstanding, so each is refused and not dropped."""

from __future__ import annotations

from collections.abc import Iterator

from obs.errors import Problem
from obs.model.config import Fleet, Mode, ScalerKind
from obs.specs.sources import Sources

_ONLY_FROM_ZERO = ("activation", "polling_interval", "cooldown", "initial_cooldown")
_ONLY_IN_POD = ("signals", "saturation_target", "saturation_aggregation")


def without_effect(sources: Sources, fleet: Fleet) -> Iterator[Problem]:
    """Yield what stands under a scaled fleet and nothing reads, with the reason (rule K032)."""
    for key, reason, remedy in _ignored(fleet):
        path = (*fleet.path, *key)
        name = ".".join(key)
        yield Problem(
            sources.config_document.where(path),
            f"K032: fleet `{fleet.name}`, `{name}` has no effect: {reason}",
            remedy,
        )


def _ignored(fleet: Fleet) -> Iterator[tuple[tuple[str, ...], str, str]]:
    if fleet.external is not None and fleet.scaler is ScalerKind.PROMETHEUS:
        yield ("external",), "`scaler` is prometheus", "say `scaler: external-push`, or drop it"
    if fleet.min_replicas > 0:
        for key in _set(fleet, _ONLY_FROM_ZERO):
            yield (
                ("scaling", key),
                f"it belongs to the step from zero, and `replicas.min` is {fleet.min_replicas}",
                "drop it; `scale_down_window` delays scaling down",
            )
    if fleet.mode is Mode.CLAIM or "query" in fleet.overrides:
        for key in _set(fleet, _ONLY_IN_POD):
            scaled_on = "its `query`" if "query" in fleet.overrides else "its backlog"
            yield ("scaling", key), f"the fleet is scaled on {scaled_on}", "drop it"
    if "query" in fleet.overrides and "pending_only" in fleet.overrides:
        yield ("scaling", "pending_only"), "the fleet is scaled on its `query`", "drop it"


def _set(fleet: Fleet, keys: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(key for key in keys if key in fleet.overrides)
