"""Single edits of good ScaledObjects: each trips one rule at one field."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from obs.checks.scaling import check_scaled_objects
from obs.checks.scaling.examples import CLAIM, EXTERNAL, REACTIVE, beside, edited, without
from obs.documents.load import load_all_yaml
from obs.model.finding import Severity
from tests.scalers.fleets import facts

HPA = "$.spec.advanced.horizontalPodAutoscalerConfig"
DOWN = f"{HPA}.behavior.scaleDown"
BARE_WORKLOAD = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: inbox-workers, namespace: agents}
spec: {template: {spec: {}}}
"""
TWO_TRIGGERS = """\
  triggers:
    - type: prometheus
      metadata:
        serverAddress: http://prometheus.monitoring.svc:9090
        query: sum(agent_inflight_reactions)
        threshold: "4"
        ignoreNullValues: "IGNORE"
"""


@dataclass(frozen=True)
class Case:
    """A text, the code and the path it is reported under, and how bad it is."""

    text: str
    code: str
    path: str
    severity: Severity = Severity.ERROR


CASES = {
    "window below 0": Case(
        edited(CLAIM, ("Seconds: 600", "Seconds: -1")), "K023 K035", f"{DOWN}.stabilizationWindowSeconds"
    ),
    "policy to select": Case(
        edited(CLAIM, ("scaleDown:\n", "scaleDown:\n          selectPolicy: Slow\n")),
        "K023",
        f"{DOWN}.selectPolicy",
    ),
    "no policies": Case(
        edited(
            CLAIM,
            (
                "          policies:\n            - {type: Percent, value: 25, periodSeconds: 60}\n",
                "          policies: []\n",
            ),
        ),
        "K023",
        f"{DOWN}.policies",
    ),
    "negative tolerance": Case(
        edited(CLAIM, ("scaleDown:\n", "scaleDown:\n          tolerance: -0.1\n")),
        "K023",
        f"{DOWN}.tolerance",
    ),
    "kind of policy": Case(
        edited(CLAIM, ("Percent, value: 25", "Pod, value: 25")), "K023", f"{DOWN}.policies[0].type"
    ),
    "policy of nothing": Case(
        edited(CLAIM, ("value: 25, ", "value: 0, ")), "K023", f"{DOWN}.policies[0].value"
    ),
    "long period": Case(
        edited(CLAIM, ("value: 25, periodSeconds: 60", "value: 25, periodSeconds: 3600")),
        "K023",
        f"{DOWN}.policies[0].periodSeconds",
    ),
    "long HPA name": Case(
        edited(CLAIM, ("Config:\n", f"Config:\n      name: {'n' * 64}\n")), "K014", f"{HPA}.name"
    ),
    "no replicas at all": Case(
        edited(CLAIM, ("maxReplicaCount: 50", "maxReplicaCount: 0")), "K007 K025", "$.spec.maxReplicaCount"
    ),
    "idle 1": Case(
        edited(REACTIVE, ("  minReplicaCount: 2", "  idleReplicaCount: 1\n  minReplicaCount: 2")),
        "K025",
        "$.spec.idleReplicaCount",
    ),
    "idle without a minimum": Case(
        edited(CLAIM, ("minReplicaCount: 0", "minReplicaCount: 0\n  idleReplicaCount: 0")),
        "K025",
        "$.spec.idleReplicaCount",
    ),
    "no target": Case(without(CLAIM, "    name: inbox-workers"), "K036", "$.spec.scaleTargetRef"),
    "text as a count": Case(
        edited(CLAIM, ("maxReplicaCount: 50", 'maxReplicaCount: "50"')), "K037", "$.spec.maxReplicaCount"
    ),
    "polling of 0": Case(
        edited(CLAIM, ("pollingInterval: 15", "pollingInterval: 0")), "K037", "$.spec.pollingInterval"
    ),
    "no trigger": Case(CLAIM[: CLAIM.index("  triggers:")] + "  triggers: []\n", "K037", "$.spec.triggers"),
    "fallback that is a number": Case(
        edited(
            CLAIM,
            (
                "  fallback:\n    failureThreshold: 3\n    replicas: 2\n    behavior: currentReplicasIfHigher\n",
                "  fallback: 3\n",
            ),
        ),
        "K020 K037",
        "$.spec.fallback",
    ),
    "misspelt field of a trigger": Case(
        edited(CLAIM, ("      metricType:", "      metricTyp:")), "K037", "$.spec.triggers[0].metricTyp"
    ),
    "metric type in the metadata": Case(
        edited(CLAIM, ('        threshold: "4"', '        metricType: Value\n        threshold: "4"')),
        "K037",
        "$.spec.triggers[0].metadata.metricType",
    ),
    "the first KEDA": Case(edited(CLAIM, ("keda.sh/", "keda.k8s.io/")), "K037", "$.apiVersion"),
    "threshold in words": Case(
        edited(CLAIM, ('threshold: "4"', 'threshold: "four"')),
        "K013",
        "$.spec.triggers[0].metadata.threshold",
    ),
    "no finite threshold": Case(
        edited(CLAIM, ('threshold: "4"', 'threshold: "inf"')), "K013", "$.spec.triggers[0].metadata.threshold"
    ),
    "negative activation": Case(
        edited(CLAIM, ('Threshold: "0"', 'Threshold: "-1"')),
        "K013",
        "$.spec.triggers[0].metadata.activationThreshold",
    ),
    "half an activation": Case(
        edited(CLAIM, ('Threshold: "0"', 'Threshold: "0.5"')),
        "K003",
        "$.spec.triggers[0].metadata.activationThreshold",
        Severity.WARNING,
    ),
    "activation of another trigger": Case(
        edited(
            CLAIM[: CLAIM.index("    - type: prometheus")],
            (
                "  fallback:\n    failureThreshold: 3\n    replicas: 2\n    behavior: currentReplicasIfHigher\n",
                "",
            ),
        )
        + "    - type: redis\n      metadata: {listLength: '5', activationListLength: '5'}\n",
        "K003",
        "$.spec.triggers[0].metadata.activationListLength",
    ),
    "URL for gRPC": Case(
        edited(EXTERNAL, ("scaler-headless.", "http://scaler-headless.")),
        "K043",
        "$.spec.triggers[0].metadata.scalerAddress",
    ),
    "token in a header": Case(
        edited(
            CLAIM,
            ('        threshold: "4"', '        customHeaders: Authorization=abc\n        threshold: "4"'),
        ),
        "K026",
        "$.spec.triggers[0].metadata.customHeaders",
    ),
    "password by name": Case(
        edited(EXTERNAL, ("        signal:", "        password: x\n        signal:")),
        "K026",
        "$.spec.triggers[0].metadata.password",
    ),
    "external, waiting only": Case(
        edited(EXTERNAL, ("pending+claimed", "pending")), "K002 K021", "$.spec.triggers[0].metadata.signal"
    ),
    "external, nothing said": Case(
        without(EXTERNAL, "        signal: pending+claimed"),
        "K002 K021",
        "$.spec.triggers[0].metadata",
        Severity.WARNING,
    ),
    "formula without names": Case(
        edited(
            CLAIM,
            ("  advanced:\n", "  advanced:\n    scalingModifiers: {formula: backlog, target: '4'}\n"),
            ("      name: backlog\n", ""),
        ),
        "K038",
        "$.spec.triggers[0]",
    ),
    "Value on an external scaler": Case(
        edited(EXTERNAL, ("AverageValue", "Value")), "K008", "$.spec.triggers[0].metricType"
    ),
    "a metric type that is none": Case(
        edited(CLAIM, ("AverageValue", "Average")), "K008", "$.spec.triggers[0].metricType"
    ),
    "mean over coordination": Case(
        edited(CLAIM, ("max(agentctl_coordination_claimed", "avg(agentctl_coordination_claimed")),
        "K018",
        "$.spec.triggers[0].metadata.query",
    ),
    "lag in seconds": Case(
        edited(REACTIVE, ("sum(agent_saturation", "sum(agent_reaction_lag_ms"), ('"0.7"', '"2"')),
        "K039",
        "$.spec.triggers[1].metadata.threshold",
        Severity.WARNING,
    ),
    "legacy metric": Case(
        edited(
            REACTIVE,
            ("query: sum(agent_saturation{", "query: sum(rate(agent_runs_completed_total{"),
            (
                '"alert-reactors"})\n        threshold: "0.7"',
                '"alert-reactors"}[5m]))\n        threshold: "0.7"',
            ),
        ),
        "K031",
        "$.spec.triggers[1].metadata.query",
        Severity.WARNING,
    ),
    "processor at 0": Case(
        edited(
            CLAIM[: CLAIM.index("    - type: prometheus")],
            (
                "  fallback:\n    failureThreshold: 3\n    replicas: 2\n    behavior: currentReplicasIfHigher\n",
                "",
            ),
        )
        + "    - type: cpu\n      metricType: Utilization\n      metadata: {value: '80'}\n",
        "K001",
        "$.spec.minReplicaCount",
    ),
    "pods beside the backlog at 0": Case(
        edited(CLAIM, ("  triggers:\n", TWO_TRIGGERS.replace("IGNORE", "false"))),
        "K001",
        "$.spec.triggers[0].metadata.query",
    ),
    "a sleeping fleet on an old signal": Case(
        edited(CLAIM, ('          + max(agentctl_coordination_claimed{service="inbox-coord"})\n', "")),
        "K002 K021",
        "$.spec.cooldownPeriod",
        Severity.WARNING,
    ),
    "a foreign queue that may forget": Case(
        edited(
            CLAIM,
            ('max(agentctl_coordination_pending{service="inbox-coord"})', "sum(rabbitmq_queue_messages)"),
            ('\n          + max(agentctl_coordination_claimed{service="inbox-coord"})', ""),
            ('        ignoreNullValues: "false"\n', ""),
        ),
        "K019",
        "$.spec.triggers[0].metadata",
    ),
    "a backlog that may forget above zero": Case(
        edited(
            without(CLAIM, "  pollingInterval: 15", "  cooldownPeriod: 300", "  initialCooldownPeriod: 300"),
            ("minReplicaCount: 0", "minReplicaCount: 1"),
            ('        ignoreNullValues: "false"\n', ""),
        ),
        "K019",
        "$.spec.triggers[0].metadata",
    ),
    "pods that may forget": Case(
        edited(
            REACTIVE,
            ('        threshold: "0.7"\n        ignoreNullValues: "false"', '        threshold: "0.7"'),
        ),
        "K019",
        "$.spec.triggers[1].metadata",
        Severity.WARNING,
    ),
    "polling that does nothing": Case(
        edited(REACTIVE, ("  minReplicaCount: 2", "  pollingInterval: 15\n  minReplicaCount: 2")),
        "K032",
        "$.spec.pollingInterval",
        Severity.INFO,
    ),
    "grace by default": Case(
        beside(CLAIM, BARE_WORKLOAD),
        "K017",
        "$.spec.template.spec.terminationGracePeriodSeconds",
        Severity.WARNING,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_an_edit_trips_its_rule_at_its_field(name: str) -> None:
    """The codes, the JSON path and the severity are those of the edit."""
    case = CASES[name]
    findings = check_scaled_objects(load_all_yaml(case.text, "scaler.yaml"), facts())
    assert " ".join(sorted({finding.code for finding in findings})) == case.code
    found = [finding for finding in findings if finding.location.path.startswith(case.path)]
    assert found
    assert case.severity in {finding.severity for finding in found}


@pytest.mark.parametrize(
    ("edit", "field"),
    [
        (("Config:\n", "Config:\n      name: shop-workers\n"), "an HPA name of its own"),
        (("maxReplicaCount: 50", "maxReplicaCount: 2"), "as few as the fallback holds"),
        (
            ("      metadata:\n", "      metadata:\n        passwordFromEnv: QUEUE_PASSWORD\n"),
            "a variable's name",
        ),
        (("Seconds: 600", "Seconds: 45"), "a window as long as the signal is late"),
        (("      metadata:\n", "      useCachedMetrics: true\n      metadata:\n"), "cached metrics"),
    ],
)
def test_what_is_fine_stays_fine(edit: tuple[str, str], field: str) -> None:
    """Options that are somebody's choice are nobody's finding."""
    findings = check_scaled_objects(load_all_yaml(edited(CLAIM, edit), "scaler.yaml"), facts((2, 20)))
    assert findings == (), field


def test_a_fleet_of_fixed_size_is_fine() -> None:
    """The minimum may be the maximum."""
    text = edited(REACTIVE, ("maxReplicaCount: 30", "maxReplicaCount: 2"))
    assert check_scaled_objects(load_all_yaml(text, "scaler.yaml"), facts()) == ()


@pytest.mark.parametrize(
    ("text", "least"),
    [
        (edited(CLAIM, ("scaleDown:\n", "scaleDown:\n          tolerance: 0.2\n")), (2, 18)),
        (edited(CLAIM, ("      metadata:\n", "      useCachedMetrics: true\n      metadata:\n")), (2, 17)),
        (edited(EXTERNAL, ("        signal:", "        enableTLS: 'true'\n        signal:")), (2, 17)),
        (
            edited(
                CLAIM,
                (
                    "  namespace: agents\n",
                    "  namespace: agents\n  annotations: {autoscaling.keda.sh/paused-scale-in: 'true'}\n",
                ),
            ),
            (2, 18),
        ),
    ],
)
def test_a_field_is_too_new_for_the_version_before_it_came(text: str, least: tuple[int, int]) -> None:
    """The version that introduced a field takes it, the one before is told that it will not."""
    documents = load_all_yaml(text, "scaler.yaml")
    before = (least[0], least[1] - 1)
    assert "K028" in {finding.code for finding in check_scaled_objects(documents, facts(before))}
    assert "K028" not in {finding.code for finding in check_scaled_objects(documents, facts(least))}
