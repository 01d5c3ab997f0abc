"""The sentences of the "why" log: every change of the replicas, told by the rule that made it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from obs.sim.controller import windows
from obs.sim.hpa import Decision, MetricKind, PolicyKind, Reason, Rules

if TYPE_CHECKING:
    from collections.abc import Sequence

    from obs.sim.keda import ScaledObject, Trigger


def number(amount: float) -> str:
    """Return a number without a fraction that says nothing."""
    return f"{amount:.3f}".rstrip("0").rstrip(".")


def activation_text(trigger: Trigger, value: float, replicas: int, *, fallback: bool = False) -> str:
    """Say why KEDA or a push woke the workload."""
    if fallback:
        return f"`{trigger.name}` cannot be read; its fallback is active and wakes the fleet to {replicas}"
    return (
        f"`{trigger.name}` is {number(value)}, above its activation {number(trigger.activation)}; "
        f"wakes the fleet to {replicas}"
    )


def cooldown_text(scaled: ScaledObject, now: int, last_active: int | None, before: int, claimed: int) -> str:
    """Say why KEDA put the workload to sleep, and what was running then."""
    if last_active is None:
        since = f"no trigger was ever active and initialCooldownPeriod {scaled.initial_cooldown}s is over"
    else:
        since = f"no trigger was active for {now - last_active}s, cooldownPeriod is {scaled.cooldown}s"
    level = scaled.minimum if scaled.idle is None else scaled.idle
    running = f"; {claimed} tasks were claimed" if claimed else ""
    return f"{since}; straight from {before} to {level}, the HPA's behavior does not apply{running}"


def hpa_text(scaled: ScaledObject, decision: Decision, usages: Sequence[int | None], before: int) -> str:
    """Say what the metrics asked for and what bounded it."""
    if decision.reason is Reason.ABOVE_MAX:
        return f"{before} replicas are more than maxReplicaCount {scaled.maximum}"
    if decision.reason is Reason.BELOW_MIN:
        return f"{before} replicas are fewer than minReplicaCount {scaled.bounds.minimum}"
    asked = _asked(scaled.triggers[decision.metric], usages[decision.metric], decision.desired)
    bound = _bound(scaled, decision)
    return f"{asked}; {bound}" if bound else asked


def _asked(trigger: Trigger, usage: int | None, desired: int) -> str:
    value = "an unknown value" if usage is None else number(usage / 1000)
    held = "per replica" if trigger.kind is MetricKind.AVERAGE_VALUE else "in all"
    return f"`{trigger.name}` is {value}, target {number(trigger.threshold)} {held}: asks for {desired}"


def _bound(scaled: ScaledObject, decision: Decision) -> str:
    """Name the limit that came between the proposal and the result; nothing where there was none."""
    bounds, replicas = scaled.bounds, decision.replicas
    behavior = bounds.behavior
    up = _policies(behavior.up) if behavior else "twice the replicas, or 4, a sync"
    down = _policies(behavior.down) if behavior else "no policy"
    up_window, down_window = windows(bounds)
    texts = {
        Reason.UP_LIMIT: f"scale-up is limited to {replicas} now ({up})",
        Reason.DOWN_LIMIT: f"scale-down is limited to {replicas} now ({down})",
        Reason.TOO_MANY: f"maxReplicaCount {scaled.maximum} bounds it",
        Reason.TOO_FEW: f"the HPA's minimum {bounds.minimum} bounds it",
        Reason.STABILIZED_UP: f"the lowest proposal of the last {up_window}s holds it at {replicas}",
        Reason.STABILIZED_DOWN: f"the highest proposal of the last {down_window}s holds it at {replicas}",
    }
    return texts.get(decision.reason, "")


def _policies(rules: Rules) -> str:
    unit = {PolicyKind.PODS: " pods", PolicyKind.PERCENT: "%"}
    each = [f"{policy.value}{unit[policy.kind]}/{policy.period}s" for policy in rules.policies]
    return f"{rules.select} of {', '.join(each)}" if len(each) > 1 else "".join(each)
