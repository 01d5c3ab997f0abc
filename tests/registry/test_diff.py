"""What changed between two registries, how heavy it is, and whether the version says so."""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, assume, given, settings

from obs.errors import RegistryInvalidError
from obs.registry.diff import Weight, diff, version_problem
from tests.generate.test_cli import obs
from tests.home import parsed, registry_data
from tests.strategies import registries


def changed(change, version="1.0"):
    """The packaged registry before and after a change."""
    data = registry_data()
    change(data)
    data["metrics_schema"] = version
    return parsed(registry_data()), parsed(data)


def drop(name):
    """Remove a metric and its place in the subsets."""

    def change(data):
        data["metrics"] = [metric for metric in data["metrics"] if metric["name"] != name]
        for key in ("autoscaling_signal_subset", "cost_token_subset"):
            data[key] = [listed for listed in data[key] if listed != name]

    return change


def grow(data):
    """A new metric and a new value."""
    data["metrics"].append(data["metrics"][0] | {"name": "agent_new", "neutral_name": "agent_new"})
    data["closed_label_domains"]["limit"].insert(0, "tokens_lifetime")


@pytest.mark.parametrize(
    ("change", "weight", "said"),
    [
        (drop("agent_up"), Weight.BREAKING, "stable gauge was removed"),
        (drop("agent_mcp_up"), Weight.ADDITION, "provisional gauge was removed"),
        (grow, Weight.ADDITION, "stable gauge was added"),
        (grow, Weight.ADDITION, "value `tokens_lifetime` was added"),
        (lambda d: d["closed_label_domains"]["limit"].remove("depth"), Weight.BREAKING, "value `depth` was removed"),
        (lambda d: d["metrics"][0].update(unit="1"), Weight.BREAKING, "unit `bool` became `1`"),
        (lambda d: d["metrics"][3].update(labels=[]), Weight.BREAKING, "label `status` was removed"),
        (lambda d: d["metrics"][0].update(help="Other words."), Weight.NOTE, "help was reworded"),
        (lambda d: d["metrics"][0].update(status="provisional"), Weight.BREAKING, "`stable` became `provisional`"),
    ],
)  # fmt: skip
def test_each_change_has_its_weight(change, weight, said):
    """Removal breaks, growth adds, words are a note."""
    found = diff(*changed(change))
    assert any(item.weight is weight and said in item.message for item in found), found


def test_the_version_must_fit_the_changes():
    """Additions need a minor, breaks a major, words nothing."""
    old, new = changed(grow)
    assert "raise it to 1.1" in version_problem(old, new, diff(old, new))
    old, new = changed(grow, version="1.1")
    assert version_problem(old, new, diff(old, new)) == ""
    old, new = changed(drop("agent_up"), version="1.1")
    assert "raise it to 2.0" in version_problem(old, new, diff(old, new))


@settings(
    max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)
@given(registries())
def test_a_registry_does_not_differ_from_itself(data):
    """And everything is said when it is compared with nothing in common."""
    try:
        registry = parsed(data)
    except RegistryInvalidError:
        assume(False)
    assert diff(registry, registry) == ()
    home = parsed(registry_data())
    named = {change.subject for change in diff(registry, home)}
    assert set(home.by_name) - set(registry.by_name) <= named


def test_the_command_names_what_a_break_touches(tmp_path):
    """Exit 1, the change, and the version that would be right."""
    data = registry_data()
    drop("agent_up")(data)
    new = tmp_path / "new.json"
    new.write_text(json.dumps(data))
    done = obs("registry", "diff", "registry/metrics.registry.json", new)
    assert done.returncode == 1
    assert "breaking: agent_up: stable gauge was removed (-1 series an instance)" in done.stdout
    assert "raise it to 2.0" in done.stderr
    rows = json.loads(obs("registry", "diff", "registry/metrics.registry.json", new, "--json").stdout)
    assert rows["changes"][0]["subject"] == "agent_up"
    same = obs("registry", "diff", "registry/metrics.registry.json")
    assert (same.returncode, same.stdout) == (0, "no difference\n")


def test_docs_prints_the_page():
    """The page of the tree, on the terminal."""
    assert obs("registry", "docs").stdout.startswith("# Metrics\n")
