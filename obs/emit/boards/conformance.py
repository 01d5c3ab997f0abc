"""The conformance board: does the fleet export what the registry says? Made from the registry alone.

The queries ask for many metrics by a pattern of names, so that the board costs a handful of queries whatever the size
of the registry; very large registries get several boards.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from obs.emit.boards.frame import MATCHERS, anchor, series_name
from obs.emit.boards.panel import Board, Panel, Row, Step, Target, cut
from obs.emit.docs import escape
from obs.model.metric import Domain, DomainKind, Kind, Metric, Presence, Registry, Status
from obs.promql.build import aggregate, regex_any, regex_literal, selector
from obs.specs.boards import Show
from obs.specs.sources import Sources

UID = "obs-conformance"

PATTERN = 6_000
"""Characters of names in one query: Prometheus takes more, but a person has to read the query."""

WHOLE_PATTERN = 24_000
"""Characters of names up to which one query can tell declared metrics from undeclared ones."""

TEXT_BYTES = 60_000
"""Size of the list of metrics and of the patterns of their domains on one board."""

MOST_BARS = 20
_AGENT = ("namespace", "job", "instance")
_QUESTION = "Does the fleet export what the registry says?"
_READING = (
    "Every agent should expose each always-present metric, nothing undeclared, and only label values of the registry."
    " Where something is off, check the version of those agents first; `obs check` on one of them says exactly what."
)


@dataclass(frozen=True, slots=True)
class _Part:
    """The share of the registry that one board is about."""

    registry: Registry
    metrics: tuple[Metric, ...]
    present: Metric
    number: int
    whole: bool

    def agents(self) -> str:
        """Return the expression of how many agents are scraped."""
        there = aggregate("group", _anchored(self), _AGENT)
        return aggregate("count", there)

    def required(self) -> tuple[Metric, ...]:
        """Return the metrics that every warm agent exposes."""
        return tuple(metric for metric in self.metrics if _required(metric))


def conformance(sources: Sources) -> Iterator[Board]:
    """Yield the conformance board, and further ones when the registry is too large for one."""
    present = anchor(sources.registry)
    if present is None:
        return
    shares = tuple(_shares(sources.registry.metrics))
    whole = sum(len(series_name(metric)) + 1 for metric in sources.registry.metrics) <= WHOLE_PATTERN
    for number, share in enumerate(shares, 1):
        part = _Part(sources.registry, share, present, number, whole)
        yield Board(
            uid=UID if number == 1 else f"{UID}-{number}",
            title="Contract conformance" + (f" {number}" if number > 1 else ""),
            question=_QUESTION,
            reading=_READING + (f" Part {number} of {len(shares)}." if len(shares) > 1 else ""),
            rows=tuple(row for row in _rows(sources, part) if row.panels),
            left_out=tuple(_left_out(part)),
        )


def _left_out(part: _Part) -> Iterator[str]:
    if not part.whole and part.number == 1:
        yield "undeclared metrics: this registry has too many names for one query; `obs audit` finds them"
    domains = {label.domain.name: label.domain for metric in part.metrics for label in metric.labels}
    for name in sorted(domains):
        if len(_allowed(domains[name])) > PATTERN:
            yield f"values outside `{name}`: it has too many for one query; `obs audit` finds them"


def _shares(metrics: Sequence[Metric]) -> Iterator[tuple[Metric, ...]]:
    share: list[Metric] = []
    names = texts = 0
    for metric in metrics:
        name, text = len(series_name(metric)) + 1, _text_bytes(metric)
        if share and (names + name > PATTERN or texts + text > TEXT_BYTES):
            yield tuple(share)
            share, names, texts = [], 0, 0
        share.append(metric)
        names, texts = names + name, texts + text
    if share:
        yield tuple(share)


def _text_bytes(metric: Metric) -> int:
    """Return about how many bytes a metric adds to its board besides its name in queries."""
    patterns = sum(
        len(allowed) for label in metric.labels if len(allowed := _allowed(label.domain)) <= PATTERN
    )
    return len(json.dumps(_line(metric), ensure_ascii=False).encode()) + 2 * patterns


def _allowed(domain: Domain) -> str:
    return regex_any(domain.values)


def _rows(sources: Sources, part: _Part) -> Iterator[Row]:
    yield Row("Now", tuple(_now(part)))
    yield Row("Metric by metric", tuple(_tables(part)))
    yield Row(
        "Provisional: declared, not emitted by the reference agent", tuple(_ahead(part)), collapsed=True
    )
    yield Row("Label values outside their domain", tuple(_domains(part)))
    if part.number == 1:
        yield Row("Scrapes", tuple(_scrapes(sources, part)), collapsed=True)
        yield Row("Findings of the checker beside the agents", tuple(_findings()), collapsed=True)
    yield Row("What the registry says", (_said(part),), collapsed=True)


def _now(part: _Part) -> Iterator[Panel]:
    agents, required = part.agents(), part.required()
    yield _stat(
        "Agents scraped",
        "Agents in the selection. Compare with the number you run; none at all means that nobody scrapes them.",
        agents,
        (Step(None, "text"),),
        (series_name(part.present),),
    )
    if required:
        pairs = aggregate("group", _named(required), ("__name__", *_AGENT))
        complete = f"{aggregate('count', aggregate('count', pairs, _AGENT) + f' == {len(required)}')} or 0 * {agents}"
        yield _stat(
            "Agents that export every required metric",
            f"Normal is all of them: {len(required)} metrics are present in every warm agent. Less: see which metric"
            " below, then the version of the agents that lack it.",
            f"({complete})\n/\n{agents}",
            (Step(None, "red"), Step(1, "green")),
            _uses(required),
            unit="percentunit",
        )
        yield _stat(
            "Metrics missing",
            "Metrics that are required and not exported, counted once for each agent that lacks one. Normal is 0.",
            f"{len(required)} * {agents}\n-\n({aggregate('count', pairs)} or 0 * {agents})",
            (Step(None, "green"), Step(1, "red")),
            _uses(required),
        )
    if part.whole and part.number == 1:
        yield _stat(
            "Undeclared metrics",
            "Names with the registry's prefix that it does not declare. Normal is 0; a newer agent may expose more"
            " than this registry knows, then generate from the newer one.",
            f"{aggregate('count', _undeclared(part.registry))} or 0 * {agents}",
            (Step(None, "green"), Step(1, "orange")),
            (),
        )


def _tables(part: _Part) -> Iterator[Panel]:
    required = part.required()
    others = tuple(metric for metric in part.metrics if not _required(metric) and metric.emitted)
    if required:
        yield _table(
            part,
            "Required metrics",
            "Agents that export each metric. Normal is a share of 100 % in every row; a metric with no row is exported"
            " by nobody.",
            required,
        )
    if others:
        yield _table(
            part,
            "Metrics that may be missing",
            "Legacy, lazy and conditional metrics. A missing row is normal before the first event, or where the host"
            " does not offer the value.",
            others,
        )
    if part.whole and part.number == 1:
        yield Panel(
            Show.TABLE,
            "Undeclared metrics by name",
            "Names with the registry's prefix that it does not declare, and how many series each has. Normal is the"
            " one row (none).",
            (Target(_or_none(_by_name(_undeclared(part.registry)), part), "series", "short"),),
            width=12,
            height=8,
        )


def _ahead(part: _Part) -> Iterator[Panel]:
    provisional = tuple(metric for metric in part.metrics if not metric.emitted)
    if provisional:
        yield _table(
            part,
            "Provisional metrics",
            "Provisional: declared in the registry, not emitted by the reference agent. A row here means that an agent"
            " is ahead of the reference.",
            provisional,
            zero=True,
        )


def _table(part: _Part, title: str, text: str, metrics: tuple[Metric, ...], *, zero: bool = False) -> Panel:
    exporting = _by_name(
        aggregate("count", aggregate("group", _named(metrics), ("__name__", *_AGENT)), ("__name__",))
    )
    share = f"{exporting}\n/ on () group_left ()\n{part.agents()}"
    if zero:
        exporting, share = _or_none(exporting, part), _or_none(share, part)
    return Panel(
        Show.TABLE,
        title,
        text,
        (Target(exporting, "agents", "short"), Target(share, "share of agents", "percentunit")),
        width=12,
        height=10,
        uses=_uses(metrics),
    )


def _domains(part: _Part) -> Iterator[Panel]:
    targets = list(_outside(part))
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


def _outside(part: _Part) -> Iterator[Target]:
    users: dict[tuple[str, Domain], list[Metric]] = {}
    for metric in part.metrics:
        for label in metric.labels:
            if label.domain.kind is DomainKind.CLOSED and metric.emitted:
                users.setdefault((label.key, label.domain), []).append(metric)
    for (key, domain), metrics in sorted(users.items(), key=lambda item: (item[0][0], item[0][1].name)):
        allowed = _allowed(domain)
        if len(allowed) <= PATTERN:
            matchers = (("__name__", "=~", _pattern(metrics)), *MATCHERS, (key, "!~", allowed))
            outside = aggregate("count", selector("", matchers))
            yield Target(f"{outside} or 0 * {part.agents()}", f"{key} ({domain.name})")


def _scrapes(sources: Sources, part: _Part) -> Iterator[Panel]:
    limit = sources.registry.sample_limit
    by_agent = ("namespace", "instance")
    ours = f"and on (namespace, job, instance)\n{aggregate('group', _anchored(part), _AGENT)}"
    samples = selector("scrape_samples_post_metric_relabeling", MATCHERS)
    largest = aggregate("max", f"max_over_time({samples}[$__range] @ end()) {ours}", by_agent)
    shown = f"{aggregate('max', samples, by_agent)}\nand on (namespace, instance)\ntopk(20, {largest})"
    yield Panel(
        Show.TIMESERIES,
        "Samples per scrape, largest agents",
        f"Samples that one scrape of an agent brings. Normal is a flat line under {part.registry.series_per_instance};"
        f" past {limit} the server refuses the scrape. Growth means that label values are not bounded.",
        (Target(shown, "{{namespace}}/{{instance}}"),),
        bottom=0,
        steps=(Step(None, "green"), Step(limit, "red")),
        drill=True,
        uses=("scrape_samples_post_metric_relabeling",),
    )
    up = selector("up", MATCHERS)
    jobs = f"and on (namespace, job)\n{aggregate('group', _anchored(part), ('namespace', 'job'))}"
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


def _anchored(part: _Part) -> str:
    return selector(series_name(part.present), MATCHERS)


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


def _said(part: _Part) -> Panel:
    head = "| metric | type | unit | over agents | labels | meaning |\n|---|---|---|---|---|---|\n"
    text = head + "\n".join(_line(metric) for metric in part.metrics)
    return Panel(Show.TEXT, "Metrics of this registry", text=text, width=24, height=16)


def _line(metric: Metric) -> str:
    labels = ", ".join(metric.label_keys) or "-"
    status = "" if metric.status is Status.STABLE else f" ({metric.status})"
    return (
        f"| `{metric.name}`{status} | {metric.kind} | {metric.unit} | {metric.semantics.aggregation}"
        f" | {cut(labels, 80)} | {escape(cut(metric.help, 160))} |"
    )


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


def _required(metric: Metric) -> bool:
    return metric.status is Status.STABLE and metric.semantics.presence is Presence.ALWAYS


def _pattern(metrics: Sequence[Metric]) -> str:
    return regex_any(sorted({name for metric in metrics for name in _wire_names(metric)}))


def _wire_names(metric: Metric) -> tuple[str, ...]:
    """Return the names a metric is counted under: a histogram counts once, by its `_count`."""
    return (series_name(metric),)


def _named(metrics: Sequence[Metric]) -> str:
    return selector("", (("__name__", "=~", _pattern(metrics)), *MATCHERS))


def _uses(metrics: Sequence[Metric]) -> tuple[str, ...]:
    return tuple(series_name(metric) for metric in metrics)


def _undeclared(registry: Registry) -> str:
    """Return the expression of undeclared names and how many series each has."""
    declared: set[str] = set()
    for metric in registry.metrics:
        parts = ("_bucket", "_sum", "_count") if metric.kind is Kind.HISTOGRAM else ("",)
        declared |= {metric.name + part for part in parts}
    matchers = (
        ("__name__", "=~", regex_literal(registry.prefix) + ".+"),
        ("__name__", "!~", regex_any(sorted(declared))),
        *MATCHERS,
    )
    return aggregate("count", selector("", matchers), ("__name__",))


def _by_name(counted: str) -> str:
    """Return `counted` with the metric's name as a label that survives arithmetic."""
    return aggregate("sum", f'label_replace({counted}, "metric", "$1", "__name__", "(.+)")', ("metric",))


def _or_none(expr: str, part: _Part) -> str:
    """Return `expr`, or one row called (none) with 0 while agents are scraped."""
    return f'{expr}\nor on ()\nlabel_replace(0 * {part.agents()}, "metric", "(none)", "", "")'
