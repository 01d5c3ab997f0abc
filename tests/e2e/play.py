"""Every scenario at once, each on fleets of its own: what fired, who was told, what was silenced, what resolved."""

from __future__ import annotations

import json
import time
from collections import defaultdict
from dataclasses import dataclass, field

from obs.synth.scenario import Scenario
from tests.e2e.stack import Stack, until

SPEED = 60
"""How many times faster than life: a model minute passes in a second, and `for_factor` makes the rules' minutes
seconds. The one other number that is a time, `backlog_wait`, is divided by it too."""

MODES = ("claim", "reactive")
AGENTS = 3  # of each fleet
PAST = 22.0  # seconds until Prometheus has a past to compare with: the longest look back of an alert without `for`
HEALTH = 10.0  # seconds of steady before anything happens: ten minutes of data
TROUBLE = 85.0  # seconds of a scenario: the longest `for`, and the time until its expression is true
LASTS = {Scenario.STUCK: 50.0, Scenario.INTEL_OUTAGE: 50.0}
"""Seconds of scenarios that leave a queue, which takes longer to work off than to grow."""
PATIENCE = 240.0  # seconds in which everything must have resolved
STEADY = "steady"
RECEIVERS = {"critical": "page", "warning": "ticket", "info": "log"}


def fleets() -> list[tuple[str, str]]:
    """Return (name, scenario) of each fleet."""
    return [
        (f"{mode}-{scenario}", str(scenario))
        for scenario in Scenario
        for mode in MODES
        if mode == "claim" or scenario is not Scenario.CLAIM_CONTENTION
    ]


def config() -> str:
    """Return the obs.yaml."""
    return json.dumps(
        {
            "prometheus": {"scrape_interval": "1s", "evaluation_interval": "1s"},
            "thresholds": {"backlog_wait": 900 / SPEED, "tokens_per_hour": 10_000_000},
            "alerts": {"for_factor": 1 / SPEED},
            "fleets": [_fleet(name) for name, _ in fleets()],
        }
    )


def _fleet(name: str) -> dict[str, object]:
    both = {"name": name, "workload": {"kind": "Deployment", "name": name}}
    if name.startswith("claim-"):
        return both | {
            "mode": "claim",
            "replicas": {"min": 0, "max": 50},
            "capacity": 4,
            "drain_timeout": "16m",
            "grace_period": "17m",
            "tasks": "medium",
            "backlog": {"namespace": "agents", "service": f"{name}-coord"},
        }
    return both | {
        "mode": "reactive",
        "replicas": {"min": 2, "max": 30},
        "capacity": 5,
        "drain_timeout": "45s",
        "grace_period": "60s",
        "tasks": "short",
    }


Alerts = dict[str, set[str]]
"""Names of alerts by fleet."""


@dataclass
class Seen:
    """What a play brought to light.

    `early` fired before a scenario began, `fired` at any time since Prometheus had a past. Somebody was told of `told`
    while the scenario lasted, of `afterwards` only when it was over. `silenced` was inhibited at some moment, and
    `astray` was told to somebody whom its severity does not concern.
    """

    early: set[tuple[str, str]] = field(default_factory=set)
    fired: Alerts = field(default_factory=lambda: defaultdict(set))
    told: Alerts = field(default_factory=lambda: defaultdict(set))
    afterwards: Alerts = field(default_factory=lambda: defaultdict(set))
    silenced: Alerts = field(default_factory=lambda: defaultdict(set))
    unresolved: Alerts = field(default_factory=lambda: defaultdict(set))
    astray: Alerts = field(default_factory=lambda: defaultdict(set))


def play(stack: Stack) -> Seen:
    """Let every fleet be well, then go through its scenario, then be well again."""
    seen = Seen()
    everybody = AGENTS * len(fleets())
    assert until(lambda: stack.ask("count(agent_up)") == [({}, everybody)], 60)
    time.sleep(PAST)
    stack.webhook.told.clear()
    began = time.monotonic()
    time.sleep(HEALTH)
    seen.early = _firing(stack)
    for name, scenario in fleets():
        stack.switch(scenario, name)
    ended = _end(stack, seen)
    until(lambda: _watch(stack, seen, 2) or not _firing(stack), PATIENCE)
    until(lambda: not _open(stack), 30)
    span = int(time.monotonic() - began)
    firing = f'count_over_time(ALERTS{{alertstate="firing"}}[{span}s])'
    for labels, _ in stack.ask(f"count by (fleet, alertname) ({firing})"):
        seen.fired[labels.get("fleet", "")].add(labels["alertname"])
    for index, one in enumerate(stack.webhook.told):
        if one.receiver != RECEIVERS[one.severity]:
            seen.astray[one.fleet].add(one.alert)
        if one.status != "firing":
            continue
        if index < ended.get(one.fleet, 0):
            seen.told[one.fleet].add(one.alert)
        elif one.alert not in seen.told[one.fleet]:
            seen.afterwards[one.fleet].add(one.alert)
    for fleet, alert in _open(stack) | _firing(stack):
        seen.unresolved[fleet].add(alert)
    return seen


def _end(stack: Stack, seen: Seen) -> dict[str, int]:
    """End each scenario when its time has come; return how many had been told of anything until then, by fleet."""
    ended, passed = {}, 0.0
    lasts = {name: LASTS.get(Scenario(scenario), TROUBLE) for name, scenario in fleets()}
    for seconds in sorted(set(lasts.values())):
        _watch(stack, seen, seconds - passed)
        passed = seconds
        for name, own in lasts.items():
            if own == seconds:
                stack.switch(STEADY, name)
                ended[name] = len(stack.webhook.told)
    return ended


def _firing(stack: Stack) -> set[tuple[str, str]]:
    return {
        (labels.get("fleet", ""), labels["alertname"])
        for labels, _ in stack.ask('ALERTS{alertstate="firing"}')
    }


def _watch(stack: Stack, seen: Seen, seconds: float) -> None:
    """Note what is silenced while `seconds` pass."""
    end = time.monotonic() + seconds
    while True:
        for fleet, alert in stack.silenced():
            seen.silenced[fleet].add(alert)
        if time.monotonic() > end:
            return
        time.sleep(2)


def _open(stack: Stack) -> set[tuple[str, str]]:
    """Return what somebody was told is firing and has not been told is over."""
    last: dict[tuple[str, str, str], str] = {}
    for one in stack.webhook.told:
        last[one.fleet, one.alert, one.receiver] = one.status
    return {(fleet, alert) for (fleet, alert, _), status in last.items() if status == "firing"}
