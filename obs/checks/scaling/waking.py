"""Rules about going to zero and coming back: what wakes a fleet, and what may put it to sleep."""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite

from obs.checks.scaling.examples import CLAIM, EXTERNAL, REACTIVE, edited, without
from obs.checks.scaling.rule import Facts, Flaw, Rule, page
from obs.checks.scaling.view import RESOURCE, Scaler, Trigger
from obs.model.finding import Severity
from obs.signals import BACKLOG_CLAIMED, BACKLOG_PENDING

KEDA_COOLDOWN = 300
KEDA_POLLING = 30
"""What KEDA takes when the field is not written (keda, scaledobject_types.go), in seconds."""

_ONLY_PENDING = edited(
    CLAIM,
    ("cooldownPeriod: 300", "cooldownPeriod: 900"),
    ('          + max(agentctl_coordination_claimed{service="inbox-coord"})\n', ""),
)


def _from_pods(trigger: Trigger, facts: Facts) -> bool:
    if trigger.kind in RESOURCE:
        return True
    series = trigger.shape.series if trigger.shape else ()
    return bool(series) and all(facts.per_pod(name) for name in series)


def _cannot_wake(scaler: Scaler, facts: Facts) -> Iterator[Flaw]:
    if scaler.minimum > 0 or not scaler.triggers:
        return
    blind = [trigger for trigger in scaler.triggers if _from_pods(trigger, facts)]
    if len(blind) == len(scaler.triggers):
        names = ", ".join(
            sorted(
                {
                    name
                    for trigger in blind
                    for name in (trigger.shape.series if trigger.shape else (trigger.kind,))
                }
            )
        )
        yield Flaw(
            (*scaler.spec, "minReplicaCount"),
            f"`minReplicaCount` is {scaler.minimum} and every trigger reads what only pods expose ({names}): at 0"
            " replicas there is nothing to read, so the fleet never wakes",
            "set `minReplicaCount` to 1 or more, or add a trigger on the coordination server's backlog",
        )
        return
    for trigger in blind:
        if trigger.text("ignoreNullValues", "true") == "false":
            yield Flaw(
                trigger.at("query"),
                f"trigger {trigger.position} reads what only pods expose; at 0 replicas its empty result is an error"
                " for ever, which starts the fallback and wakes the fleet for nothing",
                "drop the trigger, or set `minReplicaCount` to 1 or more",
            )


def blind_to_running_work(scaler: Scaler, facts: Facts) -> Iterator[tuple[Trigger, str, str]]:
    """Yield (trigger, series that counts waiting work, what would count the running work) where nothing does."""
    series = {name for _, shape in scaler.values() for name in shape.series}
    waiting = {
        BACKLOG_PENDING: (BACKLOG_CLAIMED,),
        f"{facts.prefix}pending_events": (f"{facts.prefix}inflight_reactions", f"{facts.prefix}saturation"),
    }
    for trigger, shape in scaler.values():
        for name, running in waiting.items():
            if name in shape.series and not series & set(running):
                yield trigger, name, running[0]
    for trigger in scaler.triggers:
        if (
            trigger.external
            and "coordinationUrl" in trigger.metadata
            and "claimed" not in trigger.text("signal")
        ):
            yield trigger, trigger.text("signal", "pending"), "pending+claimed"


def _in_flight(scaler: Scaler, facts: Facts) -> Iterator[Flaw]:
    for trigger, waiting, running in blind_to_running_work(scaler, facts):
        key = "signal" if trigger.external else "query"
        yield Flaw(
            trigger.at(key),
            f"`{waiting}` counts waiting work only; work that is taken leaves it, and the fleet shrinks under what it"
            " is working on",
            f"set `signal: {running}`" if trigger.external else f"add `{running}` with the same selector",
            Severity.WARNING if trigger.external and "signal" not in trigger.metadata else None,
        )


def _activation(scaler: Scaler, facts: Facts) -> Iterator[Flaw]:
    """Judge every `activation...` entry: each kind of trigger has its own, and all of them compare with `>`."""
    del facts
    for trigger in scaler.triggers if scaler.minimum == 0 else ():
        for key in trigger.metadata if trigger.kind not in RESOURCE else ():
            number = trigger.number(key) if key.startswith("activation") else None
            if number is not None and number > 0:
                yield Flaw(
                    trigger.at(key),
                    f"`{key}` is {number:g} and the fleet may be at 0 replicas: KEDA wakes it above {number:g}, not at"
                    f" it, so {_stranded(number)} can wait for ever",
                    f'set `{key}: "0"`',
                    None if number >= 1 else Severity.WARNING,
                )


def _stranded(number: float) -> str:
    if number < 1:
        return "work of less than one item"
    return "one item" if number < 2 else f"{int(number)} items" if isfinite(number) else "everything"


def _cooldown(scaler: Scaler, facts: Facts) -> Iterator[Flaw]:
    if scaler.minimum > 0:
        return
    cooldown = KEDA_COOLDOWN if scaler.cooldown is None else scaler.cooldown
    polling = KEDA_POLLING if scaler.polling is None else scaler.polling
    lag = 2 * (facts.scrape_interval + polling)
    window = scaler.down.window or 0
    where = (*scaler.spec, "cooldownPeriod")
    if cooldown < lag:
        yield Flaw(
            where,
            f"`cooldownPeriod` is {cooldown} s, less than two scrapes and polls ({lag} s): one late reading takes the"
            " whole fleet to 0, whatever `scaleDown` says",
            f"set it to {max(lag, 120)} or more",
        )
    elif cooldown < window and any(blind_to_running_work(scaler, facts)):
        yield Flaw(
            where,
            f"`cooldownPeriod` is {cooldown} s and the signal does not count running work: KEDA goes from any number of"
            f" replicas to 0 in one step, before the {window} s of `scaleDown` have passed",
            "count running work in the query, or set `cooldownPeriod` above the longest task",
        )


def _fresh(scaler: Scaler, facts: Facts) -> Iterator[Flaw]:
    known = facts.keda is None or facts.keda >= (2, 14)
    if known and scaler.minimum == 0 and not scaler.initial_cooldown:
        yield Flaw(
            (*scaler.spec, "initialCooldownPeriod"),
            "`initialCooldownPeriod` is not set: KEDA's first poll takes a fresh fleet to 0 before its signal exists",
            "set `initialCooldownPeriod: 300`",
        )


RULES = (
    Rule(
        page(
            "K001",
            "cannot-wake",
            Severity.ERROR,
            "A fleet that may be at zero is woken only by series that its own pods expose.",
            """A gauge such as agent_pending_events comes from the pods of the fleet. At zero replicas there
            are no pods, the query is empty, and nothing ever reads a value that would start the first
            one.""",
            bad=edited(REACTIVE, ("minReplicaCount: 2", "minReplicaCount: 0\n  initialCooldownPeriod: 300")),
            good=REACTIVE,
            remedy="Keep at least one replica, or scale on the coordination server's backlog.",
        ),
        _cannot_wake,
    ),
    Rule(
        page(
            "K002",
            "running-work-unseen",
            Severity.ERROR,
            "The signal counts waiting work but not the work that is being done.",
            """An item that a worker claims is no longer pending. As soon as everything is claimed the signal
            is 0, the HPA removes pods and KEDA takes the fleet to zero while the items are still being worked
            on.""",
            bad=_ONLY_PENDING,
            good=CLAIM,
            remedy="Add the series that counts claimed (or in-flight) work to the query.",
        ),
        _in_flight,
    ),
    Rule(
        page(
            "K003",
            "activation-strands",
            Severity.ERROR,
            "At zero replicas, up to `activationThreshold` items wait for ever.",
            """KEDA activates a scaler when its value is greater than the activation threshold, not when it is
            equal. With 1, a single waiting item never wakes the fleet.""",
            bad=edited(CLAIM, ('activationThreshold: "0"', 'activationThreshold: "1"')),
            good=CLAIM,
            remedy='Set activationThreshold to "0".',
        ),
        _activation,
    ),
    Rule(
        page(
            "K021",
            "cooldown-jumps",
            Severity.WARNING,
            "The cooldown takes a fleet to zero sooner than the scale-down behaviour would.",
            """The step from any number of replicas to zero is KEDA's, not the HPA's: stabilisation windows
            and policies do not apply to it, only `cooldownPeriod` does. A short one, or one on a signal that
            misses running work, ends a whole fleet at once.""",
            bad=edited(CLAIM, ("cooldownPeriod: 300", "cooldownPeriod: 20")),
            good=CLAIM,
            remedy="Lengthen cooldownPeriod, and count running work in the signal.",
        ),
        _cooldown,
    ),
    Rule(
        page(
            "K033",
            "fresh-fleet-zeroed",
            Severity.INFO,
            "A new fleet is taken to zero by the first poll.",
            """Without `initialCooldownPeriod` a ScaledObject whose triggers are inactive when it is created
            removes all replicas at once, also those that were running before it was applied.""",
            bad=without(EXTERNAL, "  initialCooldownPeriod: 300"),
            good=EXTERNAL,
            remedy="Set initialCooldownPeriod to 300.",
        ),
        _fresh,
    ),
)
