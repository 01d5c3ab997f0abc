"""Rules about the HPA's behaviour, which the CRD of KEDA passes on without looking at it."""

from __future__ import annotations

from collections.abc import Iterator

from obs.checks.scaling.examples import CLAIM, REACTIVE, edited, without
from obs.checks.scaling.rule import Facts, Flaw, Rule, page
from obs.checks.scaling.view import Direction, Policy, Scaler
from obs.checks.scaling.waking import KEDA_POLLING
from obs.model.finding import Severity

MAX_WINDOW = 3600
MAX_PERIOD = 1800
"""Kubernetes, pkg/apis/autoscaling/validation: MaxStabilizationWindowSeconds and MaxPeriodSeconds."""

HPA_SYNC = 15
_SELECT = ("Max", "Min", "Disabled")
_SCALE_DOWN = """\
        scaleDown:
          stabilizationWindowSeconds: 600
          policies:
            - {type: Percent, value: 20, periodSeconds: 60}"""


def _limits(scaler: Scaler, facts: Facts) -> Iterator[Flaw]:
    del facts
    for direction in (scaler.up, scaler.down):
        if not direction.given:
            continue
        yield from _direction(direction)
        for policy in direction.policies or ():
            yield from _policy(policy)


def _direction(direction: Direction) -> Iterator[Flaw]:
    name = direction.path[-1]
    if direction.window is not None and not 0 <= direction.window <= MAX_WINDOW:
        yield Flaw(
            (*direction.path, "stabilizationWindowSeconds"),
            f"the window of {name} is {direction.window} s; Kubernetes allows 0 to {MAX_WINDOW}",
            f"use at most {MAX_WINDOW}",
        )
    if direction.select is not None and direction.select not in _SELECT:
        yield Flaw(
            (*direction.path, "selectPolicy"),
            f"`{direction.select}` is no policy to select",
            "use Max, Min or Disabled",
        )
    if direction.policies == ():
        yield Flaw(
            (*direction.path, "policies"),
            f"{name} has an empty list of policies",
            "give one, or drop the key",
        )
    if isinstance(direction.tolerance, int | float) and direction.tolerance < 0:
        yield Flaw((*direction.path, "tolerance"), f"the tolerance is {direction.tolerance}", "use 0 or more")


def _policy(policy: Policy) -> Iterator[Flaw]:
    if policy.kind not in ("Pods", "Percent"):
        yield Flaw((*policy.path, "type"), f"`{policy.kind}` is no kind of policy", "use Pods or Percent")
    if policy.value is None or policy.value < 1:
        yield Flaw((*policy.path, "value"), f"the value of a policy is {policy.value}", "use 1 or more")
    if policy.period is None or not 1 <= policy.period <= MAX_PERIOD:
        yield Flaw(
            (*policy.path, "periodSeconds"),
            f"the period of a policy is {policy.period} s; Kubernetes allows 1 to {MAX_PERIOD}",
            f"use at most {MAX_PERIOD}",
        )


def _explicit(scaler: Scaler, facts: Facts) -> Iterator[Flaw]:
    del facts
    missing = [direction for direction in (scaler.up, scaler.down) if not direction.given]
    if missing:
        names = " and ".join(f"`{direction.path[-1]}`" for direction in missing)
        yield Flaw(
            missing[0].path if len(missing) == 1 else missing[0].path[:-1],
            f"the behaviour leaves {names} to defaults, which depend on whether any behaviour is written; the one of"
            " scaleDown may remove every pod in 15 s",
            "write stabilizationWindowSeconds and policies for both directions",
        )


def _window(scaler: Scaler, facts: Facts) -> Iterator[Flaw]:
    polling = HPA_SYNC if scaler.minimum > 0 else KEDA_POLLING if scaler.polling is None else scaler.polling
    least = 2 * facts.scrape_interval + polling
    if scaler.down.given and scaler.down.window is not None and scaler.down.window < least:
        yield Flaw(
            (*scaler.down.path, "stabilizationWindowSeconds"),
            f"the window of scaleDown is {scaler.down.window} s, shorter than the signal is late ({least}"
            " s: two scrapes and a"
            " poll): one stale reading removes pods",
            f"use {max(least, 120)} or more",
        )


RULES = (
    Rule(
        page(
            "K023",
            "behaviour-limits",
            Severity.ERROR,
            "The HPA refuses a number in the behaviour.",
            """KEDA accepts the ScaledObject and then fails to create the HPA: everything looks applied and
            nothing scales above one replica.""",
            bad=edited(CLAIM, ("stabilizationWindowSeconds: 600", "stabilizationWindowSeconds: 7200")),
            good=CLAIM,
            remedy="Keep windows within 3600 s, periods within 1800 s, values above 0.",
        ),
        _limits,
    ),
    Rule(
        page(
            "K024",
            "behaviour-implicit",
            Severity.WARNING,
            "A direction of the behaviour is left to defaults.",
            """An HPA without behaviour and one with an empty behaviour scale differently (from one pod to 4,
            or to 5), and the default scale-down removes any number of pods after the controller's window.""",
            bad=without(REACTIVE, _SCALE_DOWN),
            good=REACTIVE,
            remedy="Write both directions.",
        ),
        _explicit,
    ),
    Rule(
        page(
            "K035",
            "window-too-short",
            Severity.WARNING,
            "The scale-down window is shorter than the signal is late.",
            """A value is as old as the last scrape and is read at the next poll. A window that does not cover
            two of them lets a single reading remove pods that the next one asks for again.""",
            bad=edited(CLAIM, ("stabilizationWindowSeconds: 600", "stabilizationWindowSeconds: 30")),
            good=CLAIM,
            remedy="Use at least two scrape intervals and a poll.",
        ),
        _window,
    ),
)
