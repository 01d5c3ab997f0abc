"""What each fleet of obs.yaml is scaled on, beside the target of its ScaledObject: the same query and number."""

from __future__ import annotations

from collections.abc import Iterator

from obs import signals
from obs.emit.boards.frame import MATCHERS, anchor
from obs.emit.boards.panel import MAX_TITLE, Panel, Target, cut
from obs.emit.scaler_signals import Signal, signals_of
from obs.model.config import Fleet
from obs.promql.build import equal
from obs.promql.check import check_expression, series_in
from obs.signals import Ask
from obs.specs.boards import Show
from obs.specs.resolve import LeftOutError, UnknownNameError
from obs.specs.scaling import SCALED_MODES, read_scaling
from obs.specs.sources import Sources

MOST_FLEETS = 12
"""Fleets that get panels of their own; beyond that the panels by fleet above have to do."""


def scaler_panels(sources: Sources) -> Iterator[Panel]:
    """Yield a panel for each signal a fleet is scaled on; fleets that cannot be scaled here have none."""
    document = sources.documents.get("registry/scaling.yaml")
    if document is None or not document.data:
        return
    table = read_scaling(document)
    for fleet in sources.config.fleets_of(*SCALED_MODES)[:MOST_FLEETS]:
        try:
            found = signals_of(sources, fleet, table.of(fleet), MATCHERS)
        except (LeftOutError, UnknownNameError):
            continue  # the scalers' own page says why this fleet has no ScaledObject
        for signal in found:
            if _can_be_shown(sources, signal):
                yield _panel(sources, fleet, signal)


def _can_be_shown(sources: Sources, signal: Signal) -> bool:
    """Return whether a board can ask for a signal.

    One that an operator wrote may not follow the board's variables. The sum of a ratio means something only to KEDA,
    which divides it by the replicas; people look at its average, which the board has anyway.
    """
    if (
        signal.external
        or signal.target_key == "saturation_target"
        or check_expression(signal.expression, sources.catalog)
    ):
        return False
    ours = [name for name in series_in(signal.expression) if sources.catalog.series[name].metric is not None]
    return not ours or 'instance=~"$instance"' in signal.expression


def _panel(sources: Sources, fleet: Fleet, signal: Signal) -> Panel:
    present = anchor(sources.registry)
    matchers = (*MATCHERS, *equal({"fleet": fleet.name, "namespace": fleet.namespace}))
    agents = signals.present(present, Ask((), matchers)) if present else ""
    capacity = (Target(f"{signal.target:g} * {agents}", "target for the agents there are", dashed=True),)
    return Panel(
        Show.TIMESERIES,
        cut(f"{fleet.name}: {signal.name}", MAX_TITLE),
        f"What KEDA reads for this fleet, and what its agents are meant to hold: {signal.target:g} each."
        " Normal is demand at or under the dashed line a minute or two after a burst began. Above it for longer: the"
        " fleet is at its maximum, pods do not start, or the scaler cannot read the signal.",
        (Target(signal.expression, "demand"), *(capacity if agents else ())),
        bottom=0,
        uses=series_in(signal.expression),
    )
