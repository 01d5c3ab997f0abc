"""The properties every generated dashboard has. Each test names its property."""

from __future__ import annotations

import re

import pytest

from tests.dashboards.boards import data_panels, expressions, home, home_models, panels, selectors

BOARDS = sorted(home_models())
each_board = pytest.mark.parametrize("uid", BOARDS)


@each_board
def test_property_4_uids_and_ids(uid: str) -> None:
    """The uid has the set's form, and panel ids are unique, those of closed rows included."""
    board = home_models()[uid]
    assert re.fullmatch(r"obs-[a-z0-9-]{1,36}", uid)
    ids = [panel["id"] for panel in panels(board)]
    assert len(ids) == len(set(ids))


@each_board
def test_property_9_every_selector_has_the_four_matchers(uid: str) -> None:
    """Every selector on a metric of the registry carries the board's four matchers."""
    names = home().registry.by_name
    for expr in expressions(home_models()[uid]):
        for name, matchers in selectors(expr):
            if name in names or not name:
                for label in ("cluster", "namespace", "job", "instance"):
                    assert f'{label}=~"${label}"' in matchers, expr


@each_board
def test_property_16_title_description_unit(uid: str) -> None:
    """Each panel with data has a title of at most 60 characters, a description and a unit."""
    for panel in data_panels(home_models()[uid]):
        assert 0 < len(panel["title"]) <= 60
        assert panel["description"]
        assert panel["fieldConfig"]["defaults"]["unit"]


def test_the_drill_down_has_each_metric_in_one_panel() -> None:
    """Every metric of the registry is in exactly one panel of the drill-down."""
    shown: dict[str, int] = {}
    for panel in data_panels(home_models()["obs-instance"]):
        found = {name for target in panel["targets"] for name, _ in selectors(target["expr"])}
        for name in found:
            shown[name.removesuffix("_bucket")] = shown.get(name.removesuffix("_bucket"), 0) + 1
    assert shown == dict.fromkeys(home().registry.by_name, 1)
