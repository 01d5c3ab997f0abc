"""Reading a dashboard's JSON: sections, panels, variables, and what is no dashboard at all."""

from __future__ import annotations

import json

import pytest

from obs.errors import InvalidInputError
from obs.preview.board import read_board, span

PANEL = {
    "id": 4,
    "type": "timeseries",
    "title": "Runs",
    "gridPos": {"x": 0, "y": 1, "w": 12, "h": 8},
    "interval": "30s",
    "maxDataPoints": 50,
    "targets": [
        {"refId": "A", "expr": "a", "legendFormat": "{{x}}", "range": True},
        {"refId": "B", "expr": "b", "instant": True, "format": "table"},
        {"refId": "C", "expr": "c", "hide": True},
        {"refId": "D"},
    ],
}


def _board(**more: object) -> str:
    return json.dumps({"title": "T", "uid": "u", "panels": [], **more})


def test_rows_gather_the_panels_that_follow():
    """Open rows own the panels after them, collapsed ones those inside, and panels before any row have no heading."""
    inner = {**PANEL, "id": 9}
    board = read_board(
        _board(
            panels=[
                {**PANEL, "id": 1},
                {"type": "row", "id": 2, "title": "Open"},
                PANEL,
                {"type": "row", "id": 3, "title": "Closed", "collapsed": True, "panels": [inner]},
            ]
        ),
        "t.json",
    )
    found = [(each.title, each.collapsed, [panel.id for panel in each.panels]) for each in board.sections]
    assert found == [("", False, [1]), ("Open", False, [4]), ("Closed", True, [9])]


def test_a_panel_keeps_what_it_asks_and_how_it_looks():
    """Hidden and empty targets are left out; interval, points and options are kept."""
    panel = next(read_board(_board(panels=[PANEL]), "t.json").panels())
    assert [(each.ref, each.instant, each.table) for each in panel.targets] == [
        ("A", False, False),
        ("B", True, True),
    ]
    assert (panel.interval, panel.max_points) == (30.0, 50)
    assert panel.raw["gridPos"]["w"] == 12
    assert "targets" not in panel.raw


def test_variables_of_every_shape_are_read():
    """A query may be text or an object, `current` one value or several."""
    variables = [
        {
            "name": "a",
            "type": "query",
            "query": "label_values(x, a)",
            "multi": True,
            "current": {"value": ["p"]},
        },
        {"name": "b", "type": "query", "query": {"query": "label_values(x, b)", "refId": "r"}, "label": "B"},
        {"name": "c", "type": "custom", "query": "1,2", "current": {"value": "2"}, "hide": 2},
    ]
    a, b, c = read_board(_board(templating={"list": variables}), "t.json").variables
    assert (a.query, a.multi, a.current) == ("label_values(x, a)", True, ("p",))
    assert (b.query, b.label, b.current) == ("label_values(x, b)", "B", ())
    assert (c.current, c.hidden) == (("2",), True)


@pytest.mark.parametrize(
    ("written", "zone"),
    [("browser", ""), ("", ""), (None, ""), ("utc", "UTC"), ("Europe/Oslo", "Europe/Oslo")],
)
def test_a_time_zone_is_a_name(written, zone):
    """The viewer's own zone has no name; all others are those of the IANA database."""
    assert read_board(_board(timezone=written), "t.json").timezone == zone


@pytest.mark.parametrize("text", ["[]", '{"title": "x"}', '{"panels": []}', "{", ""])
def test_what_is_no_dashboard_is_refused_with_its_file(text):
    """Any other JSON, or none, is an error that names the file."""
    with pytest.raises(InvalidInputError, match=r"board\.json"):
        read_board(text, "board.json")


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("15s", 15),
        ("1m", 60),
        (">30s", 30),
        ("500ms", 0.5),
        ("2h", 7200),
        ("", 7),
        (None, 7),
        (True, 7),
        ("x", 7),
    ],
)
def test_durations_are_those_of_grafana(text, seconds):
    """A duration has a unit; anything else is the default."""
    assert span(text, 7) == seconds
