"""The properties every generated dashboard has. Each test names the property it is about."""

from __future__ import annotations

import itertools
import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from obs.documents.load import load_yaml
from obs.emit.rules import RulesEmitter
from obs.emit.scalers import ScalersEmitter
from obs.model.config import Delivery
from obs.model.metric import Aggregation, DomainKind, Kind, Status
from obs.promql.check import check_expression, expand_variables
from tests.dashboards.boards import (
    DATASOURCE,
    Json,
    data_panels,
    delivered,
    expressions,
    home,
    home_models,
    is_about,
    metric_of,
    panels,
    selectors,
)

BOARDS = sorted(home_models())
DRILL = "obs-instance"
each_board = pytest.mark.parametrize("uid", BOARDS)

VARIABLES = ("cluster", "namespace", "job", "instance")
PANEL_TYPES = {
    "timeseries",
    "stat",
    "gauge",
    "bargauge",
    "table",
    "state-timeline",
    "status-history",
    "heatmap",
    "text",
    "row",
}
PANEL_KEYS = {
    "type", "id", "pluginVersion", "targets", "title", "description", "transparent", "datasource", "gridPos", "links",
    "repeat", "repeatDirection", "maxPerRow", "maxDataPoints", "transformations", "interval", "timeFrom", "timeShift",
    "hideTimeOverride", "timeCompare", "libraryPanel", "cacheTimeout", "queryCachingTTL", "options", "fieldConfig",
}  # fmt: skip
ROW_KEYS = {"type", "id", "title", "collapsed", "panels", "gridPos", "datasource", "repeat"}


def board(uid: str) -> Json:
    """Return a board of the packaged sources."""
    return home_models()[uid]


def nulls(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the paths of every null in a value."""
    if value is None:
        return [path]
    if isinstance(value, dict):
        return [found for key, part in value.items() for found in nulls(part, (*path, key))]
    if isinstance(value, list):
        return [found for index, part in enumerate(value) for found in nulls(part, (*path, index))]
    return []


def datasources(value: Any) -> list[Any]:
    """Return every datasource reference in a value."""
    if isinstance(value, dict):
        own = [value["datasource"]] if "datasource" in value else []
        return own + [found for part in value.values() for found in datasources(part)]
    if isinstance(value, list):
        return [found for part in value for found in datasources(part)]
    return []


@each_board
def test_property_03_only_current_keys(uid: str) -> None:
    """The schema version is the setting, nothing is of older models, and only nulls that mean something are there."""
    found = board(uid)
    assert found["schemaVersion"] == 39
    assert found["id"] is None
    assert not {"rows", "__inputs", "style", "hideControls", "gnetId"} & set(found)
    for panel in panels(found):
        assert panel["type"] in PANEL_TYPES
        assert set(panel) <= (ROW_KEYS if panel["type"] == "row" else PANEL_KEYS)
    meaningful = {path for path in nulls(found) if path == ("id",) or path[-3:] == ("steps", 0, "value")}
    assert set(nulls(found)) == meaningful


@each_board
def test_property_04_uids_and_ids(uid: str) -> None:
    """The uid has the set's form, and panel ids are unique, those of closed rows included."""
    assert re.fullmatch(r"obs-[a-z0-9-]{1,36}", uid)
    ids = [panel["id"] for panel in panels(board(uid))]
    assert len(ids) == len(set(ids))


def test_property_04_the_set_of_uids_never_changes() -> None:
    """Links and bookmarks last: these are the uids, whatever titles and contents become."""
    assert BOARDS == [
        "obs-autoscaling",
        "obs-conformance",
        "obs-cost",
        "obs-dependencies",
        "obs-fleet-overview",
        "obs-instance",
        "obs-lifecycle",
        "obs-reliability",
    ]
    titles = [found["title"] for found in home_models().values()]
    assert len(titles) == len(set(titles))


@each_board
def test_property_06_datasource_variable_first(uid: str) -> None:
    """The first variable chooses the Prometheus; it starts with the server's default one."""
    first = board(uid)["templating"]["list"][0]
    assert (first["name"], first["type"], first["query"]) == ("datasource", "datasource", "prometheus")
    assert first["label"] == "Data source"
    assert (first["current"]["text"], first["current"]["value"]) == ("default", "default")


@each_board
def test_property_07_variables_are_chained(uid: str) -> None:
    """Each variable is offered within the choice made for those before it, and «All» means all."""
    found = board(uid)["templating"]["list"][1:]
    assert [variable["name"] for variable in found] == list(VARIABLES)
    for index, variable in enumerate(found):
        before = ",".join(f'{name}=~"${name}"' for name in VARIABLES[:index])
        braces = f"{{{before}}}" if before else ""
        assert variable["query"] == f"label_values(agent_up{braces}, {variable['name']})"
        assert variable["label"] == variable["name"].title()
        assert (variable["refresh"], variable["sort"]) == (2, 1)
        single = uid == DRILL and variable["name"] == "instance"
        assert variable["multi"] is not single
        assert variable["includeAll"] is not single
        if not single:
            expected = {"cluster": ".*", "namespace": ".*", "job": ".+", "instance": ".+"}
            assert variable["allValue"] == expected[variable["name"]]
            assert variable["current"]["value"] == ["$__all"]


@each_board
def test_property_08_one_datasource_reference(uid: str) -> None:
    """Panels, queries, variables and annotations all follow the datasource variable."""
    assert all(reference == DATASOURCE for reference in datasources(board(uid)))
    for panel in data_panels(board(uid)):
        assert panel["datasource"] == DATASOURCE
        assert all(target["datasource"] == DATASOURCE for target in panel["targets"])


@each_board
def test_property_09_every_selector_has_the_four_matchers(uid: str) -> None:
    """Every selector on a metric of the registry carries the board's four matchers."""
    for expr in expressions(board(uid)):
        for name, matchers in selectors(expr):
            if metric_of(name) or not name:
                for label in VARIABLES:
                    assert f'{label}=~"${label}"' in matchers, expr


@each_board
def test_property_09_no_metric_without_braces(uid: str) -> None:
    """No metric of the registry is named without a selector."""
    for expr in expressions(board(uid)):
        outside = re.sub(r'"(?:[^"\\]|\\.)*"', "", expr)
        for name in re.findall(r"[a-zA-Z_:][\w:]*(?!\w|\s*\{)", outside):
            assert metric_of(name) is None, (name, expr)


@each_board
def test_property_10_every_name_is_declared(uid: str) -> None:
    """Every metric, label and literal value in a query is known, and every legend uses labels that survive."""
    for expr in expressions(board(uid)):
        assert check_expression(expr, home().catalog) == ()


@each_board
def test_property_11_provisional_only_where_marked(uid: str) -> None:
    """Provisional metrics stand only in closed rows whose title says so."""
    marked = {
        panel["id"]
        for row in board(uid)["panels"]
        if row["type"] == "row" and row["title"].startswith("Provisional")
        for panel in row["panels"]
    }
    for panel in data_panels(board(uid)):
        if any(metric.status is Status.PROVISIONAL for metric in is_about(panel)):
            assert panel["id"] in marked, panel["title"]


@each_board
def test_property_11_legacy_only_with_their_replacement(uid: str) -> None:
    """A board that shows a legacy metric shows what replaces it too."""
    shown = {metric.name: metric for panel in data_panels(board(uid)) for metric in is_about(panel)}
    for metric in shown.values():
        if metric.status is Status.LEGACY:
            assert metric.semantics.replaced_by in shown


def test_property_11_every_stable_metric_is_shown() -> None:
    """Every stable metric is on a board that people made, or at least on the drill-down."""
    shown = {
        metric
        for found in home_models().values()
        for panel in data_panels(found)
        for metric in is_about(panel)
    }
    assert set(home().registry.with_status(Status.STABLE)) <= shown


@each_board
def test_property_12_right_function_for_each_type(uid: str) -> None:
    """Counters are read as rates, gauges are not, and what does not add up over agents is never summed."""
    for expr in expressions(board(uid)):
        for match in re.finditer(r"(?:(\w+)\s*(?:by \([^)]*\) )?\()?\b(agent_\w+)\{", expr):
            metric = metric_of(match[2])
            assert metric is not None
            if metric.kind is Kind.GAUGE and metric.semantics.aggregation is not Aggregation.SUM:
                assert match[1] != "sum", expr
            if metric.kind is Kind.COUNTER:
                assert match[1] in ("rate", "increase", "count", "group"), expr


FIXED_WINDOWS = {
    "Share of runs that fail, over an hour": "the limit of an error budget holds over one time only",
    "Share of runs that fail, over six hours": "the limit of an error budget holds over one time only",
}


@each_board
def test_property_13_windows_follow_the_board(uid: str) -> None:
    """Rates use Grafana's rate interval, growth that or the whole range; a fixed window has a reason."""
    panels_and_queries = [
        (panel["title"], t["expr"]) for panel in data_panels(board(uid)) for t in panel["targets"]
    ]
    marks = [("", mark["expr"]) for mark in board(uid)["annotations"]["list"]]
    for title, expr in panels_and_queries + marks:
        for function, window in re.findall(r"(\w+)\([^()\[]*\[([^\]]+)\]", expr):
            allowed = {"$__rate_interval"} if function == "rate" else {"$__rate_interval", "$__range"}
            assert window in allowed or title in FIXED_WINDOWS, expr


@each_board
def test_property_15_series_are_bounded(uid: str) -> None:
    """A panel that splits by an unbounded label keeps at most twenty, and legends use only labels that survive."""
    for panel in data_panels(board(uid)):
        for target in panel["targets"]:
            used = re.findall(r"\{\{(\w+)\}\}", target["legendFormat"])
            grouped = set(re.findall(r"\w+", " ".join(re.findall(r"by \(([^)]*)\)", target["expr"]))))
            counted = set(re.findall(r'count_values\("(\w+)"', target["expr"]))
            assert set(used) <= grouped | counted, target
            if set(used) & {"instance", "pod", "fleet", "namespace", "server"}:
                assert re.search(r"(?:topk|bottomk)\(20, ", target["expr"]), target


@each_board
def test_property_16_title_description_unit(uid: str) -> None:
    """Each panel with data has a title of at most 60 characters, a description and a unit."""
    for panel in data_panels(board(uid)):
        assert 0 < len(panel["title"]) <= 60
        assert len(panel["description"]) > 40
        assert panel["fieldConfig"]["defaults"]["unit"]


@each_board
def test_property_16_units_fit_the_registry(uid: str) -> None:
    """The unit follows from the registry: bytes as bytes, ms as ms, a ratio as a share, a counter's rate as ops."""
    fitting = {
        "1": {"short"},
        "ms": {"ms"},
        "bytes": {"bytes"},
        "bool": {"none", "short"},
        "ratio": {"percentunit"},
        "1/s": {"ops"},
    }
    for panel in data_panels(board(uid)):
        exprs = [target["expr"] for target in panel["targets"]]
        metrics = is_about(panel)
        if (
            len(exprs) != 1
            or len(metrics) != 1
            or " / " in exprs[0].replace("\n", " ")
            or "count" in exprs[0]
        ):
            continue
        metric, unit = metrics[0], panel["fieldConfig"]["defaults"]["unit"]
        overridden = [
            each["value"]
            for override in panel["fieldConfig"]["overrides"]
            for each in override["properties"]
            if each["id"] == "unit"
        ]
        if metric.kind is Kind.COUNTER and "rate(" in exprs[0] and "3600" not in exprs[0]:
            assert unit == "ops", panel["title"]
        elif metric.kind is Kind.GAUGE:
            assert unit in fitting[str(metric.unit)] or overridden, panel["title"]


@each_board
def test_property_17_nothing_is_not_zero(uid: str) -> None:
    """A panel with nothing to show says so; zero is only claimed while agents are scraped."""
    for panel in data_panels(board(uid)):
        defaults = panel["fieldConfig"]["defaults"]
        assert defaults["noValue"] == "no data" or defaults["noValue"].startswith("not collected here")
        if panel["type"] in ("stat", "gauge", "bargauge"):
            assert panel["options"]["reduceOptions"]["calcs"] == ["lastNotNull"]
        for mapping in defaults["mappings"]:
            assert mapping["type"] in ("value", "special")
        if defaults["mappings"]:
            nothing = [m for m in defaults["mappings"] if m["type"] == "special"]
            assert [m["options"]["match"] for m in nothing] == ["null+nan"]
            assert nothing[0]["options"]["result"]["color"] != "green"
            values = next(m for m in defaults["mappings"] if m["type"] == "value")["options"]
            assert all(each["text"] for each in values.values())
    assert not any("vector(0)" in expr for expr in expressions(board(uid)))


@each_board
def test_property_17_flags_have_words(uid: str) -> None:
    """A flag that single agents show is told in words as well as colours."""
    for panel in data_panels(board(uid)):
        if panel["type"] in ("state-timeline", "status-history"):
            assert panel["fieldConfig"]["defaults"]["mappings"], panel["title"]


@each_board
def test_property_18_thresholds_are_the_shared_numbers(uid: str) -> None:
    """Limits begin with the base, rise strictly, and are numbers that the registry or the shared thresholds hold."""
    shared = {threshold.value for threshold in home().thresholds.values()}
    shared |= {
        limit.value * 1000 for limit in home().thresholds.values() if limit.unit == "seconds"
    }  # shown in ms
    objective = home().thresholds["runs_objective"].value
    burns = [home().thresholds[name].value for name in ("burn_slow", "burn_steady", "burn_fast")]
    natural = {0.001, 1, round(1 - objective, 9)} | {round(burn * (1 - objective), 9) for burn in burns}
    natural.add(home().registry.series_per_instance * 2 + 200)
    for panel in data_panels(board(uid)):
        steps = panel["fieldConfig"]["defaults"]["thresholds"]["steps"]
        values = [step["value"] for step in steps]
        assert values[0] is None
        assert all(early < late for early, late in itertools.pairwise(values[1:]))
        assert set(values[1:]) <= shared | natural, panel["title"]


@each_board
def test_property_19_how_lines_are_drawn(uid: str) -> None:
    """Legends are tables with the last and the highest value, tooltips compare, gaps stay gaps, only rates stack."""
    for panel in data_panels(board(uid)):
        if panel["type"] != "timeseries":
            continue
        options, custom = panel["options"], panel["fieldConfig"]["defaults"]["custom"]
        assert options["legend"]["showLegend"] is True
        assert options["legend"]["displayMode"] == "table"
        assert options["legend"]["calcs"] == ["lastNotNull", "max"]
        assert options["tooltip"] == {"mode": "multi", "sort": "desc"}
        assert custom["showPoints"] == "never"
        assert "maxDataPoints" not in panel
        assert panel["interval"] == "15s"
        if custom["stacking"]["mode"] == "normal":
            assert all("rate(" in target["expr"] for target in panel["targets"])


def test_property_19_statuses_have_one_colour() -> None:
    """A status has the same colour on every board: completed green, crashed red, refused orange."""
    seen: dict[str, set[str]] = {}
    for found in home_models().values():
        for panel in data_panels(found):
            for override in panel["fieldConfig"]["overrides"]:
                for each in override["properties"]:
                    if each["id"] == "color":
                        name = override["matcher"]["options"]
                        seen.setdefault(name, set()).add(each["value"]["fixedColor"])
    assert seen["completed"] == {"green"}
    assert seen["crashed"] == {"red"}
    assert seen["refused"] == {"orange"}
    assert all(len(found) == 1 for found in seen.values())


def cells(panel: Json) -> set[tuple[int, int]]:
    """Return the grid cells a panel covers."""
    place = panel["gridPos"]
    return {
        (x, y)
        for x in range(place["x"], place["x"] + place["w"])
        for y in range(place["y"], place["y"] + place["h"])
    }


@each_board
def test_property_20_layout(uid: str) -> None:
    """Nothing overlaps or leaves the 24 columns, lines begin at the left, few panels are open on the first screen."""
    found = board(uid)
    groups = [found["panels"], *(panel["panels"] for panel in found["panels"] if panel.get("panels"))]
    for group in groups:
        counted = Counter(cell for panel in group for cell in cells(panel))
        assert set(counted.values()) == {1}
        assert all(0 <= x < 24 for x, _ in counted)
        for panel in group:
            place = panel["gridPos"]
            assert place["x"] == 0 or (place["x"] - 1, place["y"]) in counted
    first_screen = [p for p in found["panels"] if p.get("targets") and p["gridPos"]["y"] * 38 < 900]
    assert len(first_screen) <= 10
    for row in found["panels"]:
        if row["type"] == "row":
            assert row["collapsed"] is bool(row["panels"])
            assert all(panel["gridPos"]["y"] > row["gridPos"]["y"] for panel in row["panels"])


@each_board
def test_property_21_settings(uid: str) -> None:
    """Boards are not edited by hand, share the crosshair, refresh gently, and name the registry they come from."""
    found = board(uid)
    assert found["editable"] is False
    assert found["graphTooltip"] == 1
    assert found["refresh"] == "1m"
    assert found["timezone"] == "browser"
    assert found["time"] == {"from": "now-3h", "to": "now"}
    assert found["tags"] == ["obs-agent", "generated"]
    assert f"sha256 {home().registry.sha256}" in found["description"]
    assert "generated by obs from registry 1.0" in found["description"]


@each_board
def test_property_22_links(uid: str) -> None:
    """Boards link to each other by tag; what shows an instance links to its drill-down; every target exists."""
    found = board(uid)
    link = found["links"][0]
    assert (link["type"], link["tags"], link["asDropdown"]) == ("dashboards", ["obs-agent"], True)
    assert link["includeVars"]
    assert link["keepTime"]
    for panel in data_panels(found):
        urls = re.findall(r'"url": "([^"]*)"', json.dumps(panel))
        for url in urls:
            assert url.split("/d/")[1].split("?")[0] in home_models()
            assert "${__url_time_range}" in url
            assert "var-instance=" in url
        by_instance = any("{{instance}}" in target["legendFormat"] for target in panel["targets"])
        by_instance |= (
            panel["type"] == "table" and "by (cluster, namespace, instance)" in panel["targets"][0]["expr"]
        )
        if by_instance:
            assert urls, panel["title"]


@each_board
def test_the_board_opens_with_its_question(uid: str) -> None:
    """The first thing on a board is the question it answers."""
    first = board(uid)["panels"][0]
    assert first["type"] == "text"
    assert re.match(r"\*\*[A-Z].*\?\*\*", first["options"]["content"])


def test_the_drill_down_has_each_metric_in_one_panel() -> None:
    """Every metric of the registry is in exactly one panel of the drill-down."""
    shown = Counter(metric.name for panel in data_panels(board(DRILL)) for metric in is_about(panel))
    assert shown == dict.fromkeys(home().registry.by_name, 1)


def test_property_20_secondary_rows_are_closed() -> None:
    """The drill-down opens with its first few panels; the other rows cost no query until somebody opens them."""
    rows = [panel for panel in board(DRILL)["panels"] if panel["type"] == "row"]
    assert [row["collapsed"] for row in rows] == sorted(row["collapsed"] for row in rows)
    assert len([panel for panel in board(DRILL)["panels"] if panel.get("targets")]) <= 12


def test_only_what_every_agent_exposes_is_required() -> None:
    """The conformance board asks every agent for the always-present stable metrics, and for no other."""
    panel = next(p for p in data_panels(board("obs-conformance")) if p["title"] == "Required metrics")
    names = {metric.name for metric in is_about(panel)}
    assert "agent_runs_total" in names
    assert not names & {
        "agent_memory_max_bytes",
        "agent_mcp_connect_failures_total",
        "agent_runs_started_total",
    }
    others = next(
        p for p in data_panels(board("obs-conformance")) if p["title"] == "Metrics that may be missing"
    )
    assert {"agent_memory_max_bytes", "agent_runs_started_total"} <= {
        metric.name for metric in is_about(others)
    }


def test_domains_with_known_values_are_split_by_closed_labels_only() -> None:
    """A panel of the drill-down that splits by a label has at most as many series as its domain, or twenty."""
    for panel in data_panels(board(DRILL)):
        metric = is_about(panel)[0]
        for label in metric.labels:
            if label.domain.kind is not DomainKind.CLOSED:
                assert "topk(20, " in panel["targets"][0]["expr"]


@pytest.mark.parametrize("delivery", list(Delivery))
def test_property_23_sizes_and_objects(delivery: Delivery) -> None:
    """Every board fits into an object that kubectl can apply, under a key that is unique in the cluster."""
    artifacts = delivered(home(), delivery)
    objects = [item for item in artifacts if item.kubernetes]
    assert bool(objects) is (delivery is not Delivery.FILES)
    names = set()
    for item in objects:
        assert len(item.content) < 262_144
        data = load_yaml(item.content.decode(), item.path).data
        names.add(data["metadata"]["name"])
        if delivery is Delivery.CONFIGMAP:
            uid = data["metadata"]["name"]
            assert data["metadata"]["labels"]["grafana_dashboard"] == "1"
            assert data["metadata"]["annotations"]["grafana_folder"] == "Agents"
            (text,) = data["data"].values()
            assert list(data["data"]) == [f"{uid}.json"]
            assert len(text.encode()) < 240_000
            assert json.loads(text) == board(uid)
        else:
            assert data["apiVersion"] == "grafana.integreatly.org/v1beta1"
            assert json.loads(data["spec"]["json"]) == board(data["spec"]["uid"])
            assert data["spec"]["instanceSelector"] == {"matchLabels": {"dashboards": "grafana"}}
    if objects:
        assert names == set(BOARDS)


def test_variables_expand_to_promql() -> None:
    """Every query is PromQL once Grafana's variables are replaced."""
    for found in home_models().values():
        for expr in expressions(found):
            assert "$" not in expand_variables(expr)


def test_property_18_the_target_is_the_scalers_number() -> None:
    """The dashed line of a fleet's panel is the threshold of its ScaledObject, and its query is the trigger's."""
    scalers = {
        item.path: load_yaml(item.content.decode(), item.path).data
        for item in ScalersEmitter().emit(home())
        if item.path.endswith(".yaml")
    }
    titles = {panel["title"]: panel for panel in data_panels(board("obs-autoscaling"))}
    seen = 0
    for scaled in (each for each in scalers.values() if each["kind"] == "ScaledObject"):
        for trigger in scaled["spec"]["triggers"]:
            panel = titles.get(f"{scaled['metadata']['name']}: {trigger['name']}")
            if panel is None:
                assert trigger["name"] == "saturation"
                continue
            seen += 1
            demand, target = panel["targets"]
            shared = ",".join(f'{label}=~"${label}"' for label in VARIABLES) + ","
            assert demand["expr"].replace(shared, "") == trigger["metadata"]["query"]
            assert target["expr"].startswith(f"{trigger['metadata']['threshold']} * count(")
    assert seen == 2


def test_property_18_the_error_budget_is_the_alerts_number() -> None:
    """Where a board turns red for the error budget, the alert on the same window compares with the same number."""
    (alerts,) = [item for item in RulesEmitter().emit(home()) if item.path == "rules/alerts.yaml"]
    rules = [
        rule for group in load_yaml(alerts.content.decode(), "a").data["groups"] for rule in group["rules"]
    ]
    limits = {}
    for rule in rules:
        found = re.match(r"fleet:run_failures:ratio_rate(\w+)\n? *> ([0-9.]+)", rule["expr"])
        if found:
            limits[found[1]] = float(found[2])
    titles = {panel["title"]: panel for panel in data_panels(board("obs-reliability"))}
    for window, words in (("1h", "an hour"), ("6h", "six hours")):
        panel = titles[f"Share of runs that fail, over {words}"]
        steps = panel["fieldConfig"]["defaults"]["thresholds"]["steps"]
        assert steps[-1]["value"] == pytest.approx(limits[window])


def test_property_14_only_what_nobody_can_feed_may_be_empty() -> None:
    """The list of panels that may be empty holds those of provisional metrics and of the sidecar, and no other."""
    listed = Path(__file__).with_name("allow-empty.txt").read_text().splitlines()
    titles = {
        panel["title"]
        for found in home_models().values()
        for panel in data_panels(found)
        if "__name__" not in panel["targets"][0]["expr"] and " or on ()" not in panel["targets"][0]["expr"]
        if is_about(panel) and all(metric.status is Status.PROVISIONAL for metric in is_about(panel))
    }
    assert {line.split("\t")[0] for line in listed} == titles | {"Findings by code"}
    assert all(line.split("\t")[1] for line in listed)
