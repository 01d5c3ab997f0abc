"""What the boards say of a fleet that nobody scrapes, and of one that is scraped without a cluster's labels."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from obs.emit.boards.frame import ALL_VALUES
from obs.model.metric import Status
from obs.synth.plan import make_plan
from obs.synth.scenario import Scenario
from obs.synth.series import Options, agent_body
from obs.synth.world import make_world
from tests.dashboards.boards import Json, data_panels, home, home_models, is_about
from tests.tools import require

pytestmark = pytest.mark.tools

WINDOWS = {"__rate_interval": "1m", "__range": "5m"}
JOB = "default/agents (blue), 50%"
"""A job name of the kind that relabelling can make."""


def expand(expr: str) -> str:
    """Return a query as Grafana sends it with everything selected."""
    return re.sub(r"\$\{?([a-z_]\w*)\}?", lambda match: WINDOWS.get(match[1]) or ALL_VALUES[match[1]], expr)


def run(folder: Path, series: list[Json], tests: list[Json]) -> str:
    """Return what promtool says about expressions over given series; empty when all are as expected."""
    promtool = require("promtool")
    document = {
        "evaluation_interval": "15s",
        "tests": [{"interval": "15s", "input_series": series, "promql_expr_test": tests}],
    }
    path = folder / "test.yaml"
    path.write_text(json.dumps(document))  # JSON is YAML
    ran = subprocess.run(
        [promtool, "test", "rules", str(path)], capture_output=True, text=True, check=False, timeout=60
    )
    return "" if ran.returncode == 0 else ran.stdout + ran.stderr


def queries() -> Iterator[tuple[Json, str]]:
    """Yield every query of every board with its panel."""
    for board in home_models().values():
        for panel in data_panels(board):
            for target in panel["targets"]:
                yield panel, expand(target["expr"])


def test_a_fleet_that_nobody_scrapes_shows_no_number(tmp_path: Path) -> None:
    """Without a single series no panel of any board has a value: absence is never a zero, let alone a green one."""
    unrelated = [{"series": "node_load1{instance='a:9100'}", "values": "1x40"}]
    tests = [
        {"expr": expr, "eval_time": "10m", "exp_samples": []} for expr in sorted({q for _, q in queries()})
    ]
    assert run(tmp_path, unrelated, tests) == ""


def agent_series(**labels: str) -> list[Json]:
    """Return the series of one synthetic agent at work, counters growing, with the given labels of its target."""
    plan = make_plan(home().config, 3, None, 1)
    world = make_world(plan, Scenario.STEADY, 600)
    body = agent_body(world, 1, home().registry, Options())
    target = ",".join(f"{key}={json.dumps(value)}" for key, value in labels.items())
    own = ("up", "scrape_samples_post_metric_relabeling")  # what Prometheus itself says of a target
    found: list[Json] = [{"series": f"{name}{{{target}}}", "values": "1x60"} for name in own]
    for family in body:
        step = 3 if str(family.kind) == "counter" else 0
        for sample in family.samples:
            pairs = [*sample.labels, *labels.items()]
            inside = ",".join(f"{key}={json.dumps(value)}" for key, value in pairs)
            found.append(
                {"series": f"{sample.name}{{{inside}}}", "values": f"{sample.value or 1:g}+{step}x60"}
            )
    return found


def platform(panel: Json) -> bool:
    """Return whether a panel is fed by something besides the agent."""
    said = panel["fieldConfig"]["defaults"]["noValue"]
    metrics = is_about(panel)
    provisional = bool(metrics) and all(metric.status is Status.PROVISIONAL for metric in metrics)
    return said != "no data" or provisional or not metrics


def test_a_plain_prometheus_without_a_clusters_labels_is_enough(tmp_path: Path) -> None:
    """With a job and an instance label alone, under any name, every panel about the agent has a value."""
    tests: list[dict[str, Any]] = [
        {"expr": f"count({expr}) > bool 0", "eval_time": "10m", "exp_samples": [{"labels": "{}", "value": 1}]}
        for panel, expr in queries()
        if not platform(panel) and " offset 1d" not in expr and not re.search(r'(fleet|namespace)="', expr)
    ]
    assert len(tests) > 150
    assert run(tmp_path, agent_series(job=JOB, instance="10.0.0.7:9090"), tests) == ""


def test_instances_of_two_clusters_are_not_mixed(tmp_path: Path) -> None:
    """Two agents with the same namespace and instance in two clusters stay two series, and none is added to another."""
    shared = {"job": JOB, "namespace": "agents", "instance": "10.0.0.7:9090"}
    series = [*agent_series(**shared, cluster="east"), *agent_series(**shared, cluster="west")]
    tests = [
        {"expr": f"count({expr})", "eval_time": "10m", "exp_samples": [{"labels": "{}", "value": 2}]}
        for panel, expr in queries()
        if "by (cluster, namespace, instance)" in expr and not platform(panel)
    ]
    tests += [
        {"expr": f"max({expr})", "eval_time": "10m", "exp_samples": [{"labels": "{}", "value": 1}]}
        for panel, expr in queries()
        if panel["title"] == "Readiness, worst agents first"
    ]
    assert len(tests) > 10
    assert run(tmp_path, series, tests) == ""


def test_promtool_would_tell(tmp_path: Path) -> None:
    """The judge is awake: an expectation that does not hold is reported."""
    wrong = [{"expr": "count(agent_up) > bool 0", "eval_time": "10m", "exp_samples": []}]
    assert "FAILED" in run(tmp_path, agent_series(job=JOB, instance="a:1"), wrong)
