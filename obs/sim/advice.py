"""Hints: what a run's figures point at, where the ScaledObject or the pods give the reason."""

from __future__ import annotations

from typing import TYPE_CHECKING

from obs.sim.durations import readable
from obs.sim.signal import metrics_of, reads_pods
from obs.sim.why import number

if TYPE_CHECKING:
    from collections.abc import Iterator

    from obs.sim.keda import ScaledObject
    from obs.sim.outcome import Summary
    from obs.sim.run import Scenario

# The gauges that count work in progress.
IN_PROGRESS = frozenset(
    {
        "agentctl_coordination_claimed",
        "agent_inflight_reactions",
        "agent_saturation",
        "agent_active_subagents",
    }
)

# A fleet that is at its maximum for more than this share of a run is bounded by it.
BOUNDED = 0.05


def advice(scaled: ScaledObject, scenario: Scenario, summary: Summary) -> tuple[str, ...]:
    """Return the hints for one run, the most serious first; none where nothing is amiss."""
    return (
        *_stranded(scaled, summary),
        *_interrupted(scaled, scenario, summary),
        *_bounded(scaled, summary),
    )


def _stranded(scaled: ScaledObject, summary: Summary) -> Iterator[str]:
    if not summary.left or scaled.minimum:
        return
    if all(reads_pods(trigger.signal) for trigger in scaled.triggers):
        yield (
            f"{summary.left} items wait at the end: every trigger reads what pods expose, and at zero there are none; "
            "add a trigger on the backlog, or set minReplicaCount to 1"
        )
    for trigger in scaled.triggers:
        if trigger.activation > 0:
            yield (
                f"{summary.left} items wait at the end: `{trigger.name}` must be above activationThreshold "
                f"{number(trigger.activation)} to wake the fleet; set it to 0"
            )


def _interrupted(scaled: ScaledObject, scenario: Scenario, summary: Summary) -> Iterator[str]:
    if not summary.interrupted:
        return
    workload = scenario.workload
    lived = min(workload.drain, workload.killed_after)
    if lived < workload.longest:
        yield (
            f"{summary.interrupted} tasks were cut off: a removed pod has {readable(lived)}, the longest task takes "
            f"{readable(workload.longest)}; lengthen the drain and terminationGracePeriodSeconds"
        )
    if not any(IN_PROGRESS & set(metrics_of(trigger.signal)) for trigger in scaled.triggers):
        yield (
            "no trigger counts work in progress, so that the fleet shrinks under its tasks; "
            "add max(agentctl_coordination_claimed) to the query"
        )


def _bounded(scaled: ScaledObject, summary: Summary) -> Iterator[str]:
    if summary.slo_misses and summary.at_max > BOUNDED * summary.duration:
        yield (
            f"work waited while the fleet was at maxReplicaCount {scaled.maximum} for {readable(summary.at_max)}; "
            "raise it if that is too long"
        )
