"""ScaledObjects that somebody wrote: fragments, several files, nonsense."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from obs.checks.scaling import check_scaled_objects
from obs.checks.scaling.examples import CLAIM, EXTERNAL, REACTIVE, edited
from obs.documents.load import Document, load_all_yaml
from obs.errors import InvalidInputError
from obs.model.finding import Finding, Severity
from tests.scalers.fleets import facts


def check(*texts: str) -> tuple[Finding, ...]:
    """Return the findings of several files, called a.yaml, b.yaml and so on."""
    documents = [
        document
        for index, text in enumerate(texts)
        for document in load_all_yaml(text, f"{chr(97 + index)}.yaml")
    ]
    return check_scaled_objects(documents, facts())


def codes(*texts: str) -> set[str]:
    """Return the codes of several files."""
    return {finding.code for finding in check(*texts)}


QUERIES = {
    "one series a pod": ("agent_pending_events", "K012"),
    "grouped by pod": ("sum by (pod) (agent_inflight_reactions)", "K012"),
    "grouped without": ("sum without (pod) (agent_inflight_reactions)", "K012"),
    "a scalar": ("scalar(sum(agent_inflight_reactions))", "K012"),
    "two numbers": ("1 + 1", "K012"),
    "a range": ("agent_inflight_reactions[5m]", "K012"),
    "one": ("sum(agent_inflight_reactions)", ""),
    "a vector": ("vector(1)", ""),
    "grouped by nothing": ("sum by () (agent_inflight_reactions)", ""),
    "a quantile of buckets": ("histogram_quantile(0.9, sum by (le) (rate(x_bucket[5m])))", ""),
    "the longest of a window": ("max_over_time(sum(agent_inflight_reactions)[5m:1m])", ""),
    "each pod's longest": ("max_over_time(agent_inflight_reactions[5m])", "K012"),
    "a quantile of each pod": ("histogram_quantile(0.9, sum by (le, pod) (rate(x_bucket[5m])))", "K012"),
    "a quantile of raw buckets": ("histogram_quantile(0.9, rate(x_bucket[5m]))", "K012"),
    "a quantile of one element": ("histogram_quantile(0.9, (sum(rate(x_bucket[5m]))))", ""),
    "the largest pod": ("topk(1, agent_inflight_reactions)", ""),
    "the two largest pods": ("topk(2, agent_inflight_reactions)", "K012"),
    "clamped": ("clamp_max(sum(agent_inflight_reactions), 50)", ""),
    "negated": ("-sum(agent_inflight_reactions)", ""),
    "only while something": ("sum(agent_inflight_reactions) and vector(1)", ""),
    "one or a default": ("sum(agent_inflight_reactions) or vector(0)", ""),
    "0/0": ("sum(agent_inflight_reactions) / sum(agent_active_subagents)", "K029"),
    "0/0 with a default": ("sum(a) / sum(b) or vector(0)", "K029"),
    "bounded": ("sum(a) / clamp_min(sum(b), 1)", ""),
    "filtered": ("sum(a) / (sum(b) > 0)", ""),
    "by a constant": ("sum(a) / 4", ""),
    "by zero": ("sum(a) / 0", "K029"),
    "a counter": ("sum(agent_loop_steps_total)", "K010"),
    "somebody's counter": ("sum(jobs_total)", "K010"),
    "a rate": ("sum(rate(agent_loop_steps_total[5m]))", ""),
    "losses": ("sum(rate(agent_shard_skipped_total[5m]))", "K010"),
    "mean of work": ("avg(agent_inflight_reactions)", "K009"),
    "highest saturation": ("max(agent_saturation)", "K009"),
    "not built yet": ("sum(agent_tokens_per_sec)", "K031"),
    "a typo": ("sum(agent_inflight_reaction)", "K031"),
    "a rate of a gauge": ("sum(rate(agent_inflight_reactions[5m]))", "K031"),
    "not PromQL": ("sum(", "K030"),
}


@pytest.mark.parametrize("name", QUERIES)
def test_queries(name: str) -> None:
    """A query trips its one rule, or none."""
    query, code = QUERIES[name]
    trigger = {
        "query": query,
        "serverAddress": "http://p:9090",
        "threshold": "4",
        "ignoreNullValues": "false",
    }
    found = check(json.dumps({"type": "prometheus", "metadata": trigger}))
    expected = {code} - {""}
    waiting = {"K002"} if "pending" in query else set()
    assert {finding.code for finding in found} - waiting == expected


def test_findings_are_at_the_field() -> None:
    """File, line, column and JSON path are those of the offending key."""
    (finding,) = check(edited(CLAIM, ('activationThreshold: "0"', 'activationThreshold: "3"')))
    line = next(n for n, text in enumerate(CLAIM.splitlines(), 1) if "activationThreshold" in text)
    assert (finding.location.source, finding.location.line, finding.location.column) == ("a.yaml", line, 9)
    assert finding.location.path == "$.spec.triggers[0].metadata.activationThreshold"
    assert "3" in finding.message
    assert finding.subject == "inbox-workers"


def test_two_files_are_judged_together() -> None:
    """The second scaler of a workload is reported, with the place of the first."""
    second = edited(CLAIM, ("name: inbox-workers", "name: second"))
    found = [finding for finding in check(CLAIM, second) if finding.code == "K022"]
    assert [finding.location.source for finding in found] == ["b.yaml"]
    assert found[0].related[0].source == "a.yaml"


def test_a_plain_hpa_on_the_same_workload_is_a_second_autoscaler() -> None:
    """It does not have to be KEDA's."""
    hpa = (
        "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: h, namespace: agents}\n"
        "spec: {scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: inbox-workers}}\n"
    )
    assert codes(CLAIM, hpa) == {"K022"}


def test_a_workload_beside_its_scaler_owns_no_replicas() -> None:
    """The finding is in the workload's file; a workload of another name is nobody's business."""
    workload = (
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: NAME, namespace: agents}\n"
        "spec: {replicas: 1, template: {spec: {terminationGracePeriodSeconds: 90}}}\n"
    )
    (finding,) = check(CLAIM, workload.replace("NAME", "inbox-workers"))
    assert (finding.code, finding.location.source, finding.location.path) == (
        "K015",
        "b.yaml",
        "$.spec.replicas",
    )
    assert codes(CLAIM, workload.replace("NAME", "other")) == set()


def test_another_namespace_is_another_workload() -> None:
    """Names are unique in a namespace only."""
    workload = (
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: inbox-workers, namespace: NAMESPACE}\n"
        "spec: {replicas: 1, template: {spec: {terminationGracePeriodSeconds: 90}}}\n"
    )
    assert codes(CLAIM, workload.replace("NAMESPACE", "elsewhere")) == set()
    assert codes(CLAIM, workload.replace(", namespace: NAMESPACE", "")) == {"K015"}


def test_a_wider_selector_counts_the_narrower_one_too() -> None:
    """A fleet that selects only the namespace is scaled on the backlog of every server in it."""
    wide = REACTIVE[: REACTIVE.index("  triggers:")] + (
        "  triggers:\n    - type: prometheus\n      metadata:\n        serverAddress: http://p:9090\n"
        "        query: max(agentctl_coordination_pending{namespace='agents'})"
        " + max(agentctl_coordination_claimed{namespace='agents'})\n"
        "        threshold: '4'\n        ignoreNullValues: 'false'\n"
    )
    narrow = CLAIM.replace("{service=", '{namespace="agents",service=')
    assert codes(wide, narrow) == {"K011"}


def test_two_external_triggers_on_one_backlog_are_shared_too() -> None:
    """The address that the scaler asks tells backlogs apart, with or without a slash at its end."""
    other = edited(EXTERNAL, ("name: inbox-workers", "name: mail"), ("name: inbox-workers", "name: mail"))
    assert codes(EXTERNAL, other.replace("agents.svc/\n", "agents.svc\n")) == {"K011"}
    assert codes(EXTERNAL, other.replace("inbox-coord", "mail-coord")) == set()


def test_fleets_of_a_namespace_with_servers_of_their_own_share_nothing() -> None:
    """Two selectors that agree in the namespace and differ in the service are two backlogs."""
    one = CLAIM.replace("{service=", '{namespace="agents",service=')
    other = edited(one, ("name: inbox-workers", "name: mail"), ("name: inbox-workers", "name: mail"))
    assert codes(one, other.replace("inbox-coord", "mail-coord")) == set()
    assert codes(one, other) == {"K011"}


def test_every_unquoted_value_is_its_own_finding() -> None:
    """Two numbers in the metadata are two lines to change."""
    found = check(edited(CLAIM, ('"4"', "4"), ('ignoreNullValues: "false"', "ignoreNullValues: false")))
    assert [finding.code for finding in found] == ["K013", "K013"]
    assert 'threshold: "4"' in found[0].remedy


def test_findings_on_generated_like_scalers_are_errors_only_where_work_is_at_risk() -> None:
    """What only has no effect is information."""
    (finding,) = check(
        edited(REACTIVE, ("  minReplicaCount: 2", "  pollingInterval: 15\n  minReplicaCount: 2"))
    )
    assert finding.severity is Severity.INFO


def test_a_list_as_kubectl_prints_it_is_judged_item_by_item() -> None:
    """Each item counts as a document, and lines are those of the file."""
    bad = edited(CLAIM, ("  maxReplicaCount: 50\n", ""))
    items = "".join(f"  {line}\n" for line in bad.splitlines())
    text = "apiVersion: v1\nkind: List\nitems:\n-" + items[1:]
    (finding,) = check(text)
    assert finding.code == "K004"
    assert finding.location.line > 3


def test_the_hpa_that_keda_made_is_not_a_second_autoscaler() -> None:
    """Who dumps a cluster gets both."""
    hpa = (
        "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\n"
        "metadata: {name: keda-hpa-inbox-workers, namespace: agents}\n"
        "spec: {scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: inbox-workers}}\n"
    )
    assert codes(CLAIM, hpa) == set()


FIELD = st.sampled_from(
    [
        "apiVersion",
        "kind",
        "metadata",
        "name",
        "namespace",
        "annotations",
        "spec",
        "scaleTargetRef",
        "minReplicaCount",
        "maxReplicaCount",
        "fallback",
        "replicas",
        "behavior",
        "advanced",
        "horizontalPodAutoscalerConfig",
        "scaleUp",
        "scaleDown",
        "policies",
        "triggers",
        "type",
        "query",
        "threshold",
        "serverAddress",
        "metricType",
        "authenticationRef",
        "idleReplicaCount",
        "cooldownPeriod",
        "stabilizationWindowSeconds",
    ]
)
VALUE = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-5, 10**6)
    | st.floats()
    | st.sampled_from(
        [
            "ScaledObject",
            "keda.sh/v1alpha1",
            "prometheus",
            "external",
            "sum(a",
            "sum(agent_saturation)",
            "",
            "0",
            "nan",
        ]
    ),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(FIELD, inner, max_size=6),
    max_leaves=25,
)


@given(st.dictionaries(FIELD, VALUE, max_size=6), st.lists(VALUE, max_size=3))
def test_nonsense_is_judged_without_a_traceback(spec: dict[str, object], others: list[object]) -> None:
    """Whatever stands in a document, the rules answer with findings."""
    scaled = {"kind": "ScaledObject", "metadata": {"name": "x"}, "spec": spec}
    documents = [
        Document(f"{n}.yaml", data) for n, data in enumerate([scaled, spec, {"spec": spec}, *others])
    ]
    for finding in check_scaled_objects(documents, facts((2, 10))):
        assert finding.code.startswith("K")
        assert finding.message


@given(st.text(max_size=60))
def test_any_query_is_judged(query: str) -> None:
    """A trigger may hold any text as its query."""
    check_scaled_objects(
        [Document("x", {"triggers": [{"type": "prometheus", "metadata": {"query": query}}]})], facts()
    )


EXPECTED = {"K01": {"K012"}, "K02": {"K019"}, "K03": {"K029"}, "K04": {"K013"}}


def test_reported_faults_are_found() -> None:
    """Faults that people reported against KEDA scalers are each found as what they were."""
    shared = os.environ.get("OBS_SHARED")
    if not shared:
        pytest.skip("OBS_SHARED does not name the folder with the cases")
    lines = (Path(shared) / "cases" / "faults.jsonl").read_text().splitlines()
    cases = [case for case in map(json.loads, lines) if case["kind"] == "scaledobject"]
    assert {case["id"] for case in cases} == set(EXPECTED)
    for case in cases:
        try:
            assert EXPECTED[case["id"]] <= codes(case["input"]), case["id"]
        except InvalidInputError as error:
            pytest.fail(f"{case['id']}: {error}")
