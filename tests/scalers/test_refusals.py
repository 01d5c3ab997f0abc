"""Configurations that are known to fail, each refused with its own code at its own line."""

from __future__ import annotations

import pytest

from tests.scalers.fleets import CLAIM, PUSH, REACTIVE, generate, refusals, with_scaling

SECOND = CLAIM + CLAIM.removeprefix("fleets:\n").replace("workers", "others")

BROKEN = {
    "pods count, minimum 0": ("K001", REACTIVE.replace("min: 2", "min: 0")),
    "pending only": ("K002", with_scaling(CLAIM, pending_only="true", cooldown="15m")),
    "activation": ("K003", with_scaling(CLAIM, activation=1)),
    "no maximum": ("K004", CLAIM.replace("{min: 0, max: 20}", "{min: 0}")),
    "external beside others": (
        "K005",
        PUSH.replace("mode: claim", "mode: reactive").replace("min: 0", "min: 1"),
    ),
    "fallback on external": ("K006", with_scaling(PUSH, fallback_replicas=2)),
    "fallback zero": ("K007", with_scaling(CLAIM, fallback_replicas=0)),
    "fallback above maximum": ("K007", with_scaling(CLAIM, fallback_replicas=21)),
    "Value": ("K008", with_scaling(CLAIM, metric_type="Value")),
    "Utilization": ("K008", with_scaling(PUSH, metric_type="Utilization")),
    "mean of ratios": ("K009", with_scaling(REACTIVE, saturation_aggregation="avg")),
    "counter": ("K010", with_scaling(REACTIVE, signals="[agent_runs_total]")),
    "losses": ("K010", with_scaling(REACTIVE, signals="[agent_claims_lost_total]")),
    "shared backlog": ("K011", SECOND),
    "several elements": ("K012", with_scaling(CLAIM, query="rabbitmq_queue_messages")),
    "tiny threshold": ("K013", with_scaling(CLAIM, target=0.0004)),
    "long name": ("K014", CLAIM.replace("name: workers", f"name: {'w' * 55}")),
    "scaled shards": ("K016", with_scaling(CLAIM.replace("mode: claim", "mode: shard"), target=2)),
    "short grace": ("K017", CLAIM.replace("90s", "69s")),
    "sum over replicas": (
        "K018",
        with_scaling(
            CLAIM,
            query="sum(agentctl_coordination_pending{service='c'}) + max(agentctl_coordination_claimed{service='c'})",
        ),
    ),
    "short cooldown": ("K021", with_scaling(CLAIM, cooldown="30s")),
    "two scalers": (
        "K022",
        SECOND.replace("coord}", "c2}", 1)
        .replace("name: workers", "name: a", 1)
        .replace("mode: claim", "mode: claim\n    workload: {name: same}"),
    ),
    "long window": ("K023", with_scaling(CLAIM, scale_down_window="2h")),
    "minimum above maximum": ("K025", CLAIM.replace("min: 0", "min: 21")),
    "credential": ("K026", "prometheus: {address: 'http://keda:secret@prometheus:9090'}\n" + CLAIM),
    "old KEDA": ("K028", "kubernetes: {keda_version: '2.7'}\n" + CLAIM),
    "division": ("K029", with_scaling(CLAIM, query="sum(a) / sum(b)")),
    "no PromQL": ("K030", with_scaling(CLAIM, query="sum(a")),
    "unknown metric": ("K031", with_scaling(REACTIVE, signals="[agent_pending_event]")),
    "unknown label": ("K031", CLAIM.replace("service: coord", "servce: coord")),
    "cooldown above zero": ("K032", with_scaling(CLAIM.replace("min: 0", "min: 1"), cooldown="10m")),
    "external unused": ("K032", PUSH.replace("    scaler: external-push\n", "")),
    "query beside an external scaler": ("K005", with_scaling(PUSH, query="sum(x)")),
    "saturation of a claim fleet": ("K032", with_scaling(CLAIM, saturation_target=0.5)),
    "signals beside a query": ("K032", with_scaling(REACTIVE, query="sum(x)", signals="[agent_saturation]")),
    "pending beside a query": ("K032", with_scaling(CLAIM, query="sum(x)", pending_only="false")),
    "short window": ("K035", with_scaling(CLAIM, scale_down_window="20s")),
    "lag": ("K039", with_scaling(REACTIVE, signals="[agent_reaction_lag_ms]")),
    "no backlog": ("K040", CLAIM.replace("    backlog: {namespace: agents, service: coord}\n", "")),
    "Job": ("K045", CLAIM.replace("mode: claim", "mode: claim\n    workload: {kind: Job}")),
    "scaled schedule": ("K045", with_scaling(CLAIM.replace("mode: claim", "mode: schedule"), target=2)),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_configuration_is_refused_with_its_own_code(name: str) -> None:
    """Nothing is written; the one code, the line of obs.yaml, the fleet's field and a fix are named."""
    code, text = BROKEN[name]
    found = refusals(text)
    assert {line.split(": ")[1] for line in found} == {code}
    for line in found:
        where = line.split(": ")[0]
        assert where.startswith("obs.yaml:")
        assert ";" in line


@pytest.mark.parametrize("text", [CLAIM, REACTIVE, PUSH], ids=["claim", "reactive", "push"])
def test_the_unbroken_configurations_are_accepted(text: str) -> None:
    """What the broken ones were made from is fine."""
    assert refusals(text) == []


def test_all_problems_are_told_at_once() -> None:
    """Two mistakes in two fleets are two problems of one refusal."""
    second = REACTIVE.removeprefix("fleets:\n").replace("min: 2", "min: 0")
    found = refusals(with_scaling(CLAIM, activation=1) + second)
    assert {line.split(": ")[1] for line in found} == {"K001", "K003"}


def test_a_problem_points_at_the_option_that_decides() -> None:
    """The line and column are those of the key in obs.yaml."""
    text = with_scaling(CLAIM, activation=1)
    line = next(n for n, content in enumerate(text.splitlines(), 1) if "activation" in content)
    assert refusals(text)[0].startswith(f"obs.yaml:{line}:7: K003: ")


def test_an_accepted_rule_is_not_refused_but_told() -> None:
    """A suppression with a reason lets a fleet through and stands on the page of the scalers."""
    accepted = "suppressions: [{code: K003, scope: work*, reason: items come in tens}]\n"
    artifacts = generate(accepted + with_scaling(CLAIM, activation=1))
    assert "K003 for `workers`: items come in tens" in artifacts["scalers/README.md"].content.decode()


@pytest.mark.parametrize("accepted", ["code: K003, scope: other-*", "code: K002, scope: workers"])
def test_an_acceptance_holds_for_its_code_and_its_fleets_only(accepted: str) -> None:
    """Another fleet's reason, or another rule's, does not count."""
    text = f"suppressions: [{{{accepted}, reason: why not}}]\n" + with_scaling(CLAIM, activation=1)
    assert refusals(text)


def test_what_kubernetes_refuses_cannot_be_accepted() -> None:
    """A reason does not make the HPA take a window of two hours."""
    accepted = "suppressions: [{code: K023, reason: we like it}]\n"
    assert refusals(accepted + with_scaling(CLAIM, scale_down_window="2h"))
