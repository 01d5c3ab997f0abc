"""Annotations come out as Prometheus renders them: asked of a real promtool."""

from __future__ import annotations

import json
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from obs.emit.rules.annotation import FUNCTIONS, labels_in, problems_of, render
from tests.home import sources
from tests.rules.test_coverage import RULES
from tests.tools import require

VALUES = (
    *(0, 1, 2, 59, 60, 61, 3599, 3600, 86399, 86400, 90061, 999, 1000, 1023, 1024, 1536, 5e6, 5e9, 1e15),
    *(0.5, 0.72, 0.1, 0.001, 0.0001, 1e-9, 0.99495, 12.5, 1234.5678, 999.96, 0.0999999),
    *(-1, -0.5, -61, -86400, -1500),
)


@pytest.mark.tools
@pytest.mark.parametrize("function", sorted(FUNCTIONS))
def test_promtool_renders_the_same(tmp_path, function):
    """Every function over small, large, whole, broken and negative values."""
    rules, tests = [], []
    for index, value in enumerate(VALUES):
        text = f"{{{{ $labels.job }}}}: {{{{ $value | {function} }}}}."
        rules.append({"alert": f"A{index}", "expr": f'm{{n="{index}"}} > -1e9', "annotations": {"a": text}})
        labels = {"job": "j", "n": str(index)}
        tests.append(
            {
                "eval_time": "0s",
                "alertname": f"A{index}",
                "exp_alerts": [{"exp_labels": labels, "exp_annotations": {"a": render(text, labels, value)}}],
            }
        )
    series = [
        {"series": f'm{{job="j",n="{index}"}}', "values": f"{value:.20f}"}
        for index, value in enumerate(VALUES)
    ]
    (tmp_path / "r.yaml").write_text(json.dumps({"groups": [{"name": "g", "rules": rules}]}))
    document = {
        "rule_files": ["r.yaml"],
        "tests": [{"interval": "1m", "input_series": series, "alert_rule_test": tests}],
    }
    (tmp_path / "t.yaml").write_text(json.dumps(document))
    done = subprocess.run(
        [require("promtool"), "test", "rules", str(tmp_path / "t.yaml")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@given(st.text(alphabet="{}$labels.value| ab\n", max_size=40))
def test_what_is_allowed_is_rendered_completely(text):
    """A text without a complaint has no action left after rendering."""
    if not problems_of(text):
        assert problems_of(render(text, {}, 1.0)) == ()
        assert labels_in(render(text, {}, 1.0)) == frozenset()


def test_braces_of_prometheus_survive_the_templates():
    """Jinja's delimiters are others, so that every action of an annotation reaches the rule file."""
    for group in sources().alerts:
        for spec in group.alerts:
            rule = next((alert.rule for alert in RULES.alerts if alert.rule.name == spec.name), None)
            if rule is not None:
                assert rule.annotations["description"].count("{{") == spec.description.count("{{")
                assert rule.annotations["summary"] == spec.summary
