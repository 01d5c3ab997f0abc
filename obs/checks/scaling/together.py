"""Rules about several triggers of one ScaledObject."""

from __future__ import annotations

from collections.abc import Iterator

from obs.checks.scaling.examples import CLAIM, REACTIVE, edited
from obs.checks.scaling.rule import Facts, Flaw, Rule, page
from obs.checks.scaling.view import Scaler
from obs.model.finding import Severity

_EXTERNAL_TOO = """\
  triggers:
    - type: external-push
      name: push
      metadata:
        scalerAddress: scaler-headless.agents.svc:9100
"""


def _mixed(scaler: Scaler, facts: Facts) -> Iterator[Flaw]:
    del facts
    external = [trigger for trigger in scaler.triggers if trigger.external]
    if external and len(external) < len(scaler.triggers):
        others = sorted({trigger.kind for trigger in scaler.triggers if not trigger.external})
        yield Flaw(
            (*external[0].path, "type"),
            f"`{external[0].kind}` beside {', '.join(others)}: while the external scaler cannot be reached"
            " KEDA answers with"
            " an error for every metric, and the HPA is stuck",
            "use the external scaler alone, or not at all",
        )


def _names(scaler: Scaler, facts: Facts) -> Iterator[Flaw]:
    del facts
    seen: dict[str, int] = {}
    for trigger in scaler.triggers:
        if trigger.name and trigger.name in seen:
            yield Flaw(
                (*trigger.path, "name"),
                f"trigger {trigger.position} is called `{trigger.name}` like trigger {seen[trigger.name]}",
                "give each its own name",
            )
        seen.setdefault(trigger.name, trigger.position)
        if scaler.modified and not trigger.name:
            yield Flaw(
                trigger.path,
                f"trigger {trigger.position} has no name, so the formula of `scalingModifiers` cannot read it",
                "give it a name",
            )


def _sources(scaler: Scaler, facts: Facts) -> Iterator[Flaw]:
    del facts
    servers = list(dict.fromkeys(trigger.text("serverAddress") for trigger in scaler.prometheus))
    if len(servers) > 1:
        second = next(trigger for trigger in scaler.prometheus if trigger.text("serverAddress") == servers[1])
        yield Flaw(
            second.at("serverAddress"),
            f"the triggers ask {len(servers)} servers: while one of them cannot be asked, the HPA does not scale down",
            "ask one server for all of them",
        )


RULES = (
    Rule(
        page(
            "K005",
            "external-mixed",
            Severity.ERROR,
            "An external trigger stands beside triggers of another kind.",
            """KEDA builds the metrics of all triggers together. One external scaler that cannot be reached
            turns them all into an error, so the trigger that was meant as a second leg falls with the
            first.""",
            bad=edited(
                CLAIM,
                ("  triggers:\n", _EXTERNAL_TOO),
                (
                    "  fallback:\n    failureThreshold: 3\n    replicas: 2\n"
                    "    behavior: currentReplicasIfHigher\n",
                    "",
                ),
            ),
            good=CLAIM,
            remedy="Use one kind of source for a fleet.",
        ),
        _mixed,
    ),
    Rule(
        page(
            "K038",
            "trigger-names",
            Severity.ERROR,
            "Triggers share a name, or lack one that a formula needs.",
            "KEDA refuses two triggers of one name, and a formula can only read triggers that have one.",
            bad=edited(REACTIVE, ("name: saturation", "name: pending")),
            good=REACTIVE,
            remedy="Name each trigger.",
        ),
        _names,
    ),
    Rule(
        page(
            "K042",
            "several-sources",
            Severity.INFO,
            "The triggers ask several servers.",
            """The HPA scales up on the metrics it can read, but never down while one of them cannot be read:
            with two sources the fleet stays large during an outage of either.""",
            bad=edited(
                REACTIVE,
                (
                    "prometheus.monitoring.svc:9090\n        query: sum(agent_sat",
                    "thanos:9090\n        query: sum(agent_sat",
                ),
            ),
            good=REACTIVE,
            remedy="Ask one server.",
        ),
        _sources,
    ),
)
