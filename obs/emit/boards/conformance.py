"""The conformance board: does the fleet export what the registry says? Made from the registry alone.

The queries ask for many metrics by a pattern of names, so that the board costs a handful of queries whatever the size
of the registry; very large registries get several boards.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from obs.emit.boards import expected
from obs.emit.boards.describe import INSTANCE, PLACES, legend
from obs.emit.boards.expected import AGENT, Part
from obs.emit.boards.frame import MATCHERS, anchor, series_name
from obs.emit.boards.panel import Board, Panel, Row, Step, Target
from obs.model.metric import Metric
from obs.promql.build import aggregate, selector
from obs.specs.boards import Show
from obs.specs.sources import Sources

UID = "obs-conformance"

MOST_BARS = 20
"""Bars in one panel."""

_QUESTION = "Does the fleet export what the registry says?"
_READING = (
    "Every agent should expose each always-present metric, nothing undeclared, and only label values of the registry."
    " Where something is off, check the version of those agents first; `obs check` on one of them says exactly what."
)


def conformance(sources: Sources) -> Iterator[Board]:
    """Yield the conformance board, and further ones when the registry is too large for one."""
    present = anchor(sources.registry)
    if present is None:
        return
    parts = expected.parts(sources.registry, present)
    for part in parts:
        again = f" {part.number}" if part.number > 1 else ""
        yield Board(
            uid=UID if part.first else f"{UID}-{part.number}",
            title=f"Contract conformance{again}",
            question=_QUESTION,
            reading=_READING + (f" Part {part.number} of {len(parts)}." if len(parts) > 1 else ""),
            rows=tuple(row for row in _rows(sources, part) if row.panels),
            left_out=tuple(_left_out(part)),
        )


def _left_out(part: Part) -> Iterator[str]:
    if not part.whole and part.first:
        yield "undeclared metrics: this registry has too many names for one query; `obs audit` finds them"
    domains = {label.domain.name: label.domain for metric in part.metrics for label in metric.labels}
    for name in sorted(domains):
        if not expected.fits(domains[name]):
            yield f"values outside `{name}`: it has too many for one query; `obs audit` finds them"


def _rows(sources: Sources, part: Part) -> Iterator[Row]:
    yield Row("Now", tuple(_now(part)))
    yield Row("Metric by metric", tuple(_tables(part)))
    yield Row(
        "Provisional: declared, not emitted by the reference agent", tuple(_ahead(part)), collapsed=True
    )
    yield Row("Label values outside their domain", tuple(_domains(part)))
    if part.first:
        yield Row("Scrapes", tuple(_scrapes(sources, part)), collapsed=True)
        yield Row("Findings of the checker beside the agents", tuple(_findings()), collapsed=True)
    yield Row("What the registry says", (_said(part),), collapsed=True)


def _now(part: Part) -> Iterator[Panel]:
    yield _stat(
        "Agents scraped",
        "Agents in the selection. Compare with the number you run; none at all means that nobody scrapes them.",
        part.agents,
        (Step(None, "text"),),
        (series_name(part.present),),
    )
    if part.required:
        yield _complete(part)
    if part.whole and part.first:
        yield _stat(
            "Undeclared metrics",
            "Names with the registry's prefix that it does not declare. Normal is 0; a newer agent may expose more"
            " than this registry knows, then generate from the newer one.",
            part.or_zero(aggregate("count", expected.undeclared(part.registry))),
            (Step(None, "green"), Step(1, "orange")),
            (),
        )


def _complete(part: Part) -> Panel:
    pairs = expected.exported(part.required)
    complete = aggregate("count", aggregate("count", pairs, AGENT) + f" == {len(part.required)}")
    return _stat(
        "Agents that export every required metric",
        f"Normal is all of them: {len(part.required)} metrics are present in every warm agent. Less: see which agents"
        " and which metrics below, then the version of those agents.",
        f"({part.or_zero(complete)})\n/\n{part.agents}",
        (Step(None, "red"), Step(1, "green")),
        expected.names(part.required),
        unit="percentunit",
    )


def _tables(part: Part) -> Iterator[Panel]:
    others = tuple(metric for metric in part.metrics if not expected.required(metric) and metric.emitted)
    if part.required:
        yield _missing(part)
        yield _lacking(part.required)
    if others:
        yield _table(
            part,
            "Metrics that may be missing",
            "Legacy, lazy and conditional metrics. A missing row is normal before the first event, or where the host"
            " does not offer the value.",
            others,
        )
    if part.whole and part.first:
        named = expected.by_metric(expected.undeclared(part.registry))
        yield Panel(
            Show.TABLE,
            "Undeclared metrics by name",
            "Names with the registry's prefix that it does not declare, and how many series each has. Normal is the"
            " one row (none).",
            (Target(part.or_none(named), "series", "short"),),
            width=12,
            height=10,
        )


def _missing(part: Part) -> Panel:
    lacking = f"{part.agents}\n- on () group_right ()\n{expected.exporting(part.required)}"
    return Panel(
        Show.TABLE,
        "Required metrics",
        "Agents that do not export a metric that every warm agent should. Normal is 0 in every row; a metric with no"
        f" row at all is exported by nobody. There are {len(part.required)} rows when all is well.",
        (Target(lacking, "agents that lack it", "short"),),
        width=12,
        height=10,
        sort=("agents that lack it", True),
        uses=expected.names(part.required),
    )


def _lacking(required: Sequence[Metric]) -> Panel:
    exported = aggregate("count", expected.exported(required), INSTANCE)
    return Panel(
        Show.TABLE,
        "Agents that lack most",
        "How many of the required metrics an agent lacks. Normal is 0 in every row; otherwise follow the link to see"
        " which, and look at the agent's version.",
        (Target(f"topk(20, {len(required)} - {exported})", "metrics missing", "short"),),
        width=12,
        height=10,
        drill=True,
        sort=("metrics missing", True),
        uses=expected.names(required),
    )


def _ahead(part: Part) -> Iterator[Panel]:
    provisional = tuple(metric for metric in part.metrics if not metric.emitted)
    if provisional:
        yield _table(
            part,
            "Provisional metrics",
            "Provisional: declared in the registry, not emitted by the reference agent. A row here means that an agent"
            " is ahead of the reference.",
            provisional,
        )


def _table(part: Part, title: str, text: str, metrics: tuple[Metric, ...]) -> Panel:
    return Panel(
        Show.TABLE,
        title,
        text,
        (Target(part.or_none(expected.exporting(metrics)), "agents that export it", "short"),),
        width=12,
        height=10,
        sort=("agents that export it", True),
        uses=expected.names(metrics),
    )


def _domains(part: Part) -> Iterator[Panel]:
    targets = [Target(expr, name) for name, expr in expected.outside(part)]
    for start in range(0, len(targets), MOST_BARS):
        yield Panel(
            Show.BARGAUGE,
            "Series outside the domain of a label" + (f" {start // MOST_BARS + 1}" if start else ""),
            "Series whose label has a value the registry does not list. Normal is 0 for every label. Otherwise agents"
            " are newer than this registry, or label values are made up from data, which costs memory.",
            tuple(targets[start : start + MOST_BARS]),
            width=24,
            height=8,
            bottom=0,
            steps=(Step(None, "green"), Step(1, "red")),
        )


def _scrapes(sources: Sources, part: Part) -> Iterator[Panel]:
    limit = sources.registry.sample_limit
    ours = f"and on ({', '.join(AGENT)})\n{aggregate('group', part.there, AGENT)}"
    samples = selector("scrape_samples_post_metric_relabeling", MATCHERS)
    largest = aggregate("max", f"max_over_time({samples}[$__range] @ end()) {ours}", INSTANCE)
    shown = f"{aggregate('max', samples, INSTANCE)}\nand on ({', '.join(INSTANCE)})\ntopk(20, {largest})"
    yield Panel(
        Show.TIMESERIES,
        "Samples per scrape, largest agents",
        f"Samples that one scrape of an agent brings. Normal is a flat line under {part.registry.series_per_instance};"
        f" past {limit} the server refuses the scrape. Growth means that label values are not bounded.",
        (Target(shown, legend(INSTANCE)),),
        bottom=0,
        steps=(Step(None, "green"), Step(limit, "red")),
        drill=True,
        uses=("scrape_samples_post_metric_relabeling",),
    )
    up = selector("up", MATCHERS)
    of_job = (*PLACES, "job")
    jobs = f"and on ({', '.join(of_job)})\n{aggregate('group', part.there, of_job)}"
    down, known = aggregate("count", f"{up} == 0 {jobs}"), aggregate("count", f"{up} {jobs}")
    yield Panel(
        Show.TIMESERIES,
        "Targets that cannot be scraped",
        "Targets of the agents' jobs whose last scrape failed. Normal is 0. Otherwise look at the pod, then at the"
        " network policy between it and Prometheus.",
        (Target(f"{down}\nor\n0 * {known}", "down"),),
        bottom=0,
        uses=("up",),
    )


def _findings() -> Iterator[Panel]:
    found = selector("obs_target_findings", MATCHERS[:2])
    yield Panel(
        Show.TABLE,
        "Findings by code",
        "What the obs sidecar finds wrong with its agent's metrics. Normal is an empty table. `obs explain CODE` says"
        " what a code means and what to do.",
        (Target(aggregate("sum", f"{found} > 0", ("code", "severity")), "findings", "short"),),
        no_value="not collected here (the obs sidecar)",
        uses=("obs_target_findings",),
    )


def _said(part: Part) -> Panel:
    head = "| metric | type | unit | over agents | labels | meaning |\n|---|---|---|---|---|---|\n"
    text = head + "\n".join(expected.line(metric) for metric in part.metrics)
    return Panel(Show.TEXT, "Metrics of this registry", text=text, width=24, height=16)


def _stat(
    title: str, text: str, expr: str, steps: tuple[Step, ...], uses: tuple[str, ...], *, unit: str = "short"
) -> Panel:
    return Panel(
        Show.STAT,
        title,
        text,
        (Target(expr, title),),
        unit=unit,
        width=6,
        steps=steps,
        instant=True,
        uses=uses,
    )
