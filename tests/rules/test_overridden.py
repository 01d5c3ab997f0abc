"""The unit tests follow the configuration: with other thresholds, times and fleets they pass as well."""

from __future__ import annotations

import pytest

from tests.rules.test_promtool import promtool
from tests.rules.trees import deploy

THRESHOLDS = """
thresholds:
  saturation_high: 0.99
  memory_high: 0.5
  runs_objective: 0.8
  slo_min_runs: 100
  intel_down_share: 0
  intel_error_share: 0.95
  mcp_failures: 0
  limit_share: 0.01
  crashed_share: 0.5
  stalled_share: 0.9
  reaction_lag_high: 600
  backlog_wait: 60
  claims_lost_ratio: 0.2
  tokens_per_hour: 100
  sidecar_stale: 1000
  budget_refusals: 0
  subagent_restarts: 0
"""
SECONDS = """
prometheus: {scrape_interval: 1s, evaluation_interval: 1s}
alerts: {for_factor: 0.0167}
fleets:
  - {name: w, mode: claim, replicas: {min: 0, max: 9}, backlog: {service: "a\\"b"}}
  - {name: x, mode: claim, replicas: {min: 2, max: 9}}
  - {name: y, mode: shard}
"""
SLOW_SCRAPES = "prometheus: {scrape_interval: 5m, evaluation_interval: 2m}\n"

CASES = (
    *(
        (THRESHOLDS, group)
        for group in ("autoscaling", "contract", "cost", "dependencies", "resources", "runs")
    ),
    *((SECONDS, group) for group in ("autoscaling", "availability", "contract", "runs")),
    *((SLOW_SCRAPES, group) for group in ("cost", "dependencies", "runs", "safety")),
)


@pytest.mark.slow
@pytest.mark.tools
@pytest.mark.parametrize(("config", "group"), CASES)
def test_unit_tests_of_an_overridden_configuration_pass(tmp_path, config, group):
    """Limits at their ends, `for` in seconds, windows of many minutes, several fleets of each kind."""
    promtool("test", "rules", deploy(tmp_path, config) / "rules/tests" / f"{group}.yaml")
