"""The preview's server: pages, pictures, and what it refuses."""

from __future__ import annotations

import json
import re
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from obs.adapters.preview_boards import Look, load_boards, take_picture
from obs.adapters.preview_page import SCRIPTS, asset, embedded, whole_page
from obs.adapters.preview_server import PreviewServer, open_preview, read_look
from obs.adapters.registries import Inputs
from obs.adapters.sources import load_sources
from obs.emit.tree import render
from obs.errors import InvalidInputError, NothingObservedError, UnreadableError
from tests.preview.stand_in import NOW, StandIn

SELECTOR = 'agent_up{cluster=~"$cluster"}'


def _board(uid: str = "one", **more: object) -> dict:
    variables = [
        {"name": "cluster", "type": "query", "query": "label_values(agent_up, cluster)", "multi": True,
         "includeAll": True, "allValue": ".*", "current": {"value": ["$__all"]}},
        {"name": "instance", "type": "query", "query": f"label_values({SELECTOR}, instance)"},
    ]  # fmt: skip
    at = {"x": 0, "y": 0, "w": 12, "h": 8}
    panels = [
        {"id": 1, "type": "text", "title": "", "gridPos": at, "options": {"content": "**Is it up?**\n\nYes."}},
        {"id": 2, "type": "timeseries", "title": "Up", "gridPos": at,
         "targets": [{"refId": "A", "expr": f"sum({SELECTOR})", "legendFormat": "up"}]},
        {"id": 3, "type": "row", "title": "More", "collapsed": True, "gridPos": at, "panels": [
            {"id": 4, "type": "stat", "title": "Late", "gridPos": at,
             "targets": [{"refId": "A", "expr": "late", "instant": True}]}]},
    ]  # fmt: skip
    return {
        "uid": uid,
        "title": f"Board {uid}",
        "panels": panels,
        "templating": {"list": variables},
        "time": {"from": "now-1h", "to": "now"},
        "annotations": {"list": [
            {"name": "Drains", "expr": "drains > 0", "enable": True, "titleFormat": "{{instance}}"},
            {"name": "Starts", "expr": "starts > 0", "enable": False},
        ]},
        **more,
    }  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with two boards."""
    for uid in ("one", "two"):
        (tmp_path / f"{uid}.json").write_text(json.dumps(_board(uid)))
    return tmp_path


@pytest.fixture
def server(folder: Path) -> Iterator[PreviewServer]:
    """Return a running preview of that folder, answered by a stand-in."""
    made = open_preview(folder, StandIn(), ("127.0.0.1", 0), lambda: NOW)
    thread = threading.Thread(target=made.serve)
    thread.start()
    yield made
    made.stop()
    thread.join()


def _get(server: PreviewServer, path: str) -> tuple[int, dict[str, str], bytes]:
    try:
        with urllib.request.urlopen(f"http://{server.address}{path}", timeout=20) as reply:
            return reply.status, dict(reply.headers), reply.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, dict(error.headers), error.read()


def test_every_asset_a_page_names_is_there(server):
    """Scripts and styles are served with their types, under a policy that lets nothing else in."""
    status, headers, body = _get(server, "/d/one")
    assert status == 200
    assert "default-src 'none'" in headers["Content-Security-Policy"]
    named = re.findall(r'(?:src|href)="(/assets/[^"]+)"', body.decode())
    assert len(named) == len(SCRIPTS) + 2
    for path in named:
        status, headers, _ = _get(server, path)
        assert status == 200
        assert headers["Content-Type"].startswith("text/javascript" if path.endswith(".js") else "text/css")


@pytest.mark.parametrize(
    "path", ["/assets/../preview_page.py", "/assets/x.js", "/d/none", "/api/board/none", "/etc/passwd"]
)
def test_anything_else_is_not_found(server, path):
    """What is no board and no asset is a 404 that says where boards are."""
    status, _, body = _get(server, path)
    assert status == 404
    assert "/d/<uid>: one, two" in json.loads(body)["error"]


def test_a_picture_answers_open_panels_only(server):
    """Panels of a closed row are not asked for until it is opened."""
    closed = json.loads(_get(server, "/api/board/one")[2])
    opened = json.loads(_get(server, "/api/board/one?open=3")[2])
    assert [(each["title"], len(each["panels"])) for each in closed["sections"]] == [("", 2), ("More", 0)]
    assert [(each["title"], len(each["panels"])) for each in opened["sections"]] == [("", 2), ("More", 1)]
    assert closed["sections"][1]["count"] == 1
    exprs = [question.expr for question in server.oracle.asked]
    assert exprs.count("late") == 1


def test_variables_are_chained_and_chosen(server):
    """A variable depends on the ones before it, and a choice reaches the expressions."""
    picture = json.loads(_get(server, "/api/board/one?var-cluster=cluster-1&var-instance=instance-2")[2])
    assert [each["selected"] for each in picture["variables"]] == [["cluster-1"], ["instance-2"]]
    assert server.oracle.labels[-1].selector == 'agent_up{cluster=~"cluster-1"}'
    assert picture["sections"][0]["panels"][1]["exprs"] == ['sum(agent_up{cluster=~"cluster-1"})']


def test_marks_are_those_switched_on(server):
    """Without a choice the file decides; a choice replaces it, also with none."""
    chosen = [
        [each["on"] for each in json.loads(_get(server, f"/api/board/one?{query}")[2])["annotations"]]
        for query in ("", "annotations=Starts", "annotations=")
    ]
    assert chosen == [[True, False], [False, True], [False, False]]


def test_a_range_that_is_none_is_said(server):
    """A bad range is a 400 with words."""
    status, _, body = _get(server, "/api/board/one?from=yesterday")
    assert status == 400
    assert "yesterday" in json.loads(body)["error"]


def test_an_edit_shows_at_the_next_look(server, folder):
    """Files are read anew for each request; one that broke is named."""
    (folder / "one.json").write_text(json.dumps(_board("one", title="Renamed")))
    assert json.loads(_get(server, "/api/board/one")[2])["title"] == "Renamed"
    (folder / "two.json").write_text("{")
    status, _, body = _get(server, "/d/one")
    assert status == 400
    assert "two.json" in json.loads(body)["error"]


def test_an_index_lists_boards_with_their_questions(server):
    """The first page has each board with the question it opens with."""
    text = _get(server, "/")[2].decode()
    data = json.loads(re.search(r'type="application/json">(.*?)</script>', text)[1])
    assert [(each["uid"], each["question"]) for each in data["boards"]] == [
        ("one", "Is it up?"),
        ("two", "Is it up?"),
    ]


def test_a_folder_without_boards_is_said(tmp_path):
    """Nothing there, nothing in it, and two boards with one uid are three different errors."""
    with pytest.raises(UnreadableError, match="no such file"):
        load_boards(tmp_path / "none")
    with pytest.raises(NothingObservedError, match="no dashboard"):
        load_boards(tmp_path)
    for name in ("a", "b"):
        (tmp_path / f"{name}.json").write_text(json.dumps(_board("same")))
    with pytest.raises(InvalidInputError, match="is also that of"):
        load_boards(tmp_path)


def test_a_query_string_is_read_as_grafana_writes_it():
    """from, to, var-x, and the preview's own `open` and `annotations`."""
    look = read_look(
        {"from": ["now-1h"], "to": ["now"], "var-a": ["1", "2"], "open": ["3", "x"], "annotations": [""]}
    )
    assert look == Look("now-1h", "now", {"a": ("1", "2")}, frozenset({3}), frozenset())


@pytest.mark.parametrize("text", ["</script><script>alert(1)</script>", "<!--", "a&b", "\u2028"])
def test_data_cannot_break_out_of_the_page(text):
    """No text in the data ends the element it is in, and it is read back as it was."""
    inside = embedded({"x": text})
    assert "<" not in inside
    assert json.loads(inside) == {"x": text}


def test_a_whole_page_needs_nothing_else(folder):
    """A file has its scripts, styles and data inside, uPlot's licence with them, and asks no server."""
    board = load_boards(folder)["one"]
    picture = take_picture(board, Look(open_sections=frozenset({3})), StandIn(), lambda: NOW)
    text = whole_page("t", {"boards": [], "uid": "one", "pictures": {"one": picture}}).decode()
    assert re.findall(r'<(?:script|link)[^>]*(?:src|href)="(?!data:)', text) == []
    assert "Permission is hereby granted" in text
    assert '"title":"Late"' in text


def test_every_colour_of_the_boards_is_known():
    """A colour name that a board uses and the page does not know would be drawn in no colour at all."""
    inputs = Inputs()
    boards = [artifact for artifact in render(load_sources(inputs)) if artifact.path.endswith(".json")]
    used = {
        name
        for artifact in boards
        if artifact.path.startswith("dashboards/")
        for name in re.findall(r'"(?:fixedColor|color|iconColor)":\s*"([a-z-]+)"', artifact.content.decode())
    }
    script = (asset("format.js") or b"").decode()
    assert len(used) > 5
    assert {name for name in used if f"{name}: [" not in script and f'"{name}": [' not in script} == set()
