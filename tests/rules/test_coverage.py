"""Every alert has every test case that applies to it, and a reason for each that does not."""

from __future__ import annotations

import math
import re

import pytest
import yaml

from obs.emit.rules.cases import STANDARD, cases_of
from obs.emit.rules.settle import rule_set
from obs.emit.rules.timeline import Scale
from obs.model.metric import Kind
from obs.specs.alerts import Comparison
from obs.specs.expressions import clock_of, with_budgets
from tests.home import REPO, sources
from tests.rules.trees import deploy


def scale():
    """The numbers that the example configuration's tests are written with."""
    clock = clock_of(sources().config)
    known = with_budgets(sources().thresholds, sources().registry)
    return Scale(clock, {**{name: one.value for name, one in known.items()}, "scrape": clock.scrape})


RULES = rule_set(sources().alerts, sources())
ALERTS = pytest.mark.parametrize("alert", RULES.alerts, ids=lambda alert: alert.rule.name)


def cases(alert):
    """The cases of an alert by name."""
    return {case.name: case for case in cases_of(alert, RULES.resolver, scale(), sources().config)}


def applicable(alert):
    """The standard cases that apply by the nature of the alert: worked out here anew, not taken from the product."""
    names = set(STANDARD)
    clock = clock_of(sources().config)
    kinds = [RULES.resolver.catalog.find(series.selector.split("{")[0]) for series in alert.spec.tests.series]
    counting = any(facts is not None and facts.kind == Kind.COUNTER for facts in kinds)
    if alert.spec.comparison is Comparison.EQUALS:
        names -= {"just past", "just short"}
    if not counting:
        names.discard("no traffic")
    if alert.rule.hold <= 2 * max(clock.scrape, clock.test_evaluation):
        names.discard("blip")
    return names


@ALERTS
def test_every_applicable_case_is_there(alert):
    """Derived or written out; what is skipped has a reason, and a fleet's own series may not name a pod."""
    there, skipped = set(cases(alert)), alert.spec.tests.skip
    missing = applicable(alert) - there
    if "recreated" in missing - set(skipped):  # only for series that belong to no pod
        assert not any(re.search(r"[{,]pod=", series) for series, _ in cases(alert)["fires"].series)
        missing.discard("recreated")
    assert missing <= set(skipped), missing
    assert all(len(reason.split()) > 2 or name in there for name, reason in skipped.items())


@ALERTS
def test_an_alert_fires_is_quiet_and_resolves(alert):
    """At least one look finds it firing; another, after the fault, finds nothing."""
    looks = [check for case in cases(alert).values() for check in case.checks]
    assert any(check.expected for check in looks)
    assert any(check.expected is None for check in looks)
    fires = cases(alert)["fires"].checks
    assert "resolves" in cases(alert) or fires[-1].expected is None


@ALERTS
def test_firing_looks_check_the_annotations(alert):
    """With every template action filled in: nothing of it is left, and no label came out empty."""
    for case in cases(alert).values():
        for check in case.checks:
            if check.expected:
                assert set(check.expected.annotations) == set(alert.rule.annotations)
                text = " ".join(check.expected.annotations.values())
                assert "{{" not in text
                assert "[[" not in text
                assert "  " not in check.expected.annotations["description"]
                assert set(check.expected.labels) - {"alertname", "severity", "owner"} <= alert.labels


def test_the_number_of_cases_is_what_people_are_told(tmp_path):
    """Every case of every alert is in the files that promtool runs, by its name."""
    out = deploy(tmp_path)
    named = {
        name
        for path in (out / "rules/tests").glob("*.yaml")
        for test in yaml.safe_load(path.read_text())["tests"]
        for name in test["name"].split("; ")
    }
    assert named == {f"{alert.rule.name}: {name}" for alert in RULES.alerts for name in cases(alert)}
    assert len(RULES.alerts) > 40


def test_every_file_of_alerts_is_used():
    """A file of alerts/ that no group came from would be lost without a word."""
    assert {group.name for group in sources().alerts} == {
        path.stem for path in (REPO / "alerts").glob("*.yaml") if path.stem != "thresholds"
    }


def test_burn_rates_can_be_reached():
    """One alert for each pair of windows, each limit a share that failures can exceed, slower ones lower."""
    limits = [alert.limit for alert in RULES.alerts if alert.spec.limit.burn]
    assert len(limits) == 3
    assert all(0 < limit < 1 for limit in limits)
    assert limits == sorted(limits, reverse=True)
    assert math.isclose(limits[0], 14.4 * 0.05)
