"""Boards to Grafana's dashboard model, through grafanalib. The one module that imports it.

grafanalib 0.7.1 is frozen and emits the model of Grafana 6 to 8: dead keys, nulls where the schema wants none, a
schemaVersion that Grafana 12 refuses, panel classes whose options are ignored today. So its objects are used for what
they carry well (dashboard, row, panel, position, variable, link), four subclasses say what they cannot, and one pure
pass (`finish`) keeps only the keys that Grafana knows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from grafanalib import core

from obs.emit.boards import visual
from obs.emit.boards.frame import Annotation, Variable
from obs.emit.boards.layout import Place, PlacedRow, place
from obs.emit.boards.panel import Board, Panel, Target
from obs.model.config import Grafana
from obs.specs.boards import Show

DATASOURCE = {"type": "prometheus", "uid": "${datasource}"}
"""Every panel, query, variable and annotation refers to the datasource variable: none is bound to one server."""

TAGS = ("obs-agent", "generated")

_PANEL_KEYS = frozenset(
    {
        "type", "id", "targets", "title", "description", "transparent", "datasource", "gridPos", "maxDataPoints",
        "transformations", "interval", "options", "fieldConfig",
    }
)  # fmt: skip
"""The keys of Grafana's Panel that boards use. Grafana 12 takes any key it does not know for an Angular option."""

_ROW_KEYS = frozenset({"type", "id", "title", "collapsed", "panels", "gridPos"})

_BOARD_KEYS = frozenset(
    {
        "id", "uid", "title", "description", "tags", "timezone", "editable", "graphTooltip", "time", "timepicker",
        "refresh", "schemaVersion", "version", "panels", "templating", "annotations", "links", "fiscalYearStartMonth",
        "liveNow", "preload", "weekStart",
    }
)  # fmt: skip
_EMPTY_DROPPED = ("transformations", "transparent", "links")
_TEXT_LACKS = ("targets", "datasource", "maxDataPoints", "fieldConfig", "interval", "transformations")


class _Query(core.Target):  # type: ignore[misc]  # grafanalib has no types
    """A Prometheus query of today; Target emits `step` and an intervalFactor that halves the resolution."""

    def to_json_data(self) -> dict[str, Any]:
        return {
            "refId": self.refId,
            "datasource": DATASOURCE,
            "expr": self.expr,
            "legendFormat": self.legendFormat,
            "editorMode": "code",
            "range": not self.instant,
            "instant": self.instant,
            "exemplar": False,
            "format": self.format,
        }


class _Visual(core.Panel):  # type: ignore[misc]  # grafanalib has no types
    """A panel of any kind in today's model, given as `extraJson`.

    The panel classes of 0.7.1 emit options that Grafana ignores or migrates from version 6.
    """

    def to_json_data(self) -> dict[str, Any]:
        return dict(self.panel_json({}))


class _Variable(core.Template):  # type: ignore[misc]  # grafanalib has no types
    """A variable with the keys Template lacks and without those that are dead."""

    def to_json_data(self) -> dict[str, Any]:
        found = {
            "type": self.type,
            "name": self.name,
            "label": self.label,
            "hide": self.hide,
            "query": self.query,
        }
        if self.type == "datasource":
            current = {"text": "default", "value": "default", "selected": True}
            return found | {
                "refresh": 1,
                "regex": "",
                "includeAll": False,
                "multi": False,
                "current": current,
            }
        first = {"text": "", "value": "", "selected": False}
        current = {"text": ["All"], "value": ["$__all"], "selected": True} if self.includeAll else first
        return found | {
            "datasource": DATASOURCE,
            "definition": self.query,
            "refresh": self.refresh,
            "regex": "",
            "sort": self.sort,
            "multi": self.multi,
            "includeAll": self.includeAll,
            "allValue": self.allValue,
            "current": current,
        }


@dataclass(frozen=True, slots=True)
class Frame:
    """What all boards share: the settings, what surrounds the panels, and the registry's identity.

    `interval` is the scrape interval (`15s`); `drill` the uid of the drill-down board; `origin` who made it from what.
    """

    settings: Grafana
    variables: tuple[Variable, ...]
    annotations: tuple[Annotation, ...]
    interval: str
    drill: str
    origin: str


def dashboard(board: Board, frame: Frame) -> dict[str, Any]:
    """Return a board in Grafana's classic model, finished."""
    settings = frame.settings
    made = core.Dashboard(
        title=f"Agents / {board.title}",
        uid=board.uid,
        description=f"{board.question} {frame.origin}",
        tags=list(TAGS),
        timezone=settings.timezone,
        editable=False,
        graphTooltip=core.GRAPH_TOOLTIP_MODE_SHARED_CROSSHAIR,
        refresh=settings.refresh,
        schemaVersion=settings.schema_version,
        time=core.Time(f"now-{settings.default_range}", "now"),
        timePicker=core.TimePicker(["30s", "1m", "5m", "15m", "1h"], []),
        templating=core.Templating([_datasource(), *map(_variable, frame.variables)]),
        annotations=core.Annotations(list(map(_annotation, frame.annotations))),
        links=[
            core.DashboardLink(
                title="Agents",
                tags=[TAGS[0]],
                asDropdown=True,
                includeVars=True,
                keepTime=True,
                icon="dashboard",
            )
        ],
        panels=list(_panels(board, frame)),
    )
    return finish(made.to_json_data())


def _datasource() -> _Variable:
    return _Variable(name="datasource", label="Data source", type="datasource", query="prometheus")


def _variable(variable: Variable) -> _Variable:
    return _Variable(
        name=variable.name,
        label=variable.name.title(),
        query=variable.query,
        refresh=core.REFRESH_ON_TIME_RANGE_CHANGE,
        multi=variable.multi,
        includeAll=variable.multi,
        allValue=variable.all_value if variable.multi else None,
    )


def _annotation(annotation: Annotation) -> dict[str, Any]:
    return {
        "name": annotation.name,
        "datasource": DATASOURCE,
        "enable": annotation.shown,
        "hide": False,
        "iconColor": annotation.colour,
        "expr": annotation.expr,
        "titleFormat": annotation.title,
        "textFormat": annotation.text,
        "step": "60s",
    }


def _panels(board: Board, frame: Frame) -> Iterator[core.Panel]:
    number = 0
    for row in place(board, _opening(board)):
        number += 1
        first = number
        made = [
            _panel(panel, where, frame, first + index) for index, (panel, where) in enumerate(row.panels, 1)
        ]
        number += len(made)
        yield from _row(row, made, first)


def _row(row: PlacedRow, panels: list[core.Panel], number: int) -> Iterator[core.Panel]:
    collapsed = row.row is not None and row.row.collapsed
    if row.row is not None:
        yield core.RowPanel(
            title=row.row.title,
            collapsed=collapsed,
            gridPos=_grid(row.place),
            id=number,
            panels=panels if collapsed else [],
        )
    if not collapsed:
        yield from panels


def _opening(board: Board) -> tuple[Panel, ...]:
    text = "\n\n".join(part for part in (f"**{board.question}**", board.reading) if part)
    return (Panel(Show.TEXT, "", text=text),)


def _grid(where: Place) -> core.GridPos:
    return core.GridPos(h=where.h, w=where.w, x=where.x, y=where.y)


def _panel(panel: Panel, where: Place, frame: Frame, number: int) -> _Visual:
    defaults = visual.defaults(panel)
    if panel.drill and panel.show is not Show.TABLE:
        defaults["links"] = [_link(drill_url(frame.drill, "${__field.labels.instance}"))]
    return _Visual(
        id=number,
        title=panel.title,
        description=panel.description or None,
        dataSource=DATASOURCE,
        gridPos=_grid(where),
        transparent=panel.show is Show.TEXT and not panel.title,
        targets=[_query(panel, index, target) for index, target in enumerate(panel.targets)],
        maxDataPoints=visual.MOST_POINTS if panel.show is Show.STATUS_HISTORY else None,
        interval=frame.interval,
        transformations=visual.transformations(panel),
        extraJson={
            "type": str(panel.show),
            "options": visual.options(panel),
            "fieldConfig": {
                "defaults": defaults,
                "overrides": visual.overrides(panel, drill_url(frame.drill, "${__data.fields.instance}")),
            },
        },
    )


def _query(panel: Panel, index: int, target: Target) -> _Query:
    table = panel.show is Show.TABLE
    return _Query(
        expr=target.expr,
        refId=visual.ref_id(index),
        legendFormat=target.legend or "__auto",
        instant=panel.instant or panel.show.instant,
        format="table" if table else "time_series",
    )


def _link(url: str) -> dict[str, Any]:
    return {"title": "Open this instance", "url": url, "targetBlank": False}


def drill_url(uid: str, instance: str) -> str:
    """Return the link to the drill-down board for `instance`, with the other variables and the time range kept."""
    kept = "&".join(f"${{{name}:queryparam}}" for name in ("datasource", "cluster", "namespace", "job"))
    return f"/d/{uid}?var-instance={instance}&{kept}&${{__url_time_range}}"


def finish(made: dict[str, Any]) -> dict[str, Any]:
    """Return a dashboard as Grafana's current model wants it: known keys only, no nulls but those that mean something.

    Pure: neither the argument nor anything it refers to is changed.
    """
    found = {key: _plain(value) for key, value in made.items() if key in _BOARD_KEYS and key != "panels"}
    found["panels"] = [_finish_panel(panel) for panel in made["panels"]]
    found["id"] = None  # a provisioned file must leave it to Grafana
    found["templating"] = {"list": _plain(made["templating"])["list"]}
    found["annotations"] = {"list": _plain(made["annotations"])["list"]}
    found["timepicker"] = {"refresh_intervals": _plain(made["timepicker"])["refresh_intervals"]}
    return found


def _finish_panel(panel: Any) -> dict[str, Any]:
    data = panel.to_json_data()
    if data["type"] == "row":
        row = {key: _plain(value) for key, value in data.items() if key in _ROW_KEYS and key != "panels"}
        return row | {"panels": [_finish_panel(child) for child in data["panels"]]}
    # `options` and `fieldConfig` are plain already (boards/visual.py); only grafanalib's own parts are written out.
    found = {key: value for key, value in data.items() if key in _PANEL_KEYS and value is not None}
    found["gridPos"] = data["gridPos"].to_json_data()
    found["targets"] = [target.to_json_data() for target in data["targets"]]
    for key in _EMPTY_DROPPED:
        if not found.get(key):
            found.pop(key, None)
    if data["type"] == str(Show.TEXT):
        for key in _TEXT_LACKS:
            found.pop(key, None)
    return found


def _plain(value: Any) -> Any:
    """Return a value with grafanalib's objects written out and without nulls."""
    if isinstance(value, dict):
        return {key: _plain(part) for key, part in value.items() if part is not None}
    if isinstance(value, list):
        return [_plain(part) for part in value]
    written = getattr(value, "to_json_data", None)
    return _plain(written()) if written is not None else value
