"""Any registry of the published shape can be exposed: another prefix, metrics the model does not know, later minors."""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st

from obs.checks.engine import run
from obs.errors import RegistryInvalidError
from obs.exposition import Format, MetricType
from obs.synth.scenario import Scenario
from obs.synth.series import Options
from obs.synth.world import advance
from tests.strategies import registries
from tests.synth.worlds import bodies, formats, parsed, private, values, world


def _metric(name: str, kind: str, unit: str = "1", labels: dict[str, str] | None = None) -> dict:
    return {
        "name": name,
        "neutral_name": name,
        "type": kind,
        "labels": [{"key": key, "domain": domain} for key, domain in (labels or {}).items()],
        "unit": unit,
        "help": f"About {name}.",
        "status": "stable",
        "autoscaling_signal": False,
        "cost_signal": False,
    }


def _registry(*metrics: dict, prefix: str = "acme_") -> str:
    return json.dumps(
        {
            "metrics_schema": "1.0",
            "prefix": {"neutral": prefix},
            "closed_label_domains": {"colour": ["red", "green", "other"], "way": ["in", "out", "other"]},
            "autoscaling_signal_subset": [],
            "cost_token_subset": [],
            "metrics": list(metrics),
        }
    )


@pytest.mark.parametrize("unit", ["1", "ms", "bytes", "bool", "ratio", "1/s"])
@pytest.mark.parametrize("form", list(Format))
def test_unknown_gauges_have_values_of_their_unit(unit, form):
    """A gauge the model does not know is within the rules of its unit, and moves unless it is a flag."""
    known = private(_registry(_metric("acme_thing", "gauge", unit)))
    start = world()
    seen = set()
    for seconds in (0, 20, 40, 60, 80):
        body = dict(bodies(advance(start, seconds), known))[0]
        assert parsed(body, form).diagnoses == ()
        seen |= set(values(body).values())
    assert all(value >= 0 for value in seen)
    assert unit != "ratio" or max(seen) <= 1
    assert (len(seen) > 1) == (unit != "bool")


def test_unknown_counters_are_complete_and_follow_the_work():
    """All values of closed domains are there from the start, and grow with the agent's work."""
    labels = {"colour": "colour", "way": "way"}
    known = private(_registry(_metric("acme_things_total", "counter", labels=labels)))
    idle = values(dict(bodies(world(Scenario.IDLE), known))[0])
    busy = values(dict(bodies(world(), known))[0])
    assert len(idle) == len(busy) == 9
    assert sum(idle.values()) == 0
    assert sum(busy.values()) > 0


def test_open_labels_show_with_the_first_event():
    """A metric with an open domain has no series before there was work."""
    known = private(_registry(_metric("acme_hosts_total", "counter", labels={"host": "open_bounded"})))
    assert dict(bodies(world(Scenario.IDLE), known))[0] == ()
    assert len(values(dict(bodies(world(), known))[0])) == 3


@pytest.mark.parametrize("form", list(Format))
def test_unknown_histograms_are_sound(form):
    """A histogram of a private registry has rising buckets, `+Inf`, a count and a sum that agree."""
    known = private(_registry(_metric("acme_wait_ms", "histogram", "ms", labels={"way": "way"})))
    scrape = parsed(dict(bodies(world(), known))[0], form)
    assert scrape.diagnoses == ()
    assert scrape.families[0].kind is MetricType.HISTOGRAM
    assert scrape.series_count == 3 * 12


def test_another_prefix_has_the_same_values():
    """A private prefix changes the names, not what the model knows about them."""
    mine = values(dict(bodies(world(), private(_registry(_metric("acme_pending_events", "gauge")))))[1])
    neutral = values(dict(bodies(world()))[1])
    assert mine["acme_pending_events", ()] == neutral["agent_pending_events", ()]


def test_a_value_of_a_later_minor_starts_at_zero():
    """A value that a later minor adds to a closed domain is exposed, and what left it counts as `other`."""
    metric = _metric("agent_limit_exceeded_total", "counter", labels={"limit": "limit"})
    data = json.loads(_registry(metric, prefix="agent_"))
    data["closed_label_domains"]["limit"] = ["steps", "tokens_lifetime", "other"]
    known = private(json.dumps(data))
    body = values(dict(bodies(world(Scenario.BUDGET_EXHAUSTION, warm_up=300), known))[0])
    assert body["agent_limit_exceeded_total", (("limit", "tokens_lifetime"),)] == 0
    assert body["agent_limit_exceeded_total", (("limit", "other"),)] > 0


def test_the_budget_of_a_later_minor_runs_out():
    """`agent_budget_tokens_remaining` falls with use and is zero once the budget is exhausted."""
    known = private(_registry(_metric("agent_budget_tokens_remaining", "gauge"), prefix="agent_"))
    key = ("agent_budget_tokens_remaining", ())
    early, late = (values(dict(bodies(world(warm_up=at), known))[0])[key] for at in (60, 300))
    gone = values(dict(bodies(world(Scenario.BUDGET_EXHAUSTION), known))[0])[key]
    assert early > late > gone == 0


def test_conditional_metrics_may_be_left_out():
    """Without cgroup figures the memory metrics are absent, not zero."""
    names = {name for name, _ in values(dict(bodies(world(), options=Options(conditional=False)))[0])}
    assert not any("memory" in name for name in names)


def test_provisional_metrics_may_be_declared():
    """Declared provisional metrics have HELP and TYPE lines and no sample, in both formats."""
    body = dict(bodies(world(), options=Options(declare_provisional=True)))[0]
    empty = {family.name for family in body if not family.samples}
    assert "agent_run_duration_ms" in empty
    assert all(parsed(body, form).diagnoses == () for form in Format)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=registries(), idle=st.booleans(), form=formats)
def test_any_registry_is_exposed_as_lint_wants_it(data, idle, form):
    """Whatever a registry declares, its exposition is read without a complaint and breaks no rule of its own."""
    try:
        known = private(json.dumps(data))
    except RegistryInvalidError:
        reject()
    body = dict(bodies(world(Scenario.IDLE if idle else Scenario.STEADY, agents=2, warm_up=60), known))[0]
    scrape = parsed(body, form)
    assert scrape.diagnoses == ()
    found = [
        finding for finding in run(scrape, known) if finding.slug not in {"no-samples", "forbidden-label"}
    ]
    assert found == []
