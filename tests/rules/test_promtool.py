"""The generated rules and their unit tests, judged by promtool."""

from __future__ import annotations

import json
import subprocess

import pytest

from tests.home import REPO, registry_data
from tests.rules.trees import alerts_of, deploy
from tests.tools import require

GROUPS = tuple(sorted(path.stem for path in (REPO / "alerts").glob("*.yaml") if path.stem != "thresholds"))


def promtool(*words):
    """Run promtool and fail with what it says."""
    done = subprocess.run(
        [require("promtool"), *map(str, words)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.tools
def test_promtool_accepts_the_rules(tmp_path):
    """Both rule files are valid, and no rule stands there twice."""
    out = deploy(tmp_path)
    said = promtool("check", "rules", "--lint-fatal", out / "rules/recording.yaml", out / "rules/alerts.yaml")
    assert "duplicate" not in said


@pytest.mark.tools
@pytest.mark.parametrize("group", GROUPS)
def test_unit_tests_pass(tmp_path, group):
    """Every generated test of a group passes: the alert fires, stays quiet, survives, resolves, says what it should."""
    out = deploy(tmp_path)
    promtool("test", "rules", out / "rules/tests" / f"{group}.yaml")


@pytest.mark.tools
def test_a_later_minor_brings_its_alerts(tmp_path):
    """With a registry of metrics_schema 1.1 the budget that is left is watched, and its tests pass."""
    data = registry_data()
    like = next(metric for metric in data["metrics"] if metric["name"] == "agent_pending_events")
    added = {
        key: value for key, value in like.items() if key not in ("aliases_scaling", "scaling_role", "note")
    } | {
        "name": "agent_budget_tokens_remaining",
        "neutral_name": "agent_budget_tokens_remaining",
        "help": "Tokens left of the budget.",
        "autoscaling_signal": False,
        "cost_signal": True,
    }
    data["metrics_schema"] = "1.1"
    data["metrics"].append(added)
    data["cost_token_subset"].append(added["name"])
    path = tmp_path / "r.json"
    path.write_text(json.dumps(data))
    out = deploy(tmp_path, registry=path)
    assert "AgentBudgetNearlySpent" in alerts_of(out)
    promtool("test", "rules", out / "rules/tests/cost.yaml")
