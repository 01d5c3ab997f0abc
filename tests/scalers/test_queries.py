"""The queries of the scalers, evaluated by Prometheus itself (promtool)."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from obs.documents.dump import to_yaml
from tests.scalers.fleets import CLAIM, REACTIVE, scaled_object
from tests.tools import require

COORDINATION = 'agentctl_coordination_{name}{{namespace="agents",service="{service}",pod="{pod}"}}'
AGENT = 'agent_{name}{{namespace="agents",fleet="{fleet}",pod="{pod}"}}'


def queries(text: str) -> list[str]:
    """Return the queries of a configuration's ScaledObject, in order."""
    return [trigger["metadata"]["query"] for trigger in scaled_object(text)["spec"]["triggers"]]


def judged(tmp_path: Path, series: dict[str, float], expected: dict[str, float | None]) -> str:
    """Return what promtool says of the values that queries have, None being no element at all; empty when right."""
    test: dict[str, Any] = {
        "interval": "15s",
        "input_series": [{"series": name, "values": f"{value}x8"} for name, value in series.items()],
        "promql_expr_test": [
            {
                "expr": query,
                "eval_time": "1m",
                "exp_samples": [] if value is None else [{"labels": "{}", "value": value}],
            }
            for query, value in expected.items()
        ],
    }
    file = tmp_path / "queries.yaml"
    file.write_bytes(to_yaml({"rule_files": [], "tests": [test]}))
    done = subprocess.run(
        [require("promtool"), "test", "rules", str(file)], capture_output=True, text=True, check=False
    )
    return done.stdout + done.stderr if done.returncode else ""


def coordination(service: str, pod: str, pending: float, claimed: float) -> dict[str, float]:
    """Return the series of one replica of a coordination server."""
    return {
        COORDINATION.format(name="pending", service=service, pod=pod): pending,
        COORDINATION.format(name="claimed", service=service, pod=pod): claimed,
    }


@pytest.mark.tools
def test_a_backlog_is_counted_once_and_only_the_fleets_own(tmp_path: Path) -> None:
    """Two replicas report 3 waiting and 4 claimed items, another server 100: the fleet is scaled on 7."""
    series = {
        **coordination("coord", "a", 3, 4),
        **coordination("coord", "b", 3, 4),
        **coordination("other", "c", 100, 100),
    }
    (query,) = queries(CLAIM)
    assert judged(tmp_path, series, {query: 7}) == ""
    assert judged(tmp_path, series, {query: 14})


@pytest.mark.tools
@pytest.mark.parametrize("missing", ["pending", "claimed", "both"])
def test_half_a_backlog_is_no_backlog(tmp_path: Path, missing: str) -> None:
    """Without one of the two series there is no element, which is an error for KEDA and not a smaller number."""
    series = {
        name: value
        for name, value in coordination("coord", "a", 3, 4).items()
        if missing not in name and missing != "both"
    }
    (query,) = queries(CLAIM)
    assert judged(tmp_path, series or {"up": 1}, {query: None}) == ""


@pytest.mark.tools
def test_a_reactive_fleet_adds_up_over_its_pods(tmp_path: Path) -> None:
    """Three pods of the fleet count, a pod of another fleet does not."""
    series = {
        AGENT.format(name=name, fleet=fleet, pod=pod): value
        for fleet, pod in (("reactors", "a"), ("reactors", "b"), ("reactors", "c"), ("others", "d"))
        for name, value in (("pending_events", 2), ("inflight_reactions", 5), ("saturation", 0.5))
    }
    work, saturation = queries(REACTIVE)
    assert judged(tmp_path, series, {work: 21, saturation: 1.5}) == ""
