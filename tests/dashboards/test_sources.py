"""Mistakes in dashboards/*.yaml: each is an error at its line, with a remedy, and never an artifact."""

from __future__ import annotations

import json
import os
from dataclasses import replace

import pytest

from obs.documents.load import load_yaml
from obs.emit.dashboards import DashboardsEmitter
from obs.errors import SpecInvalidError
from obs.specs.boards import BoardSpec, Show, read_board
from obs.specs.thresholds import Threshold
from tests.dashboards.boards import Json, data_panels, home, models
from tests.dashboards.test_oracles import check
from tests.home import REPO

SCHEMA = json.loads((REPO / "registry" / "dashboard.schema.json").read_text())

BOARD = """\
title: Test
question: Is this right?
rows:
  - title: Row
    panels:
"""


def read(panel: str) -> BoardSpec:
    """Return a board with one panel, given as YAML lines."""
    indented = "\n".join(f"        {line}" for line in panel.splitlines())
    return read_board(load_yaml(f"{BOARD}      -\n{indented}\n", "dashboards/test.yaml"), SCHEMA)


def made(panel: str) -> Json:
    """Return the one panel with data that a panel of YAML makes."""
    sources = replace(home(), boards=(read(panel),))
    return next(data_panels(models(sources)["obs-test"]))


def problems(panel: str) -> list[str]:
    """Return what is said about a panel of YAML."""
    with pytest.raises(SpecInvalidError) as caught:
        tuple(DashboardsEmitter().emit(replace(home(), boards=(read(panel),))))
    return [str(problem) for problem in caught.value.problems]


def test_three_lines_make_a_panel() -> None:
    """A metric, how to split it and what to conclude are enough; the rest follows from the registry."""
    panel = made("metric: agent_runs_total\nby: status\nconclude: Most end as completed.")
    assert panel["title"] == "Runs per second by status"
    assert panel["type"] == "timeseries"
    assert panel["fieldConfig"]["defaults"]["unit"] == "ops"
    assert panel["description"].startswith("Most end as completed.")
    assert "Normal: Most runs end as completed." in panel["description"]
    assert panel["targets"][0]["legendFormat"] == "{{status}}"


def test_a_written_query_gets_the_matchers_of_its_board() -> None:
    """Double brackets around a metric stand for it with the board's matchers, and with further ones."""
    panel = made(
        'title: T\nexpr: max([[agent_runs_total{status="crashed"}]])\nunit: short\nconclude: None.'.replace(
            "max(", "count("
        )
    )
    expected = 'count(agent_runs_total{cluster=~"$cluster",namespace=~"$namespace",job=~"$job",'
    assert panel["targets"][0]["expr"] == expected + 'instance=~"$instance",status="crashed"})'


MISTAKES = [
    (
        "metric: agent_runs_totl\nconclude: x",
        "dashboards/test.yaml:7:9: `agent_runs_totl` is not a metric of the registry; did you mean `agent_runs_total`?",
    ),
    (
        "metric: agent_runs_total\nby: statuss\nconclude: x",
        "nothing inside has that label; did you mean `status`?",
    ),
    (
        "metric: agent_runs_total\nwhere: {status: crashd}\nconclude: x",
        "`agent_runs_total` never has status=`crashd`; did you mean `crashed`?",
    ),
    (
        "title: T\nratio:\n  of: {metric: agent_runs_totl}\n  to: {metric: agent_up}\nconclude: x",
        "dashboards/test.yaml:9:16: `agent_runs_totl` is not a metric",
    ),
    ("metric: agent_saturation\ncombine: sum\nconclude: x", "`agent_saturation` does not add up over agents"),
    ("metric: agent_runs_total\ncombine: max\nconclude: x", "only gauges are combined"),
    ("metric: agent_saturation\nmeasure: growth\nconclude: x", "`agent_saturation` is a gauge"),
    ("metric: agent_saturation\nper: hour\nconclude: x", "`agent_saturation` is a gauge"),
    ("title: T\nexpr: sum(agent_up)\nunit: short\nconclude: x", "write [[agent_up]]"),
    ("title: T\nexpr: sum([[agent_up]]\nunit: short\nconclude: x", "not PromQL"),
    ("title: T\nexpr: rate([[agent_up]][5m])\nunit: short\nconclude: x", "`rate` over the gauge `agent_up`"),
    ("title: T\nexpr: sum([[agent_upp]])\nunit: short\nconclude: x", "did you mean `agent_up`?"),
    ("title: T\nexpr: sum(kube_pod_inf)\nunit: short\nconclude: x", "did you mean `kube_pod_info`?"),
    (
        "metric: agent_run_duration_ms\nlimits: {saturation_hihg: red}\nconclude: x",
        "did you mean `saturation_high`?",
    ),
]


@pytest.mark.parametrize(("panel", "said"), MISTAKES)
def test_a_mistake_is_an_error_at_its_line(panel: str, said: str) -> None:
    """What a source gets wrong about the registry is said with its place and the nearest right word."""
    found = problems(panel)
    assert any(said in each for each in found), found
    assert all(each.startswith("dashboards/test.yaml:") for each in found)


INVALID = [
    ("metrc: agent_up\nconclude: x", "unknown key `metrc`"),
    ("metric: agent_up", "the panel does not say what to conclude"),
    (
        "conclude: x\ntitle: T",
        "this shows nothing; say what: one of `metric`, `ratio`, `expr`, `queries`, `text`",
    ),
    ("metric: agent_up\nexpr: up\nunit: s\ntitle: T\nconclude: x", "`metric` and `expr` together"),
    ("expr: up\nconclude: x", "only a panel of one metric has a title of its own"),
    ("title: T\nexpr: up\nconclude: x", "the unit of PromQL is not known"),
    ("metric: agent_up\nmeasure: agents\nconclude: x", "`measure: agents` and `holds:` go together"),
    ("metric: agent_up\nwindow: 1h\nconclude: x", "a window is for growth; add `measure: growth`"),
    ("metric: agent_up\nshow: pie\nconclude: x", "`pie` is not one of `timeseries`"),
    ("metric: agent_up\nwidth: 30\nconclude: x", "too large; the most is 24"),
]


@pytest.mark.parametrize(("panel", "said"), INVALID)
def test_a_panel_of_the_wrong_form_is_refused(panel: str, said: str) -> None:
    """Unknown keys and panels that say too little or too much are refused before anything is made."""
    with pytest.raises(SpecInvalidError) as caught:
        read(panel)
    found = [str(problem) for problem in caught.value.problems]
    assert any(said in each for each in found), found


def test_every_mistake_is_reported_at_once() -> None:
    """Two boards with a mistake each are two problems of one error."""
    wrong = read("metric: agent_runs_totl\nconclude: x")
    other = replace(wrong, slug="other", title="Other")
    with pytest.raises(SpecInvalidError) as caught:
        tuple(DashboardsEmitter().emit(replace(home(), boards=(wrong, other))))
    assert len(caught.value.problems) == 2


def test_two_boards_of_one_title_are_refused() -> None:
    """Grafana stops provisioning a folder at the first duplicate, so a set with one is not delivered."""
    one = read("metric: agent_up\nconclude: x")
    with pytest.raises(SpecInvalidError) as caught:
        tuple(DashboardsEmitter().emit(replace(home(), boards=(one, replace(one, slug="other")))))
    assert "2 boards have the title `Agents / Test`; rename all but one" in str(caught.value)


def test_a_board_too_large_for_a_config_map_is_refused() -> None:
    """A board that kubectl cannot apply is an error that names it, not an object that fails later."""
    huge = read(f"text: {'x' * 250_000}")
    with pytest.raises(SpecInvalidError) as caught:
        tuple(DashboardsEmitter().emit(replace(home(), boards=(huge,))))
    assert "dashboards/obs-test.json" in str(caught.value)


def test_thresholds_come_from_the_shared_numbers() -> None:
    """A limit named in a board is the number of alerts/thresholds.yaml, as the operator may have changed it."""
    changed = dict(home().thresholds)
    changed["saturation_high"] = replace(changed["saturation_high"], value=0.75)
    sources = replace(home(), thresholds=changed)
    panel = next(
        each
        for each in data_panels(models(sources)["obs-fleet-overview"])
        if each["title"] == "Highest saturation"
    )
    steps = panel["fieldConfig"]["defaults"]["thresholds"]["steps"]
    assert [step["value"] for step in steps] == [None, 0.7, 0.75]


@pytest.mark.parametrize("show", [kind for kind in Show if kind is not Show.TEXT])
def test_every_kind_of_panel_is_sound(show: Show) -> None:
    """A metric can be shown in every way there is, with only keys of Grafana's current model."""
    panel = made(f"show: {show}\nmetric: agent_pending_events\nconclude: Near zero.")
    assert panel["type"] == str(show)
    assert set(panel["fieldConfig"]) == {"defaults", "overrides"}
    assert panel["targets"][0]["instant"] is show.instant
    shared = os.environ.get("OBS_SHARED")
    if shared:
        module = check("grafana_schema")
        board = models(replace(home(), boards=(read(f"show: {show}\nmetric: agent_up\nconclude: x"),)))[
            "obs-test"
        ]
        assert list(module.defects(board, module.dashboard_schema())) == []


def test_a_row_without_a_panel_is_refused() -> None:
    """A row needs panels or says which are generated."""
    text = "title: T\nquestion: Q?\nrows: [{title: Empty}]\n"
    with pytest.raises(SpecInvalidError) as caught:
        read_board(load_yaml(text, "dashboards/test.yaml"), SCHEMA)
    assert "dashboards/test.yaml:3:8: the row has no panel; add `panels:`" in str(caught.value)


def test_a_limit_in_seconds_is_shown_in_the_panels_unit() -> None:
    """A threshold that counts seconds becomes milliseconds on a panel of milliseconds."""
    known = {**home().thresholds, "lag": Threshold("lag", 2.0, "seconds", "Too long.")}
    spec = read("metric: agent_reaction_lag_ms\nlimits: {lag: red}\nconclude: x")
    panel = next(data_panels(models(replace(home(), boards=(spec,), thresholds=known))["obs-test"]))
    assert [step["value"] for step in panel["fieldConfig"]["defaults"]["thresholds"]["steps"]] == [
        None,
        2000.0,
    ]


def test_zero_for_an_instance_counts_in_the_ranking_too() -> None:
    """Agents without a series are zero both in what is drawn and in what chooses the twenty that are drawn."""
    panel = made("metric: agent_mcp_connect_failures_total\nby: instance\nzero: true\nconclude: Zero.")
    assert (
        panel["targets"][0]["expr"].count(
            "or on (cluster, namespace, instance)\n0 * count by (cluster, namespace, instance)"
        )
        == 2
    )
