"""A run as a picture: replicas, backlog and waits on one time axis, as SVG, and a page that holds it.

Nothing is loaded from anywhere: the page is one file. Long runs are thinned to one point a pixel, keeping maxima.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple
from xml.etree.ElementTree import Element, SubElement, tostring

from obs.sim.durations import readable
from obs.sim.outcome import Outcome, percentile
from obs.sim.table import FIGURES, SIMPLIFICATIONS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from obs.sim.faults import FaultKind
    from obs.sim.keda import ScaledObject
    from obs.sim.run import Scenario

WIDTH, LEFT, RIGHT = 980, 64, 150
TOP, PANEL, GAP, BOTTOM = 52, 150, 34, 34
PLOT = WIDTH - LEFT - RIGHT
MOST_MARKS = 600
SLICES = 100

_INK, _GRID, _FAULT, _LIMIT = "#24292f", "#d8dee4", "#fff1e5", "#cf222e"
_STYLE = (
    "body{font:14px system-ui,sans-serif;color:#24292f;background:#fff;max-width:1000px;margin:24px auto;"
    "padding:0 12px}table{border-collapse:collapse}td,th{padding:2px 14px 2px 0;text-align:left}"
    "pre{overflow-x:auto;font-size:12px}svg{max-width:100%;height:auto}"
)
_TICKS = (60, 300, 600, 1800, 3600, 7200, 14400, 21600, 43200, 86400, 172800, 604800)


class Point(NamedTuple):
    """A value at a second."""

    time: int
    value: float


class Look(Enum):
    """How a curve is drawn."""

    LINE = auto()
    AREA = auto()
    BARS = auto()


@dataclass(frozen=True, slots=True)
class Curve:
    """One curve of a panel: a line or an area that holds its value until the next point, or a bar a point."""

    label: str
    colour: str
    points: tuple[Point, ...]
    look: Look = Look.LINE


@dataclass(frozen=True, slots=True)
class Panel:
    """One of the stacked plots. `limit` is a dashed line with a name; `show` writes a value of the axis."""

    title: str
    curves: tuple[Curve, ...]
    limit: tuple[str, float] | None = None
    show: Callable[[float], str] = "{:g}".format


def svg(scaled: ScaledObject, scenario: Scenario, outcome: Outcome) -> str:
    """Return the picture of a recorded run as SVG text."""
    return tostring(_figure(scaled, scenario, outcome), encoding="unicode") + "\n"


def page(scenario: Scenario, runs: Sequence[tuple[ScaledObject, Outcome]]) -> str:
    """Return one self-contained HTML page with the picture, the figures and the log of one or several runs."""
    html = Element("html", lang="en")
    head = SubElement(html, "head")
    SubElement(head, "meta", charset="utf-8")
    SubElement(head, "title").text = f"obs simulate: {', '.join(scaled.name for scaled, _ in runs)}"
    SubElement(head, "style").text = _STYLE
    body = SubElement(html, "body")
    _figures(body, runs)
    for scaled, outcome in runs:
        body.append(_figure(scaled, scenario, outcome))
        details = SubElement(body, "details")
        SubElement(details, "summary").text = f"why the replicas of {scaled.name} changed"
        SubElement(details, "pre").text = "\n".join(
            f"{change.time:>7}s {change.before:>3} -> {change.after:<3} {change.rule}: {change.text}"
            for change in outcome.changes
        )
    notes = SubElement(body, "ul")
    for line in SIMPLIFICATIONS:
        SubElement(notes, "li").text = line
    return "<!DOCTYPE html>\n" + tostring(html, encoding="unicode", method="html") + "\n"


def _figures(body: Element, runs: Sequence[tuple[ScaledObject, Outcome]]) -> None:
    table = SubElement(body, "table")
    head = SubElement(table, "tr")
    SubElement(head, "th")
    for scaled, _ in runs:
        SubElement(head, "th").text = scaled.name
    for figure in FIGURES:
        row = SubElement(table, "tr")
        SubElement(row, "td").text = figure.label
        for _, outcome in runs:
            SubElement(row, "td").text = figure.show(outcome.summary)


def _figure(scaled: ScaledObject, scenario: Scenario, outcome: Outcome) -> Element:
    panels = _panels(scaled, scenario, outcome)
    height = TOP + len(panels) * (PANEL + GAP) + BOTTOM
    root = Element(
        "svg",
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {WIDTH} {height}",
        width=str(WIDTH),
        height=str(height),
        role="img",
        attrib={"font-family": "system-ui, sans-serif", "font-size": "12"},
    )
    SubElement(root, "title").text = f"{scaled.name} on {scenario.load.name}"
    _rect(root, (0, 0, WIDTH, height), "#ffffff")
    _text(root, LEFT, 22, f"{scaled.name} on {scenario.load.name}", size=16)
    _text(root, LEFT, 40, _caption(outcome), colour="#57606a")
    for index, panel in enumerate(panels):
        _draw(root, panel, TOP + index * (PANEL + GAP) + GAP / 2, scenario)
    _time_axis(root, scenario.end, height - BOTTOM)
    _marks(root, outcome, panels[0], scenario.end)
    return root


def _caption(outcome: Outcome) -> str:
    summary = outcome.summary
    return (
        f"{summary.items} items, wait p95 {readable(summary.p95_wait)}, max {readable(summary.max_wait)}, "
        f"{summary.interrupted} interrupted, {summary.left} left, {summary.replica_seconds} replica-seconds"
    )


def _panels(scaled: ScaledObject, scenario: Scenario, outcome: Outcome) -> tuple[Panel, ...]:
    rows, end = outcome.rows, scenario.end

    def over_time(values: Iterable[float]) -> tuple[Point, ...]:
        times = (row.time for row in rows)
        return thinned((Point(time, value) for time, value in zip(times, values, strict=True)), end)

    wanted = [Point(0, _initial(outcome, scaled)), *(Point(c.time, c.after) for c in outcome.changes)]
    limit = ("maximum", float(scaled.maximum)) if outcome.summary.at_max else None
    replicas = (
        Curve("ready", "#9bd0a5", over_time(row.ready for row in rows), look=Look.AREA),
        Curve("draining", "#e0a33e", over_time(row.draining for row in rows)),
        Curve("wanted", "#1a7f37", (*wanted, Point(end, wanted[-1].value))),
    )
    backlog = (
        Curve("waiting", "#8db4e8", over_time(row.pending for row in rows), look=Look.AREA),
        Curve("in work", "#0550ae", over_time(row.claimed for row in rows)),
    )
    p95, most = wait_curves(outcome, end)
    waits = (
        Curve("longest", "#e5b8f4", most, look=Look.BARS),
        Curve("p95", "#8250df", p95, look=Look.BARS),
    )
    return (
        Panel("replicas", replicas, limit),
        Panel("items", backlog),
        Panel("wait by arrival", waits, ("objective", float(scenario.slo)), readable),
    )


def _initial(outcome: Outcome, scaled: ScaledObject) -> int:
    return outcome.changes[0].before if outcome.changes else scaled.minimum


def wait_curves(outcome: Outcome, end: int) -> tuple[tuple[Point, ...], tuple[Point, ...]]:
    """Return (p95, maximum) of the waits by time of arrival, in about a hundred slices of the run."""
    slice_ = max(1, end // SLICES)
    slices: dict[int, list[int]] = {}
    for wait in outcome.waits:
        slices.setdefault(wait.arrived // slice_, []).append(wait.seconds)
    ordered = [(index * slice_ + slice_ // 2, sorted(waits)) for index, waits in sorted(slices.items())]
    p95 = tuple(Point(time, percentile(waits, 0.95)) for time, waits in ordered)
    return p95, tuple(Point(time, waits[-1]) for time, waits in ordered)


def thinned(points: Iterable[Point], end: int) -> tuple[Point, ...]:
    """Return at most one point a pixel of the plot: the first of each pixel, with the largest value in it."""
    kept: list[Point] = []
    pixel = -1
    for point in points:
        here = point.time * PLOT // max(1, end)
        if here != pixel:
            kept.append(point)
            pixel = here
        elif point.value > kept[-1].value:
            kept[-1] = Point(kept[-1].time, point.value)
    return tuple(kept)


def _draw(root: Element, panel: Panel, top: float, scenario: Scenario) -> None:
    """Draw one panel: faults behind, grid, curves, limit, legend."""
    end = scenario.end
    highest = ceiling(max((point.value for curve in panel.curves for point in curve.points), default=0))
    for fault in scenario.weather.faults:
        width = max(1.0, (min(fault.end, end) - fault.start) * PLOT / end)
        _rect(root, (_x(fault.start, end), top, width, PANEL), _FAULT, title=_named(fault.kind))
    _text(root, LEFT, top - 6, panel.title, weight="600")
    for share in (0.0, 0.5, 1.0):
        y = top + PANEL * (1 - share)
        _line(root, (LEFT, y, LEFT + PLOT, y), _GRID)
        _text(root, LEFT - 8, y + 4, panel.show(highest * share), anchor="end")
    for index, curve in enumerate(panel.curves):
        _curve(root, curve, top, highest, end)
        y = top + 14 + 18 * index
        _rect(root, (LEFT + PLOT + 14, y - 9, 12, 10), curve.colour)
        _text(root, LEFT + PLOT + 32, y, curve.label)
    if panel.limit is not None and panel.limit[1] <= highest:
        label, value = panel.limit
        y = top + PANEL * (1 - value / highest)
        _line(root, (LEFT, y, LEFT + PLOT, y), _LIMIT, dashed=True)
        y = top + 14 + 18 * len(panel.curves)
        _line(root, (LEFT + PLOT + 14, y - 4, LEFT + PLOT + 26, y - 4), _LIMIT, dashed=True)
        _text(root, LEFT + PLOT + 32, y, label)


def _named(kind: FaultKind) -> str:
    return f"fault: {kind}"


def ceiling(value: float) -> float:
    """Return the smallest of 1, 2, 4, 6, 10, 20, 40, ... that is not below `value`."""
    magnitude = 1.0
    while True:
        for step in (1, 2, 4, 6):
            if value <= step * magnitude:
                return step * magnitude
        magnitude *= 10


def _curve(root: Element, curve: Curve, top: float, highest: float, end: int) -> None:
    if not curve.points:
        return
    at = [(_x(point.time, end), top + PANEL * (1 - point.value / highest)) for point in curve.points]
    if curve.look is Look.BARS:
        width = PLOT / SLICES * 0.8
        for x, y in at:
            _rect(root, (x - width / 2, y, width, top + PANEL - y), curve.colour)
        return
    parts = [f"M{at[0][0]:.1f} {at[0][1]:.1f}"]
    for (_, before), (x, y) in pairwise(at):
        parts.append(f"H{x:.1f}" + (f"V{y:.1f}" if y != before else ""))
    style = {"fill": "none", "stroke": curve.colour, "stroke-width": "1.5", "stroke-linejoin": "round"}
    if curve.look is Look.AREA:
        parts.append(f"V{top + PANEL:.1f}H{at[0][0]:.1f}Z")
        style = {"fill": curve.colour, "stroke": "none"}
    SubElement(root, "path", d="".join(parts), attrib=style)


def _marks(root: Element, outcome: Outcome, panel: Panel, end: int) -> None:
    """Put a dot with its sentence on every change of the replicas, unless there are too many to point at."""
    if len(outcome.changes) > MOST_MARKS:
        return
    highest = ceiling(max((point.value for curve in panel.curves for point in curve.points), default=0))
    top = TOP + GAP / 2
    for change in outcome.changes:
        y = top + PANEL * (1 - change.after / highest)
        dot = SubElement(
            root, "circle", cx=f"{_x(change.time, end):.1f}", cy=f"{y:.1f}", r="2.5", fill="#116329"
        )
        SubElement(dot, "title").text = f"{change.before} -> {change.after}: {change.text}"


def _time_axis(root: Element, end: int, y: float) -> None:
    step = next((tick for tick in _TICKS if end / tick <= 10), _TICKS[-1])
    for time in range(0, end + 1, step):
        _text(root, _x(time, end), y, readable(time) if time else "0", anchor="middle", colour="#57606a")


def _x(time: float, end: int) -> float:
    return LEFT + PLOT * min(time, end) / max(1, end)


def _rect(root: Element, box: tuple[float, float, float, float], colour: str, title: str = "") -> None:
    x, y, width, height = (f"{side:.1f}".removesuffix(".0") for side in box)
    rect = SubElement(root, "rect", x=x, y=y, width=width, height=height, fill=colour)
    if title:
        SubElement(rect, "title").text = title


def _line(
    root: Element, ends: tuple[float, float, float, float], colour: str, *, dashed: bool = False
) -> None:
    x1, y1, x2, y2 = (f"{end:.1f}".removesuffix(".0") for end in ends)
    line = SubElement(root, "line", x1=x1, y1=y1, x2=x2, y2=y2, stroke=colour)
    if dashed:
        line.set("stroke-dasharray", "5 4")


def _text(
    root: Element,
    x: float,
    y: float,
    text: str,
    *,
    anchor: str = "start",
    colour: str = _INK,
    size: int = 12,
    weight: str = "400",
) -> None:
    style = {"text-anchor": anchor, "font-size": str(size), "font-weight": weight}
    element = SubElement(root, "text", x=f"{x:.1f}", y=f"{y:.1f}", fill=colour, attrib=style)
    element.text = text
