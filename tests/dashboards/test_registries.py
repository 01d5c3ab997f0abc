"""Boards of other registries: another order, another prefix, more metrics, fewer, or a great many."""

from __future__ import annotations

import hashlib
import json
import os
import random
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from obs.errors import ObsError
from obs.model.config import Delivery
from obs.model.metric import Metric, Registry
from obs.promql.catalog import catalog
from obs.promql.check import check_expression
from obs.specs.resolve import Resolver
from obs.specs.sources import Sources
from tests.dashboards.boards import (
    Json,
    data_panels,
    delivered,
    expressions,
    home,
    home_models,
    is_about,
    models,
    panels,
    selectors,
)
from tests.home import REPO, parsed, registry_data
from tests.strategies import registries

DRILL = "obs-instance"
CONFORMANCE = "obs-conformance"


def sources_of(registry: Registry) -> Sources:
    """Return the packaged sources over another registry."""
    platform = [facts for facts in home().catalog.series.values() if facts.metric is None]
    known = catalog(registry, platform)
    resolver = replace(home().resolver, registry=registry, catalog=known)
    assert isinstance(resolver, Resolver)
    return replace(home(), registry=registry, catalog=known, resolver=resolver)


def sources_with(*records: dict[str, Any]) -> Sources:
    """Return the packaged sources over the frozen registry with more metrics."""
    data = registry_data()
    data["metrics"] += [record(**each) for each in records]
    return sources_of(parsed(data))


def record(**fields: Any) -> dict[str, Any]:
    """Return a record of the published shape."""
    base = {"labels": [], "unit": "1", "help": "What is counted here.", "status": "stable"}
    flags = {"autoscaling_signal": False, "cost_signal": False}
    return base | flags | {"neutral_name": fields["name"]} | fields


def panel_of(board: Json, name: str, sources: Sources) -> Json:
    """Return the one panel of a board about a metric."""
    found = [
        panel for panel in data_panels(board) if name in {metric.name for metric in is_about(panel, sources)}
    ]
    assert len(found) == 1
    return found[0]


NEW = [
    ("counter", "1", "agent_things_total", "ops", "sum(rate("),
    ("counter", "bytes", "agent_things_total", "Bps", "sum(rate("),
    ("counter", "ms", "agent_things_total", "ops", "sum(rate("),
    ("gauge", "1", "agent_things", "short", "max("),
    ("gauge", "ms", "agent_things_ms", "ms", "max("),
    ("gauge", "bytes", "agent_things_bytes", "bytes", "sum("),
    ("gauge", "bool", "agent_things", "none", "sum("),
    ("gauge", "ratio", "agent_things_ratio", "percentunit", "max("),
    ("gauge", "1/s", "agent_things_per_sec", "ops", "max("),
    ("histogram", "ms", "agent_things_ms", "ms", "histogram_quantile("),
    ("histogram", "bytes", "agent_things_bytes", "bytes", "histogram_quantile("),
    ("histogram", "1", "agent_things", "short", "histogram_quantile("),
]


@pytest.mark.parametrize(("kind", "unit", "name", "grafana", "start"), NEW)
def test_a_new_metric_is_on_the_generated_boards(
    kind: str, unit: str, name: str, grafana: str, start: str
) -> None:
    """A metric that is added to the registry is on the drill-down and the conformance board, rightly, with no edit."""
    sources = sources_with({"name": name, "type": kind, "unit": unit, "help": "Things that were counted."})
    boards = models(sources)
    panel = panel_of(boards[DRILL], name, sources)
    assert panel["fieldConfig"]["defaults"]["unit"] == grafana
    assert all(target["expr"].startswith(start) for target in panel["targets"])
    assert "Things that were counted." in panel["description"]
    assert f"`{name}`" in panel["description"]
    assert panel["type"] == ("state-timeline" if unit == "bool" else "timeseries")
    required = next(p for p in data_panels(boards[CONFORMANCE]) if p["title"] == "Required metrics")
    assert name in {metric.name for metric in is_about(required, sources)}
    said = next(p for p in panels(boards[CONFORMANCE]) if p.get("title") == "Metrics of this registry")
    (line,) = [row for row in said["options"]["content"].splitlines() if f"`{name}`" in row]
    aggregation = sources.registry.by_name[name].semantics.aggregation
    assert f"| {kind} | {unit} | {aggregation} |" in line
    assert "Things that were counted." in line


@pytest.mark.parametrize("status", ["legacy", "provisional"])
def test_a_new_metric_that_is_not_stable_is_marked(status: str) -> None:
    """A legacy or provisional metric stands in a closed row whose title says what it is."""
    sources = sources_with({"name": "agent_things", "type": "gauge", "status": status})
    panel = panel_of(models(sources)[DRILL], "agent_things", sources)
    rows = [row for row in models(sources)[DRILL]["panels"] if panel in row.get("panels", ())]
    assert [row["title"].split(":")[0].lower() for row in rows] == [status]
    assert panel["description"].count(status.title()) == 1


def test_a_later_metric_is_shown_where_a_board_names_it() -> None:
    """A metric of a later minor that a board already knows appears there once the registry has it."""
    sources = sources_with({"name": "agent_budget_tokens_remaining", "type": "gauge", "cost_signal": False})
    titles = {panel["title"] for panel in data_panels(models(sources)["obs-cost"])}
    assert "Token budget left by fleet" in titles
    home_titles = {panel["title"] for panel in data_panels(home_models()["obs-cost"])}
    assert "Token budget left by fleet" not in home_titles


def test_property_05_order_of_the_registry_changes_nothing() -> None:
    """Metrics in another order make the same boards, byte for byte."""
    data = registry_data()
    random.Random(7).shuffle(data["metrics"])
    shuffled = sources_of(parsed(data))
    assert delivered(shuffled, Delivery.CONFIGMAP) == delivered(home(), Delivery.CONFIGMAP)


@pytest.mark.parametrize("seed", ["0", "4242"])
def test_property_05_hashing_changes_nothing(seed: str) -> None:
    """Another process with another hash seed, locale and timezone makes the same bytes."""
    code = (
        "import hashlib,sys\n"
        "from obs.adapters.sources import Inputs, load_sources\n"
        "from obs.emit.dashboards import DashboardsEmitter\n"
        "found = b''.join(a.path.encode() + a.content for a in DashboardsEmitter().emit(load_sources(Inputs())))\n"
        "sys.stdout.write(hashlib.sha256(found).hexdigest())\n"
    )
    environment = {**os.environ, "PYTHONHASHSEED": seed, "LC_ALL": "C", "TZ": "Asia/Tokyo"}
    environment["PYTHONPATH"] = str(REPO)
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd="/", env=environment
    )
    here = b"".join(item.path.encode() + item.content for item in delivered(home(), Delivery.CONFIGMAP))
    assert ran.stdout == hashlib.sha256(here).hexdigest()


def test_another_prefix_gets_the_same_boards() -> None:
    """A registry with the same metrics under another prefix has every board, with its own names."""
    data = json.loads(re.sub(r"\bagent_", "acme_", json.dumps(registry_data())))
    boards = models(sources_of(parsed(data)))
    assert set(boards) == set(home_models())
    for uid, board in boards.items():
        assert len(list(panels(board))) == len(list(panels(home_models()[uid])))
        assert not any(re.search(r"\bagent_", expr) for expr in expressions(board))


def test_what_a_registry_lacks_is_left_out_and_said() -> None:
    """Without a metric its panels go, the board says which and why, and the rest stays."""
    data = registry_data()
    data["metrics"] = [each for each in data["metrics"] if each["name"] != "agent_saturation"]
    data["autoscaling_signal_subset"].remove("agent_saturation")
    boards = models(sources_of(parsed(data)))
    board = boards["obs-autoscaling"]
    assert "Highest saturation" not in {panel["title"] for panel in data_panels(board)}
    note = next(
        panel for panel in panels(board) if panel.get("title") == "What this registry has nothing for"
    )
    assert "Highest saturation: the registry has no `agent_saturation`" in note["options"]["content"]
    assert "Backlog" in {panel["title"] for panel in data_panels(board)}


def generic(count: int, seed: int) -> dict[str, Any]:
    """Return a private registry of `count` metrics that no board names."""
    chance = random.Random(seed)
    data = registry_data()
    data["prefix"] = {"neutral": "zed_"}
    data["autoscaling_signal_subset"] = data["cost_token_subset"] = []
    data["metrics"] = []
    labels = ([], [{"key": "status", "domain": "status"}], [{"key": "server", "domain": "open_bounded"}])
    for index in range(count):
        kind = chance.choice(["counter", "gauge", "histogram"])
        data["metrics"].append(
            record(
                name=f"zed_metric_{index}" + ("_total" if kind == "counter" else ""),
                type=kind,
                unit=chance.choice(["1", "ms", "bytes", "bool", "ratio", "1/s"]),
                labels=chance.choice(labels),
                status=chance.choice(["stable", "stable", "legacy", "provisional"]),
                help=chance.choice(["Short.", "Long. " * 300, 'Quotes " and \\ back. ' * 20, "ü" * 500]),
            )
        )
    return data


def all_shown(boards: dict[str, Json], sources: Sources, uid: str) -> list[Metric]:
    """Return the metrics on a board and its continuations, once for each panel."""
    return [
        metric
        for name, board in boards.items()
        if name == uid or name.startswith(f"{uid}-")
        for panel in data_panels(board)
        for metric in is_about(panel, sources)
    ]


@pytest.mark.parametrize("count", [1, 60, 1000])
def test_a_large_registry_is_split_into_boards_that_fit(count: int) -> None:
    """However many metrics there are, each is on one drill-down board, and every board fits into a ConfigMap."""
    sources = sources_of(parsed(generic(count, count)))
    boards = models(sources)
    shown = all_shown(boards, sources, DRILL)
    assert sorted(metric.name for metric in shown) == sorted(sources.registry.by_name)
    assert {metric.name for metric in all_shown(boards, sources, CONFORMANCE)} == set(
        sources.registry.by_name
    )
    for item in delivered(sources, Delivery.CONFIGMAP):
        if item.kubernetes:
            assert len(item.content) < 262_144
    assert (f"{DRILL}-2" in boards) is (count > 100)


def test_a_registry_without_up_hangs_its_variables_on_what_is_always_there() -> None:
    """Where there is no `up`, the variables ask for the first plain gauge that every agent exposes."""
    data = generic(40, 5)
    sources = sources_of(parsed(data))
    plain = sorted(
        each["name"]
        for each in data["metrics"]
        if each["type"] == "gauge" and each["status"] == "stable" and not each["labels"]
    )
    for board in models(sources).values():
        queries = [variable["query"] for variable in board["templating"]["list"][1:]]
        assert all(query.startswith(f"label_values({plain[0]}") for query in queries)


def test_a_legacy_metric_stays_with_its_replacement() -> None:
    """When the drill-down is split, a legacy metric is on the board of the metric that replaces it."""
    data = registry_data()
    text = json.dumps(generic(300, 3)["metrics"]).replace("zed_", "agent_zed_")
    data["metrics"] += json.loads(text)
    sources = sources_of(parsed(data))
    for board in models(sources).values():
        shown = {metric.name: metric for panel in data_panels(board) for metric in is_about(panel, sources)}
        for metric in shown.values():
            if metric.semantics.replaced_by in sources.registry.by_name:
                assert metric.semantics.replaced_by in shown


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=registries(), delivery=st.sampled_from(list(Delivery)))
def test_any_registry_makes_sound_boards(data: dict[str, Any], delivery: Delivery) -> None:
    """A registry that loads makes boards whose queries are sound, under unique names, without a traceback."""
    try:
        registry = parsed(data)
    except ObsError:
        return
    sources = sources_of(registry)
    artifacts = delivered(sources, delivery)
    boards = [json.loads(item.content) for item in artifacts if item.path.endswith(".json")]
    assert boards
    assert len({board["title"] for board in boards}) == len({board["uid"] for board in boards}) == len(boards)
    for board in boards:
        for expr in expressions(board):
            assert check_expression(expr, sources.catalog) == (), expr
            for name, matchers in selectors(expr):
                if name in registry.by_name or not name:
                    assert 'instance=~"$instance"' in matchers


def test_the_tests_see_the_real_files() -> None:
    """The boards under test are those of this repository's dashboards/."""
    assert {spec.uid for spec in home().boards} == {
        f"obs-{path.stem}" for path in (Path(REPO) / "dashboards").glob("*.yaml")
    }
