"""An expression is checked against what exists, label by label."""

from __future__ import annotations

import pytest

from obs.promql.build import quote, regex_any, selector
from obs.promql.check import check_expression, series_in
from tests.home import sources

GOOD = [
    'sum by (fleet, status) (rate(agent_runs_total{status=~"crashed|stalled"}[5m]))',
    "max by (namespace, pod) (agent_saturation)",
    'agent_up{namespace="a"} == 1',
    'absent(agent_up{fleet="x"})',
    "count(agent_runs_total)",
    "changes(agent_config_generation[10m]) > 0",
    "sum(increase(agent_tokens_total[1h])) / (sum(increase(agent_runs_total[1h])) > 0)",
    "topk(10, max by (instance) (agent_reaction_lag_ms))",
    "histogram_quantile(0.9, sum by (le) (rate(agent_run_duration_ms_bucket[5m])))",
    'label_replace(agent_up, "who", "$1", "pod", "(.*)") * on (pod) group_left (node) kube_pod_info',
    'sum(rate(agent_runs_total{cluster=~"$cluster",status!="completed"}[$__rate_interval]))',
    "max_over_time(agent_saturation[1h:1m])",
    'sum by (type) (rate(agent_tokens_total{type=""}[5m]))',
    "agent_up unless agent_ready",
    "sum(agent_runs_total unless agent_runs_total offset 15m)",
    "sum(agent_runs_total unless max_over_time(agent_runs_total[15m] offset 15m))",
    "agent_up and on (pod) agent_ready",
]  # fmt: skip


@pytest.mark.parametrize("expression", GOOD)
def test_right_expressions_pass(expression):
    """No false alarm on what boards and alerts really ask."""
    assert check_expression(expression, sources().catalog) == ()


BAD = [
    ("sum(rate(agent_run_total[5m]))", "unknown-series", "did you mean `agent_runs_total`?"),
    ('agent_runs_total{state="x"}', "unknown-label", "no label `state`"),
    ('rate(agent_runs_total{status="complete"}[5m])', "impossible-value", "did you mean `completed`?"),
    ('rate(agent_runs_total{status=~"crash|stalled"}[5m])', "impossible-value", "`crash`"),
    ('rate(agent_runs_total{status=~"x.*"}[5m])', "impossible-value", "matches `x.*`"),
    ("rate(agent_saturation[5m])", "rate-on-gauge", "gauge `agent_saturation`"),
    ("sum(agent_runs_total)", "raw-counter", "read without a rate"),
    ("agent_tokens_total > 5", "raw-counter", "agent_tokens_total"),
    ("sum by (status) (rate(agent_tokens_total[5m]))", "lost-label", "nothing inside has that label"),
    ("sum by (pod) (sum by (fleet) (agent_up))", "lost-label", "by (pod)"),
    (
        "histogram_quantile(0.9, sum by (fleet) (rate(agent_run_duration_ms_bucket[5m])))",
        "lost-label",
        "without `le`",
    ),
    ("agent_up * on (status) agent_ready", "lost-label", "on (status)"),
    ("sum(rate(agent_runs_total[5m])", "syntax", "not PromQL"),
    ("rate(agent_runs_total)", "syntax", "expected type matrix"),
]


@pytest.mark.parametrize(("expression", "kind", "said"), BAD)
def test_wrong_expressions_are_explained(expression, kind, said):
    """What is wrong, and the nearest right word."""
    problems = check_expression(expression, sources().catalog)
    assert any(problem.kind == kind and said in str(problem) for problem in problems), problems


def test_series_are_found_everywhere():
    """Both sides, arguments, sub-queries."""
    expression = "max_over_time(sum(rate(agent_runs_total[5m]))[1h:1m]) / on () group_left count(up) > scalar(agent_up)"
    assert series_in(expression) == ("agent_runs_total", "agent_up", "up")


def test_every_string_is_escaped():
    """Quotes, backslashes, newlines and pattern characters stay what they are."""
    nasty = 'a"b\\c\nd.e|f'
    assert check_expression(selector("up", [("job", "=", nasty)]), sources().catalog) == ()
    assert quote('a"\\\n') == '"a\\"\\\\\\n"'
    assert regex_any(["a.b", "c|d"]) == "a\\.b|c\\|d"
