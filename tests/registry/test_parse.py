"""Loading a registry: everything it says, or everything that is wrong with it."""

from __future__ import annotations

import csv
import json
import os
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from obs.errors import RegistryInvalidError
from obs.model.metric import Kind, Presence, Status
from obs.registry.parse import parse_registry
from tests.home import parsed, registry_data, semantics
from tests.strategies import registries


def index_of(data: dict[str, Any], name: str) -> int:
    """Where a metric stands in the file."""
    return next(i for i, metric in enumerate(data["metrics"]) if metric["name"] == name)


def test_the_frozen_registry_has_the_contracts_numbers():
    """51 metrics: 36 stable, 8 legacy, 7 provisional; 29 counters, 19 gauges, 3 histograms (contract section 6)."""
    registry = parsed(registry_data())
    assert Counter(metric.status for metric in registry.metrics) == {
        Status.STABLE: 36, Status.LEGACY: 8, Status.PROVISIONAL: 7,
    }  # fmt: skip
    assert Counter(metric.kind for metric in registry.metrics) == {
        Kind.COUNTER: 29, Kind.GAUGE: 19, Kind.HISTOGRAM: 3,
    }  # fmt: skip


def test_every_fact_of_the_published_table_is_in_the_registry():
    """Name, type, labels, unit, status, flags and aliases are those of the contract."""
    if "OBS_SHARED" not in os.environ:
        pytest.skip("OBS_SHARED names no folder with the published facts")
    rows = {}
    with (Path(os.environ["OBS_SHARED"]) / "facts" / "metrics.csv").open() as file:
        for row in csv.DictReader(file):
            if row["since_metrics_schema"] == "1.0":
                rows[row["name"]] = row
    registry = parsed(registry_data())
    assert set(rows) == set(registry.by_name)
    for metric in registry.metrics:
        row = rows[metric.name]
        labels = ";".join(f"{label.key}:{label.domain.name}" for label in metric.labels)
        flags = (str(int(metric.autoscaling_signal)), str(int(metric.cost_signal)))
        seen = (metric.kind, labels, metric.unit, metric.status, *flags, ";".join(metric.aliases))
        wanted = (
            "type",
            "labels(key:domain)",
            "unit",
            "status",
            "autoscaling_signal",
            "cost_signal",
            "aliases",
        )
        assert seen == tuple(row[key] for key in wanted), metric.name


BROKEN: dict[str, tuple[Any, str, str]] = {
    "unknown type": (lambda d: d["metrics"][0].update(type="guage"), "$.metrics[0].type", "did you mean `gauge`?"),
    "unknown status": (lambda d: d["metrics"][1].update(status="beta"), "$.metrics[1].status", "`beta`"),
    "unknown unit": (lambda d: d["metrics"][2].update(unit="seconds"), "$.metrics[2].unit", "`seconds`"),
    "duplicate name": (lambda d: d["metrics"].append(d["metrics"][0]), "$.metrics[51].name", "first at $.metrics[0]"),
    "missing domain": (
        lambda d: d["metrics"][3]["labels"][0].update(domain="statuses"),
        "$.metrics[3].labels[0].domain",
        "did you mean `status`?",
    ),
    "no prefix": (
        lambda d: d["metrics"][0].update(name="up", neutral_name="up"),
        "$.metrics[0].name",
        "lacks the prefix `agent_`",
    ),
    "flag without list": (
        lambda d: d["autoscaling_signal_subset"].remove("agent_saturation"),
        ".autoscaling_signal",
        "`agent_saturation` is not in $.autoscaling_signal_subset",
    ),
    "list without flag": (
        lambda d: d["cost_token_subset"].append("agent_up"),
        "$.cost_token_subset[4]",
        "its `cost_signal` is false",
    ),
    "list names nothing": (
        lambda d: d["cost_token_subset"].append("agent_tokens"),
        "$.cost_token_subset[4]",
        "did you mean `agent_tokens_total`?",
    ),
    "alias is a metric": (
        lambda d: d["metrics"][0].update(aliases_scaling=["agent_ready"]),
        "$.metrics[0].aliases_scaling[0]",
        "also the metric $.metrics[1]",
    ),
    "domain without other": (
        lambda d: d["closed_label_domains"]["limit"].remove("other"),
        "$.closed_label_domains.limit",
        "without the overflow value `other`",
    ),
    "counter without _total": (
        lambda d: d["metrics"][index_of(d, "agent_drains_total")].update(
            name="agent_drains", neutral_name="agent_drains"
        ),
        ".name",
        "call it `agent_drains_total`",
    ),
    "unknown major": (lambda d: d.update(metrics_schema="2.0"), "$.metrics_schema", "major 2 is not known"),
    "version is no version": (lambda d: d.update(metrics_schema=1.0), "$.metrics_schema", "is not `major.minor`"),
    "label key of the scrape": (
        lambda d: d["metrics"][3]["labels"][0].update(key="job"),
        "$.metrics[3].labels[0].key",
        "the scrape attaches",
    ),
    "metrics is no list": (lambda d: d.update(metrics={}), "$.metrics", "must be a list"),
    "empty": (lambda d: d.update(metrics=[]), "$.metrics", "at least one metric"),
    "label twice": (
        lambda d: d["metrics"][3]["labels"].append(d["metrics"][3]["labels"][0]),
        "$.metrics[3].labels[1].key",
        "stands here twice",
    ),
    "flag is no boolean": (lambda d: d["metrics"][0].update(cost_signal="no"), "$.metrics[0].cost_signal", "`no`"),
    "names differ": (lambda d: d["metrics"][0].update(neutral_name="agent_x"), "$.metrics[0].neutral_name", "differs"),
    "histogram part": (
        lambda d: d["metrics"][index_of(d, "agent_tree_depth")].update(
            name="agent_run_duration_ms_sum", neutral_name="agent_run_duration_ms_sum"
        ),
        ".name",
        "also a series of the histogram",
    ),
}  # fmt: skip


@pytest.mark.parametrize("fault", BROKEN)
def test_a_fault_is_refused_with_path_value_and_remedy(fault):
    """Each defect is named at its JSON path."""
    breaks, path, said = BROKEN[fault]
    data = registry_data()
    breaks(data)
    with pytest.raises(RegistryInvalidError) as caught:
        parsed(data)
    lines = [str(problem) for problem in caught.value.problems]
    assert any(path in line and said in line for line in lines), lines


def test_all_problems_are_said_at_once():
    """Ten faults in one file are ten problems, not one."""
    data = registry_data()
    for index in range(10):
        data["metrics"][index]["type"] = "meter"
    with pytest.raises(RegistryInvalidError) as caught:
        parsed(data)
    assert sum("unknown type" in str(problem) for problem in caught.value.problems) == 10


def test_a_newer_minor_with_more_metrics_and_values_loads():
    """Additive growth is tolerated (law L1, L3)."""
    data = registry_data()
    data["metrics_schema"] = "1.1"
    data["closed_label_domains"]["limit"].insert(0, "tokens_lifetime")
    data["metrics"].append(
        data["metrics"][0]
        | {"name": "agent_budget_tokens_remaining", "neutral_name": "agent_budget_tokens_remaining"}
        | {"unit": "1", "cost_signal": True, "x-new": 1}
    )
    registry = parsed(data)
    assert registry.version == (1, 1)
    budget = registry.by_name["agent_budget_tokens_remaining"]
    assert budget.semantics.title == "Token budget left"


def test_another_prefix_finds_the_semantics_of_the_same_name():
    """A private registry inherits what is known of the neutral metric."""
    data = json.loads(json.dumps(registry_data()).replace("agent_", "acme_"))
    registry = parsed(data)
    assert registry.by_name["acme_saturation"].semantics.title == "Saturation"
    assert registry.by_name["acme_runs_completed_total"].semantics.replaced_by == "acme_runs_total"


def test_a_metric_nobody_described_gets_safe_defaults():
    """A gauge whose additivity is unknown is not summed; an open label makes it lazy."""
    data = registry_data()
    data["metrics"].append(
        data["metrics"][0]
        | {"name": "agent_new", "neutral_name": "agent_new", "unit": "1"}
        | {"labels": [{"key": "model", "domain": "open"}]}
    )
    metric = parsed(data).by_name["agent_new"]
    assert metric.semantics.aggregation == "max"
    assert metric.semantics.presence is Presence.LAZY


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(registries(), st.randoms(use_true_random=False))
def test_the_order_of_the_file_changes_nothing(data, chance):
    """Metrics, subsets, keys and labels in another order make an equal registry with the same sha256."""
    try:
        first = parsed(data)
    except RegistryInvalidError as error:
        assert all("$" in problem.where for problem in error.problems)
        return
    assert parsed(shuffled(data, chance)) == first


def shuffled(data: dict[str, Any], chance: random.Random) -> dict[str, Any]:
    """The same content in another order."""
    keys = list(data)
    chance.shuffle(keys)
    turned = {key: data[key] for key in keys}
    for key in ("metrics", "autoscaling_signal_subset", "cost_token_subset"):
        turned[key] = chance.sample(data[key], len(data[key]))
    turned["metrics"] = [metric | {"labels": metric["labels"][::-1]} for metric in turned["metrics"]]
    return turned


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_any_json_is_a_registry_or_is_refused_with_a_path(data):
    """Whatever stands in the place of a part of the registry: no traceback."""
    whole = registry_data()
    spot = data.draw(st.sampled_from(["$", *whole, "metric", "label"]))
    value = data.draw(JSON_VALUES)
    if spot == "$":
        whole = value
    elif spot == "metric":
        whole["metrics"][data.draw(st.integers(0, 50))][
            data.draw(st.sampled_from(sorted(whole["metrics"][0])))
        ] = value
    elif spot == "label":
        whole["metrics"][3]["labels"] = [value]
    else:
        whole[spot] = value
    try:
        parsed(whole)
    except RegistryInvalidError as error:
        assert error.problems
        assert all("r.json: $" in problem.where for problem in error.problems)


def test_text_that_is_no_json_is_refused_with_line_and_column():
    """A stray comma is found by position."""
    with pytest.raises(RegistryInvalidError) as caught:
        parse_registry('{"metrics": [,]}', "r.json", semantics())
    assert str(caught.value).startswith("r.json:1:14: not JSON")
