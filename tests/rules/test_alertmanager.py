"""The Alertmanager configuration: accepted, and routing and silencing as the specs say."""

from __future__ import annotations

import re
import subprocess

import pytest
import yaml

from tests.rules.test_coverage import RULES
from tests.rules.trees import deploy
from tests.tools import require


@pytest.mark.tools
def test_amtool_accepts_it(tmp_path):
    """With the default configuration, and with one that leaves nothing to silence."""
    for number, config in enumerate(("", "fleets: []\n")):
        out = deploy(tmp_path / str(number), config)
        path = str(out / "rules/alertmanager.yaml")
        done = subprocess.run(
            [require("amtool"), "check-config", path], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.tools
@pytest.mark.parametrize(
    ("severity", "receiver"), [("critical", "page"), ("warning", "ticket"), ("info", "log")]
)
def test_amtool_routes_by_severity(tmp_path, severity, receiver):
    """Who is told depends on the severity alone."""
    path = str(deploy(tmp_path) / "rules/alertmanager.yaml")
    done = subprocess.run(
        [require("amtool"), "config", "routes", "test", f"--config.file={path}", f"severity={severity}"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.split() == [receiver]


def test_inhibitions_are_those_of_the_specs(tmp_path):
    """Each pair is there once, with the labels that both alerts have."""
    document = yaml.safe_load((deploy(tmp_path) / "rules/alertmanager.yaml").read_text())
    found = {
        (re.search(r'"(.*)"', rule["source_matchers"][0])[1], target)
        for rule in document["inhibit_rules"]
        for target in re.search(r'"(.*)"', rule["target_matchers"][0])[1].split("|")
    }
    names = {alert.rule.name for alert in RULES.alerts}
    meant = {
        (source, alert.rule.name)
        for alert in RULES.alerts
        for source in alert.spec.inhibited_by
        if source in names
    }
    assert found == meant
    assert all(rule["equal"] for rule in document["inhibit_rules"])


def test_no_two_alerts_silence_each_other():
    """Following who silences whom never leads back."""
    by = {alert.rule.name: alert.spec.inhibited_by for alert in RULES.alerts}

    def reaches(name, goal, seen=()):
        return any(
            other == goal or (other not in seen and reaches(other, goal, (*seen, other)))
            for other in by.get(name, ())
        )

    assert [name for name in by if reaches(name, name)] == []


def test_what_silences_lasts_longer_than_what_it_silences():
    """Nobody hears of a symptom in the moments after its cause is over and before the symptom is."""
    keeps = {alert.rule.name: alert.rule.keep for alert in RULES.alerts}
    pairs = [
        (source, alert.rule.name)
        for alert in RULES.alerts
        for source in alert.spec.inhibited_by
        if source in keeps
    ]
    assert pairs
    assert [pair for pair in pairs if keeps[pair[0]] <= keeps[pair[1]]] == []
