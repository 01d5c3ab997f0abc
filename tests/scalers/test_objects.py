"""What each mode and option becomes, in KEDA's terms."""

from __future__ import annotations

import pytest

from obs.documents.load import load_all_yaml
from tests.scalers.fleets import CLAIM, PUSH, REACTIVE, generate, refusals, scaled_object, with_scaling

AUTHENTICATED = "prometheus: {authentication: prometheus-token}\n"


def test_a_claim_fleet_is_woken_by_the_backlog_and_kept_by_the_claims() -> None:
    """Waiting and claimed work, the largest of the server's replicas, wakes above 0 and never reads empty as 0."""
    trigger = scaled_object(CLAIM)["spec"]["triggers"][0]
    assert trigger["type"] == "prometheus"
    assert trigger["metricType"] == "AverageValue"
    assert trigger["metadata"]["query"] == (
        'max(agentctl_coordination_pending{namespace="agents",service="coord"})\n'
        '+ max(agentctl_coordination_claimed{namespace="agents",service="coord"})'
    )
    assert trigger["metadata"]["threshold"] == "4"
    assert trigger["metadata"]["activationThreshold"] == "0"
    assert trigger["metadata"]["ignoreNullValues"] == "false"


def test_a_claim_fleet_survives_an_outage_and_its_own_creation() -> None:
    """The fallback keeps what is running, and a fresh fleet is not zeroed by its first poll."""
    spec = scaled_object(CLAIM)["spec"]
    assert spec["fallback"] == {"failureThreshold": 3, "replicas": 2, "behavior": "currentReplicasIfHigher"}
    assert spec["initialCooldownPeriod"] == 300
    assert spec["minReplicaCount"] == 0
    assert spec["maxReplicaCount"] == 20


@pytest.mark.parametrize("text", [CLAIM, REACTIVE, PUSH], ids=["claim", "reactive", "push"])
def test_both_directions_of_the_behaviour_are_written(text: str) -> None:
    """Nothing about the speed of scaling is left to defaults that depend on each other."""
    behavior = scaled_object(text)["spec"]["advanced"]["horizontalPodAutoscalerConfig"]["behavior"]
    assert behavior["scaleUp"]["selectPolicy"] == "Max"
    assert behavior["scaleDown"]["selectPolicy"] == "Min"
    assert all(direction["policies"] for direction in behavior.values())


def test_a_reactive_fleet_counts_its_own_work_and_the_mean_saturation() -> None:
    """Two triggers in a fixed order: work in and before the pods, and the sum of their saturations at 0.7."""
    work, saturation = scaled_object(REACTIVE)["spec"]["triggers"]
    assert work["metadata"]["query"] == (
        'sum(agent_pending_events{fleet="reactors",namespace="agents"})\n'
        '+ sum(agent_inflight_reactions{fleet="reactors",namespace="agents"})'
    )
    assert work["metadata"]["threshold"] == "5"
    assert saturation["metadata"]["query"] == ('sum(agent_saturation{fleet="reactors",namespace="agents"})')
    assert saturation["metadata"]["threshold"] == "0.7"


def test_the_saturation_target_is_the_one_boards_and_alerts_use() -> None:
    """`thresholds:` of obs.yaml moves the scaler too."""
    scaled = scaled_object("thresholds: {saturation_target: 0.55}\n" + REACTIVE)
    assert scaled["spec"]["triggers"][1]["metadata"]["threshold"] == "0.55"


def test_settings_without_effect_are_not_written() -> None:
    """A fleet that never sleeps has no polling interval, cooldown or activation."""
    spec = scaled_object(REACTIVE)["spec"]
    assert not {"pollingInterval", "cooldownPeriod", "initialCooldownPeriod"} & set(spec)
    assert all("activationThreshold" not in trigger["metadata"] for trigger in spec["triggers"])


def test_an_external_scaler_is_the_only_trigger_and_has_no_fallback() -> None:
    """KEDA would not start the fallback, and another trigger would fall with the scaler."""
    spec = scaled_object(PUSH)["spec"]
    assert [trigger["type"] for trigger in spec["triggers"]] == ["external-push"]
    assert spec["triggers"][0]["metadata"] == {
        "scalerAddress": "scaler.agents.svc:9100",
        "coordinationUrl": "http://coord.agents.svc/",
        "signal": "pending+claimed",
        "threshold": "1",
        "activationThreshold": "0",
    }
    assert "fallback" not in spec
    assert "no fallback" in generate(PUSH)["scalers/README.md"].content.decode()


def test_a_bearer_token_comes_from_a_secret() -> None:
    """The trigger names an authentication, and no credential stands in the metadata."""
    artifact = generate(AUTHENTICATED + CLAIM)["scalers/workers.yaml"]
    scaled, authentication = (one.data for one in load_all_yaml(artifact.content.decode(), artifact.path))
    trigger = scaled["spec"]["triggers"][0]
    assert trigger["metadata"]["authModes"] == "bearer"
    assert trigger["authenticationRef"]["name"] == authentication["metadata"]["name"]
    assert authentication["metadata"]["namespace"] == scaled["metadata"]["namespace"]
    assert authentication["spec"]["secretTargetRef"] == [
        {"parameter": "bearerToken", "name": "prometheus-token", "key": "token"}
    ]


def test_an_external_scaler_is_reached_with_a_certificate() -> None:
    """Of the Secret that is named, KEDA takes the CA, the certificate and the key."""
    text = PUSH.replace('coord.agents.svc/"}', 'coord.agents.svc/", authentication: scaler-tls}')
    artifact = generate(text)["scalers/workers.yaml"]
    scaled, authentication = (one.data for one in load_all_yaml(artifact.content.decode(), artifact.path))
    assert scaled["spec"]["triggers"][0]["authenticationRef"] == {"name": "workers-scaler"}
    assert {entry["parameter"]: entry["key"] for entry in authentication["spec"]["secretTargetRef"]} == {
        "caCert": "ca.crt",
        "tlsClientCert": "tls.crt",
        "tlsClientKey": "tls.key",
    }


@pytest.mark.parametrize(
    ("version", "initial", "behavior"), [("2.8", False, False), ("2.14", True, False), ("2.17", True, True)]
)
def test_fields_that_keda_does_not_know_yet_are_left_out(version: str, initial: bool, behavior: bool) -> None:
    """The version in obs.yaml decides; what is lost by that is on the page."""
    text = f'kubernetes: {{keda_version: "{version}"}}\n{CLAIM}'
    spec = scaled_object(text)["spec"]
    assert ("initialCooldownPeriod" in spec) is initial
    assert ("behavior" in spec["fallback"]) is behavior
    assert ("static fallback" in generate(text)["scalers/README.md"].content.decode()) is not behavior


def test_a_field_that_is_asked_for_and_too_new_is_refused() -> None:
    """Silence would be a setting that somebody believes in."""
    text = 'kubernetes: {keda_version: "2.13"}\n' + with_scaling(CLAIM, initial_cooldown="10m")
    (problem,) = refusals(text)
    assert "K028" in problem
    assert problem.startswith("obs.yaml:1:")


def test_a_shard_fleet_gets_a_disruption_budget_and_no_scaler() -> None:
    """One shard at a time may be taken away; their number is nobody's to change."""
    artifacts = generate("fleets: [{name: shards, mode: shard, replicas: {min: 8, max: 8}}]\n")
    (document,) = load_all_yaml(artifacts["scalers/shards.yaml"].content.decode(), "x")
    assert document.data["kind"] == "PodDisruptionBudget"
    assert document.data["spec"] == {
        "maxUnavailable": 1,
        "selector": {"matchLabels": {"app.kubernetes.io/name": "agent", "agentctl.dev/agent": "shards"}},
    }


@pytest.mark.parametrize("mode", ["once", "schedule", "loop"])
def test_what_has_no_number_of_replicas_gets_nothing_and_a_reason(mode: str) -> None:
    """The tree says why there is no scaler for a fleet."""
    artifacts = generate(f"fleets: [{{name: nightly, mode: {mode}}}]\n")
    assert list(artifacts) == ["scalers/README.md"]
    row = next(
        line for line in artifacts["scalers/README.md"].content.decode().splitlines() if "nightly" in line
    )
    assert "nothing" in row
    assert len(row.split("|")[4]) > 20


def test_every_object_names_the_registry_it_was_made_from() -> None:
    """The sha256 is an annotation, so that a running scaler can be traced."""
    annotations = scaled_object(CLAIM)["metadata"]["annotations"]
    assert len(annotations["obs.dev/registry-sha256"]) == 64
    assert annotations["obs.dev/profile"] == "claim"
    assert annotations["obs.dev/drain-seconds"] == "60"


def test_fleets_of_one_name_in_two_namespaces_have_two_files() -> None:
    """The namespace comes into the file name only where it has to."""
    other = (
        CLAIM.removeprefix("fleets:\n")
        .replace("mode: claim", "mode: claim\n    namespace: other")
        .replace("coord}", "c2}")
    )
    paths = sorted(generate(CLAIM + other))
    assert paths == ["scalers/README.md", "scalers/agents.workers.yaml", "scalers/other.workers.yaml"]


def test_a_fallback_never_promises_more_than_the_maximum() -> None:
    """A fleet of one has a fallback of one."""
    spec = scaled_object(CLAIM.replace("max: 20", "max: 1"))["spec"]
    assert spec["fallback"]["replicas"] == 1


def test_an_own_query_replaces_the_backlog() -> None:
    """Work that waits elsewhere can be scaled on, as long as the query is one element and cannot be NaN."""
    text = with_scaling(CLAIM, query="\"sum(rabbitmq_queue_messages{queue='inbox'})\"", target=8)
    metadata = scaled_object(text)["spec"]["triggers"][0]["metadata"]
    assert metadata["query"] == "sum(rabbitmq_queue_messages{queue='inbox'})"
    assert metadata["threshold"] == "8"


def test_tasks_of_another_length_get_another_behaviour() -> None:
    """The longer a task takes, the longer a pod is kept."""
    windows = [
        scaled_object(CLAIM + f"    tasks: {length}\n")["spec"]["advanced"]["horizontalPodAutoscalerConfig"][
            "behavior"
        ]["scaleDown"]["stabilizationWindowSeconds"]
        for length in ("short", "medium", "long")
    ]
    assert windows == sorted(windows)
    assert windows[0] < windows[2]


def test_no_fleet_no_scaler() -> None:
    """Without fleets there is nothing to say about scaling."""
    assert generate("fleets: []\n") == {}


def test_scalers_say_which_series_they_read() -> None:
    """The page of the metrics lists the scaler at each series."""
    used = dict(generate(REACTIVE)["scalers/reactors.yaml"].uses)
    assert set(used) == {"agent_inflight_reactions", "agent_pending_events", "agent_saturation"}
