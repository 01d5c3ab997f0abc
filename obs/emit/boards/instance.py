"""The drill-down: one instance, and every metric of the registry once. Made from the registry alone.

A metric that is added to the registry is on this board without another edit. Very large registries get several boards,
so that each still fits into a ConfigMap.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from obs import signals
from obs.emit.boards.describe import colours, description, flag_steps, flag_words, legend, status_note, title
from obs.emit.boards.frame import MATCHERS
from obs.emit.boards.panel import Board, Panel, Row, Step, Target
from obs.emit.boards.queries import Asker
from obs.model.metric import Aggregation, Kind, Metric, Registry, Status, Unit
from obs.signals import Ask
from obs.specs.boards import QuerySpec, Show
from obs.specs.sources import Sources

UID = "obs-instance"

BOARD_BYTES = 200_000
"""Estimated size of a board past which another one is begun; the estimate is generous, the limit is 240,000."""

OPEN_PANELS = 8
"""Panels that are open at first; further rows are closed and cost no query until someone opens them."""

QUANTILES = (0.5, 0.95, 0.99)

_QUESTION = "What is this one agent doing, metric by metric?"
_READING = (
    "Choose an instance above. Every metric of the registry is here once, under its heading; arrive here from a series"
    " or a row of another board. Rows further down are closed until you open them."
)
_PANEL_BYTES = 1200
_COLOUR_BYTES = 120


def drill_down(sources: Sources) -> Iterator[Board]:
    """Yield the drill-down board, and further ones when the registry is too large for one."""
    panels = dict(_panels(sources))
    shares = tuple(_shares(sources.registry, panels))
    for number, share in enumerate(shares, 1):
        part = f" {number}" if number > 1 else ""
        yield Board(
            uid=UID if number == 1 else f"{UID}-{number}",
            title=f"Instance{part}",
            question=_QUESTION,
            reading=_READING + (f" Part {number} of {len(shares)}." if len(shares) > 1 else ""),
            rows=tuple(_rows(sources.registry, share, panels)),
            single=True,
        )


def _panels(sources: Sources) -> Iterator[tuple[Metric, Panel]]:
    asker = Asker(sources.resolver)
    metrics = sources.registry.metrics
    titles = Counter(title(metric, metric.label_keys) for metric in metrics)
    for metric in metrics:
        name = title(metric, metric.label_keys)
        yield metric, metric_panel(asker, metric, name if titles[name] == 1 else metric.name)


def metric_panel(asker: Asker, metric: Metric, name: str) -> Panel:
    """Return the panel of one metric: how it is drawn follows from its type and unit, its words from the registry."""
    by = metric.label_keys
    flag = metric.unit is Unit.BOOL and metric.kind is Kind.GAUGE
    return Panel(
        show=Show.STATE_TIMELINE if flag else Show.TIMESERIES,
        title=name[:60],
        description=description("", (metric,), (status_note(metric), _how(metric))),
        targets=tuple(_targets(asker, metric, by)),
        unit=signals.grafana_unit(metric),
        width=8,
        height=4 if flag and not by else 7,
        bottom=0,
        top=1 if metric.unit is Unit.RATIO and metric.kind is Kind.GAUGE else None,
        stack=metric.kind is Kind.COUNTER and bool(by),
        steps=flag_steps(metric) if flag else (Step(None, "blue"),),
        words=flag_words(metric) if flag else (),
        colours=_colours(metric),
        uses=(metric.name + "_bucket",) if metric.kind is Kind.HISTOGRAM else (metric.name,),
    )


def _targets(asker: Asker, metric: Metric, by: tuple[str, ...]) -> Iterator[Target]:
    if metric.kind is not Kind.HISTOGRAM:
        single = "max" if metric.semantics.aggregation is Aggregation.DRIFT else ""
        query = QuerySpec((), metric=metric.name, by=by, combine=single)
        answer = asker.of_metric(metric, query, by)
        yield Target(answer.expr, answer.legend)
        return
    for quantile in QUANTILES:
        expr = signals.level(metric, Ask((), MATCHERS, quantile=quantile))
        yield Target(expr, legend((), f"p{quantile * 100:g}"))


def _how(metric: Metric) -> str:
    if metric.kind is Kind.COUNTER:
        return "A counter, shown as growth per second."
    if metric.kind is Kind.HISTOGRAM:
        return "A histogram, shown as quantiles over the window of the rate."
    return f"A gauge; over several agents its {metric.semantics.aggregation} counts."


def _colours(metric: Metric) -> tuple[tuple[str, str], ...]:
    return colours(metric.labels[0].domain.values) if len(metric.labels) == 1 else ()


def _shares(registry: Registry, panels: dict[Metric, Panel]) -> Iterator[tuple[Metric, ...]]:
    """Yield the metrics of each board. A legacy metric is always on the board of what replaces it."""
    share: list[Metric] = []
    size = 0
    for bundle in _bundles(registry):
        weight = sum(_weight(panels[metric]) for metric in bundle)
        if share and size + weight > BOARD_BYTES:
            yield tuple(share)
            share, size = [], 0
        share += bundle
        size += weight
    if share:
        yield tuple(share)


def _bundles(registry: Registry) -> Iterator[tuple[Metric, ...]]:
    """Yield each metric with the legacy ones it replaces, in the order of the headings."""
    successors: dict[str, list[Metric]] = {}
    for metric in registry.metrics:
        successor = metric.semantics.replaced_by
        if metric.status is Status.LEGACY and successor in registry.by_name and successor != metric.name:
            successors.setdefault(successor, []).append(metric)
    follows = {metric.name for followers in successors.values() for metric in followers}
    leaders: dict[str, list[Metric]] = {group: [] for group in registry.groups}
    for metric in registry.metrics:
        if metric.name not in follows:
            leaders[metric.semantics.group].append(metric)
    for group in registry.groups:
        for metric in leaders[group]:
            yield (metric, *successors.get(metric.name, ()))


def _weight(panel: Panel) -> int:
    """Return about how many bytes a panel takes in minified JSON, rather too many than too few."""
    texts = sum(_escaped(target.expr) + _escaped(target.legend) + 200 for target in panel.targets)
    return (
        _PANEL_BYTES + _escaped(panel.title + panel.description) + texts + _COLOUR_BYTES * len(panel.colours)
    )


def _escaped(text: str) -> int:
    """Return how many bytes `text` takes as JSON."""
    return len(json.dumps(text, ensure_ascii=False).encode())


def _rows(registry: Registry, share: Sequence[Metric], panels: dict[Metric, Panel]) -> Iterator[Row]:
    shown = 0
    for group in registry.groups:
        found = _of(share, panels, (Status.STABLE,), group)
        if found:
            yield Row(group, found, collapsed=shown >= OPEN_PANELS)
            shown += len(found)
    for heading, status in (
        ("Legacy: each panel names what to prefer", Status.LEGACY),
        ("Provisional: declared, not emitted by the reference agent", Status.PROVISIONAL),
    ):
        found = _of(share, panels, (status,))
        if found:
            yield Row(heading, found, collapsed=True)


def _of(
    share: Iterable[Metric], panels: dict[Metric, Panel], statuses: tuple[Status, ...], group: str = ""
) -> tuple[Panel, ...]:
    return tuple(
        panels[metric]
        for metric in share
        if metric.status in statuses and (not group or metric.semantics.group == group)
    )
