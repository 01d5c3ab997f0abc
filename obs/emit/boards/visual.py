"""The options of each kind of panel in Grafana's current model, as plain values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from obs.emit.boards.panel import Panel, Words
from obs.specs.boards import Show

_NO_LEGEND = {"showLegend": False, "displayMode": "list", "placement": "bottom", "calcs": []}
_TABLE_LEGEND = {
    "showLegend": True,
    "displayMode": "table",
    "placement": "bottom",
    "calcs": ["lastNotNull", "max"],
    "sortBy": "Last *",
    "sortDesc": True,
}
_TOOLTIP = {"mode": "multi", "sort": "desc"}
_REDUCE = {"calcs": ["lastNotNull"], "fields": "", "values": False}

_DASHED = {
    "custom.lineStyle": {"fill": "dash", "dash": [10, 10]},
    "custom.fillOpacity": 0,
    "custom.lineWidth": 2,
}

MOST_POINTS = 100
"""Cells a status history has room for; Grafana refuses to draw many more."""

GAP = 300_000
"""Milliseconds over which a line is drawn through missing points: longer silence must stay visible."""


def options(panel: Panel) -> dict[str, Any]:
    """Return `options` of a panel."""
    match panel.show:
        case Show.STAT:
            return _stat(panel)
        case Show.GAUGE:
            return _gauge()
        case Show.BARGAUGE:
            return _bars()
        case Show.TABLE:
            sort = [{"displayName": panel.sort[0], "desc": panel.sort[1]}] if panel.sort else []
            return {"frameIndex": 0, "showHeader": True, "cellHeight": "sm", "sortBy": sort}
        case Show.STATE_TIMELINE:
            return {"mergeValues": True, "alignValue": "left", **_states()}
        case Show.STATUS_HISTORY:
            return {"colWidth": 0.9, **_states()}
        case Show.HEATMAP:
            return _heatmap()
        case Show.TEXT:
            return {"mode": "markdown", "content": panel.text}
        case Show.TIMESERIES:
            return {"legend": dict(_TABLE_LEGEND), "tooltip": dict(_TOOLTIP)}


def _stat(panel: Panel) -> dict[str, Any]:
    return {
        "graphMode": "none" if panel.instant else "area",
        "colorMode": "value",
        "justifyMode": "auto",
        "textMode": "auto",
        "wideLayout": True,
        "showPercentChange": False,
        "percentChangeColorMode": "standard",
        "orientation": "auto",
        "reduceOptions": dict(_REDUCE),
    }


def _gauge() -> dict[str, Any]:
    return {
        "showThresholdLabels": False,
        "showThresholdMarkers": True,
        "sizing": "auto",
        "minVizWidth": 75,
        "minVizHeight": 75,
        "orientation": "auto",
        "reduceOptions": dict(_REDUCE),
    }


def _bars() -> dict[str, Any]:
    return {
        "displayMode": "basic",
        "valueMode": "color",
        "namePlacement": "auto",
        "showUnfilled": True,
        "sizing": "auto",
        "minVizWidth": 8,
        "minVizHeight": 16,
        "maxVizHeight": 300,
        "orientation": "horizontal",
        "legend": dict(_NO_LEGEND),
        "reduceOptions": dict(_REDUCE),
    }


def _states() -> dict[str, Any]:
    return {
        "showValue": "auto",
        "rowHeight": 0.8,
        "legend": dict(_NO_LEGEND),
        "tooltip": {"mode": "single", "sort": "none"},
    }


def _heatmap() -> dict[str, Any]:
    """Return the options of a heatmap whose series are its rows: each is named after the value that it counts."""
    return {
        "calculate": False,
        "color": {
            "mode": "scheme",
            "scheme": "Oranges",
            "steps": 64,
            "exponent": 0.5,
            "fill": "dark-orange",
            "reverse": False,
        },
        "cellGap": 1,
        "showValue": "never",
        "filterValues": {"le": 1e-9},
        "yAxis": {"axisPlacement": "left"},
        "legend": {"show": True},
        "tooltip": {"mode": "single", "yHistogram": False, "showColorScale": True},
        "exemplars": {"color": "rgba(255,0,255,0.7)"},
    }


def defaults(panel: Panel) -> dict[str, Any]:
    """Return `fieldConfig.defaults` of a panel: unit, limits, words for values, and how lines are drawn."""
    found: dict[str, Any] = {
        "unit": panel.unit,
        "noValue": panel.no_value,
        # In a table the words belong to one column: over all of them a backlog of 0 would read "no".
        "mappings": mappings(panel.words) if panel.words and panel.show is not Show.TABLE else [],
        "color": {"mode": "palette-classic" if panel.show is Show.TIMESERIES else "thresholds"},
        "thresholds": {
            "mode": "absolute",
            "steps": [{"color": step.colour, "value": step.value} for step in panel.steps],
        },
        "custom": _custom(panel),
    }
    limits = {"min": panel.bottom, "max": panel.top, "decimals": panel.decimals}
    found.update((key, value) for key, value in limits.items() if value is not None)
    return found


def mappings(words: tuple[Words, ...]) -> list[dict[str, Any]]:
    """Return value mappings; nothing at all has a word and a colour of its own, which is never a good one."""
    values = {
        str(word.value): {"text": word.text, "color": word.colour, "index": index}
        for index, word in enumerate(words)
    }
    nothing = {"text": "no data", "color": "dark-orange", "index": len(words)}
    return [
        {"type": "value", "options": values},
        {"type": "special", "options": {"match": "null+nan", "result": nothing}},
    ]


def _custom(panel: Panel) -> dict[str, Any]:
    match panel.show:
        case Show.TIMESERIES:
            return _lines(panel)
        case Show.STATE_TIMELINE:
            return {"lineWidth": 0, "fillOpacity": 80, "spanNulls": False, "insertNulls": GAP}
        case Show.STATUS_HISTORY:
            return {"lineWidth": 1, "fillOpacity": 80}
        case Show.TABLE:
            return {"align": "auto", "inspect": False}
        case _:
            return {}


def _lines(panel: Panel) -> dict[str, Any]:
    limited = len(panel.steps) > 1
    return {
        "drawStyle": "line",
        "lineInterpolation": "linear",
        "lineWidth": 1,
        "fillOpacity": 25 if panel.stack else 10,
        "gradientMode": "none",
        "showPoints": "never",
        "pointSize": 5,
        "spanNulls": GAP,
        "insertNulls": False,
        "stacking": {"mode": "normal" if panel.stack else "none", "group": "A"},
        "axisPlacement": "auto",
        "axisLabel": "",
        "axisColorMode": "text",
        "axisBorderShow": False,
        "axisCenteredZero": False,
        "scaleDistribution": {"type": "linear"},
        "hideFrom": {"legend": False, "tooltip": False, "viz": False},
        "thresholdsStyle": {"mode": "dashed" if limited else "off"},
    }


def overrides(panel: Panel, drill_table: str) -> list[dict[str, Any]]:
    """Return the overrides of a panel: fixed colours, dashed lines, the columns of a table.

    `drill_table` is the link of a table's instance column.
    """
    if panel.show is Show.TABLE:
        return list(_columns(panel, drill_table))
    found = [
        _by_name(name, {"color": {"mode": "fixed", "fixedColor": colour}}) for name, colour in panel.colours
    ]
    for index, target in enumerate(panel.targets):
        if target.dashed:
            matcher = {"id": "byFrameRefID", "options": ref_id(index)}
            found.append({"matcher": matcher, "properties": _properties(_DASHED)})
    return found


def _columns(panel: Panel, drill_table: str) -> Iterator[dict[str, Any]]:
    for target in panel.targets:
        properties: dict[str, Any] = {"unit": target.unit or panel.unit}
        if target.words:
            properties |= {"mappings": mappings(target.words), "custom.cellOptions": {"type": "color-text"}}
        yield _by_name(target.legend, properties)
    if panel.drill:
        link = {"title": "Open this instance", "url": drill_table, "targetBlank": False}
        yield _by_name("instance", {"links": [link]})


def _by_name(name: str, properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "matcher": {"id": "byName", "options": name},
        "properties": _properties(properties),
    }


def _properties(values: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [{"id": key, "value": value} for key, value in values.items()]


def transformations(panel: Panel) -> list[dict[str, Any]]:
    """Return what turns the results of a table's queries into one table: a row for each set of labels."""
    if panel.show is not Show.TABLE:
        return []
    names = {f"Value #{ref_id(index)}": target.legend for index, target in enumerate(panel.targets)}
    if len(panel.targets) == 1:
        names = {"Value": panel.targets[0].legend}
    organize = {"excludeByName": {"Time": True}, "indexByName": {}, "renameByName": names}
    return [{"id": "merge", "options": {}}, {"id": "organize", "options": organize}]


def ref_id(index: int) -> str:
    """Return the letter of a query: A to Z, then AA and on."""
    letters = ""
    index += 1
    while index:
        index, rest = divmod(index - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters
