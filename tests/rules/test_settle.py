"""From alerts/ to rules: what is left out, what is refused, and what must hold of all of them."""

from __future__ import annotations

import json
import re
import shutil

import pytest
import yaml
from typer.testing import CliRunner

from obs.adapters.registries import Inputs
from obs.adapters.sources import load_sources
from obs.cli.main import app
from obs.emit.rules import RulesEmitter
from obs.emit.rules.settle import rule_set
from obs.emit.tree import render
from obs.errors import ConfigInvalidError, SpecInvalidError
from obs.promql.check import series_in
from tests.home import REPO, sources
from tests.rules.test_promtool import promtool
from tests.rules.trees import alerts_of, deploy


def rules():
    """The finished rules of the example configuration."""
    return rule_set(sources().alerts, sources())


def documents(out):
    """Every text below a tree, by path."""
    return {str(path.relative_to(out)): path.read_text() for path in out.rglob("*") if path.is_file()}


def test_a_switched_off_alert_leaves_no_trace(tmp_path):
    """Its rule, tests, runbook and inhibitions are gone, and so is a recording rule that only it read."""
    before = documents(deploy(tmp_path / "before"))
    off = "[{alert: AgentIntelErrors, reason: measured at the gateway}]"
    out = deploy(tmp_path / "after", f"alerts: {{off: {off}}}\n")
    found = [path for path, text in documents(out).items() if "AgentIntelErrors" in text]
    assert found == ["docs/runbooks/README.md"]
    assert "measured at the gateway" in (out / "docs/runbooks/README.md").read_text()
    assert "fleet:intel_errors" in before["rules/recording.yaml"]
    assert "fleet:intel_errors" not in documents(out)["rules/recording.yaml"]


def test_an_alert_that_does_not_exist_cannot_be_switched_off(tmp_path):
    """The line of obs.yaml, and the alert that was probably meant."""
    with pytest.raises(
        ConfigInvalidError, match=r"obs\.yaml:2:10: there is no alert `AgentDonw`; did you mean `AgentD"
    ):
        deploy(tmp_path, "alerts:\n  off: [{alert: AgentDonw, reason: x}]\n")


def test_a_threshold_that_no_value_exceeds_is_refused(tmp_path):
    """A share above 1 does not exist, so the alert would be dead without a sign of it."""
    with pytest.raises(ConfigInvalidError, match=r"obs\.yaml:1:14: `memory_high: 1` is never exceeded"):
        deploy(tmp_path, "thresholds: {memory_high: 1}\n")


def test_thresholds_and_times_follow_the_configuration(tmp_path):
    """An overridden number, a shortened `for`, and windows of at least four scrapes reach the rules."""
    out = deploy(
        tmp_path,
        "thresholds: {saturation_high: 0.8}\nalerts: {for_factor: 0.1}\n"
        "prometheus: {scrape_interval: 2m, evaluation_interval: 1m}\n",
    )
    alerts = alerts_of(out)
    assert alerts["AgentSaturated"]["expr"].endswith("> 0.8")
    assert alerts["AgentSaturated"]["for"] == "90s"
    windows = re.findall(r"\[(\w+)\]", (out / "rules/alerts.yaml").read_text())
    assert windows
    assert {"8m"} <= set(windows)
    assert not {"5m", "1m", "3m"} & set(windows)


def test_alerts_need_their_schema(tmp_path):
    """What a later minor of the registry has is alerted on from that minor on."""
    assert ("AgentBudgetNearlySpent", "needs metrics_schema 1.1") in rules().left_out


def test_no_fleets_no_alerts_about_fleets(tmp_path):
    """Without fleets in obs.yaml what is written out for each of them is left out, and the files stay valid."""
    alerts = alerts_of(deploy(tmp_path, "fleets: []\n"))
    assert "AgentFleetAbsent" not in alerts
    assert "AgentDown" in alerts


def test_every_recording_rule_is_read():
    """By an alert, directly or through another recording rule, or by a board."""
    found = rules()
    read = {name for alert in found.alerts for name in alert.records}
    boards = " ".join((path.read_text()) for path in (REPO / "dashboards").glob("*.yaml"))
    assert [rule.name for rule in found.records if rule.name not in read and rule.name not in boards] == []


def test_nothing_is_computed_twice():
    """No two recording rules are the same, and no rule holds the expression of a recording rule."""
    found = rules()
    recorded = {rule.name: rule.expr for rule in found.records}
    assert len(set(recorded.values())) == len(recorded)
    others = {**recorded, **{alert.rule.name: alert.rule.expr for alert in found.alerts}}
    twice = [
        (name, other)
        for name, expr in recorded.items()
        for other, text in others.items()
        if other != name and expr in text
    ]
    assert twice == []


def test_recording_rules_are_named_by_level_metric_and_operation():
    """As Prometheus advises, so that a reader knows what is left of the labels."""
    for rule in rules().records:
        assert re.fullmatch(r"(fleet|agent)(_[a-z]+)?:[a-z_]+:[a-z_]+[0-9a-z]*", rule.name), rule.name


def test_rules_stand_on_stable_metrics_only():
    """Nothing provisional, nothing legacy."""
    found = rules()
    known = sources().registry.by_name
    texts = [rule.expr for rule in found.records] + [alert.rule.expr for alert in found.alerts]
    assert {str(known[name].status) for text in texts for name in series_in(text) if name in known} == {
        "stable"
    }


def test_every_alert_says_what_people_need():
    """One line of summary, a description, a runbook, a board that exists, and who acts."""
    boards = {a.path.removeprefix("dashboards/").removesuffix(".json") for a in render(sources())}
    for alert in rules().alerts:
        annotations = alert.rule.annotations
        assert "\n" not in annotations["summary"]
        assert annotations["runbook_url"].endswith(f"/{alert.rule.name}")
        assert alert.spec.board in boards, alert.rule.name
        assert set(alert.rule.labels) == {"severity", "owner"}
        assert not set(alert.rule.labels) & alert.labels


def test_runbooks_exist_for_every_alert(tmp_path):
    """The address of a runbook ends in the name of a page that is generated, and every link on it leads somewhere."""
    out = deploy(tmp_path)
    pages = {path.stem for path in (out / "docs/runbooks").glob("*.md")} - {"README"}
    assert pages == set(alerts_of(out))
    for path in (out / "docs/runbooks").glob("*.md"):
        for target in re.findall(r"\]\((\w+)\.md\)", path.read_text()):
            assert target in pages, path


def test_objects_hold_the_same_rules_as_the_files(tmp_path):
    """PrometheusRule objects and plain files, group by group, with the labels that the ruleSelector matches."""
    out = deploy(tmp_path)
    objects = list(yaml.safe_load_all((out / "rules/prometheusrule.yaml").read_text()))
    files = [yaml.safe_load((out / f"rules/{name}.yaml").read_text()) for name in ("recording", "alerts")]
    assert [g for one in objects for g in one["spec"]["groups"]] == [
        g for one in files for g in one["groups"]
    ]
    for one in objects:
        assert one["metadata"]["labels"]["release"] == "kube-prometheus-stack"
        assert len(yaml.safe_dump(one)) < 256 * 1024


@pytest.mark.tools
def test_hundreds_of_fleets_fit(tmp_path):
    """What is written out for each fleet is spread over rules, groups and objects that Prometheus and kubectl take."""
    names = "\n".join(
        f"  - {{name: fleet-{n}, mode: claim, replicas: {{min: {n % 2}, max: 9}}, backlog: {{service: c-{n}}}}}"
        for n in range(300)
    )
    out = deploy(tmp_path, f"fleets:\n{names}\n")
    promtool("check", "rules", "--lint-fatal", out / "rules/recording.yaml", out / "rules/alerts.yaml")
    text = (out / "rules/prometheusrule.yaml").read_text()
    assert len(text) > 512 * 1024
    objects = list(yaml.safe_load_all(text))
    assert all(len(json.dumps(one)) < 256 * 1024 for one in objects)
    absent = [
        rule["expr"]
        for one in objects
        for group in one["spec"]["groups"]
        for rule in group["rules"]
        if rule.get("alert") == "AgentFleetAbsent"
    ]
    assert all(any(f'fleet="fleet-{n}"' in expr for expr in absent) for n in range(1, 300, 2))


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        ("lifecycle", 'level("agent_paused")', 'level("agent_pausd")', "did you mean `agent_paused`?"),
        (
            "lifecycle",
            'above: 0\n    summary: "Agents of fleet {{ $labels.fleet }} were',
            'above: no_such\n    summary: "Agents of fleet {{ $labels.fleet }} were',
            "unknown threshold `no_such`",
        ),
        ("lifecycle", 'phase="forced"', 'phase="force"', "did you mean `forced`?"),
        ("lifecycle", "{{ $labels.fleet }} were cut", "{{ $labels.pod }} were cut", "no label `pod`"),
        (
            "lifecycle",
            "related: [AgentReloadRejected]",
            "related: [AgentReloadRejectd]",
            "did you mean `AgentReloadRejected`?",
        ),
        (
            "lifecycle",
            "{{ $value | humanize }} drains",
            "{{ $value }} drains",
            "not an action the unit tests can check",
        ),
        ("lifecycle", '[[ w("30m") ]]: their', '[[ w("30m" ]]: their', "not a template"),
        ("lifecycle", '[[ w("30m") ]]: their', '[[w("30m")]]: their', "with a space inside"),
        ("lifecycle", '[[ w("30m") ]]: their', '[[ v("30m") ]]: their', "'v' is undefined"),
        ("lifecycle", "owner: agents", "ownr: agents", "did you mean `owner`?"),
        ("lifecycle", "v / 30m}", "v % 30m}", "not a sum of terms"),
        ("lifecycle", "alert: AgentReloadRejected", "alert: AgentDrainForced", "stands here again"),
    ],
)
def test_a_mistake_in_a_source_is_told_at_its_line(tmp_path, file, old, new, said):
    """Each is an error with file, line and column, and never an artifact."""
    for name in ("registry", "dashboards", "alerts", "examples"):
        shutil.copytree(REPO / name, tmp_path / name)
    path = tmp_path / "alerts" / f"{file}.yaml"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(SpecInvalidError) as caught:
        list(RulesEmitter().emit(load_sources(Inputs(folder=tmp_path))))
    assert any(
        re.match(rf"alerts/{file}\.yaml:\d+:\d+$", problem.where) and said in str(problem)
        for problem in caught.value.problems
    ), str(caught.value)


def test_another_prefix_gets_the_same_alerts(tmp_path):
    """A private registry whose metrics have the same names after another prefix."""
    text = (REPO / "registry/metrics.registry.json").read_text()
    path = tmp_path / "r.json"
    path.write_text(re.sub(r'"agent_', '"bot_', text))
    ours, theirs = alerts_of(deploy(tmp_path / "a")), alerts_of(deploy(tmp_path / "b", registry=path))
    assert set(ours) == set(theirs)
    assert "bot_saturation" in theirs["AgentSaturated"]["expr"]


def test_a_registry_with_one_metric_makes_valid_files(tmp_path):
    """What depends on metrics that are not there is left out with the reason; what does not stays."""
    text = (
        '{"metrics_schema": "1.0", "prefix": {"neutral": "x_"}, "closed_label_domains": {}, "metrics": [{"name": "x_a",'
        ' "neutral_name": "x_a", "type": "gauge", "labels": [], "unit": "1", "help": "A.", "status": "stable",'
        ' "autoscaling_signal": false, "cost_signal": false}]}'
    )
    path = tmp_path / "r.json"
    path.write_text(text)
    out = deploy(tmp_path, registry=path)
    assert {"AgentDown", "AgentCardinalityOverBudget"} <= set(alerts_of(out))
    assert "the registry has no `agent_saturation`" in (out / "docs/runbooks/README.md").read_text()


def test_lint_of_the_whole_output_through_the_command_line(tmp_path):
    """`obs generate --only rules` writes rules and nothing else but the pages about them."""
    done = CliRunner().invoke(app, ["generate", "--out", str(tmp_path / "d"), "--only", "rules"])
    assert done.exit_code == 0
    assert {path.name for path in (tmp_path / "d").iterdir() if path.is_dir()} == {"rules"}
