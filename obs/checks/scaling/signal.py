"""Rules about what is measured and how KEDA divides it by the number of replicas."""

from __future__ import annotations

from collections.abc import Iterator

from obs.checks.scaling.examples import CLAIM, REACTIVE, edited
from obs.checks.scaling.rule import COORDINATION, Facts, Flaw, Rule, page
from obs.checks.scaling.view import EXTERNAL, PROMETHEUS, Scaler
from obs.model.finding import Severity
from obs.model.metric import Unit
from obs.promql.shape import Read

_METRIC_TYPES = ("AverageValue", "Value", "Utilization")
_LOSSES = ("claims_lost_total", "shard_skipped_total")
_LAG = "reaction_lag_ms"
_LEAST_LAG = 100


def _metric_type(scaler: Scaler, facts: Facts) -> Iterator[Flaw]:
    for trigger in scaler.triggers:
        kind = trigger.metric_type
        if kind == "AverageValue" or trigger.kind not in EXTERNAL | {PROMETHEUS}:
            continue
        series = trigger.shape.series if trigger.shape else ()
        ours = trigger.external or any(
            facts.per_pod(name) or name.startswith(COORDINATION) for name in series
        )
        if kind not in _METRIC_TYPES:
            why = "is not a metric type"
        elif kind == "Utilization":
            why = "is refused by KEDA for every trigger but cpu and memory"
        elif ours:
            why = "multiplies the ready pods by signal/target at every sync: a backlog or a sum runs to the maximum"
        else:
            continue
        yield Flaw(
            (*trigger.path, "metricType"), f"`metricType: {kind}` {why}", "set `metricType: AverageValue`"
        )


def _reads(scaler: Scaler, metric_type: str = "") -> Iterator[tuple[tuple[str | int, ...], Read]]:
    for trigger, shape in scaler.values():
        if not metric_type or trigger.metric_type == metric_type:
            for read in shape.reads:
                yield trigger.at("query"), read


def _ratio(scaler: Scaler, facts: Facts) -> Iterator[Flaw]:
    for path, read in _reads(scaler, "AverageValue"):
        found = facts.series(read.series)
        metric = found.metric if found else None
        if metric is None or read.rated or read.folded not in ("avg", "max", "min", "quantile"):
            continue
        ratio = metric.unit is Unit.RATIO
        if ratio or read.folded == "avg":
            yield Flaw(
                path,
                f"`{read.folded}({read.series})` with AverageValue is divided by the number of replicas"
                " once more, so it"
                " falls as the fleet grows and never asks for more than a few",
                f"use `sum({read.series})`: the HPA divides it by the replicas and compares the mean with"
                " the threshold",
            )


def _counter(scaler: Scaler, facts: Facts) -> Iterator[Flaw]:
    for path, read in _reads(scaler):
        found = facts.series(read.series)
        counts = found.kind in ("counter", "bucket") if found else read.series.endswith("_total")
        loss = facts.neutral(read.series) in _LOSSES
        if loss:
            yield Flaw(
                path,
                f"`{read.series}` counts work that was lost to other replicas: it rises when there are too many, and"
                " scaling up on it adds more",
                "alert on its share of the work instead, and scale on the backlog",
            )
        elif counts and not read.rated:
            yield Flaw(
                path,
                f"`{read.series}` is a counter: it only grows, and so would the fleet",
                "scale on a gauge such as the backlog, or on a rate of the counter",
            )


def _coordination(scaler: Scaler, facts: Facts) -> Iterator[Flaw]:
    del facts
    for path, read in _reads(scaler):
        if read.series.startswith(COORDINATION) and not read.rated and read.folded in ("sum", "avg"):
            yield Flaw(
                path,
                f"`{read.folded}({read.series})`: every replica of a coordination server reports the whole backlog, so"
                " two replicas count each item twice"
                if read.folded == "sum"
                else f"`{read.folded}({read.series})`: a replica that lags behind takes the backlog down for all",
                f"use `max({read.series})`",
            )


def _lag(scaler: Scaler, facts: Facts) -> Iterator[Flaw]:
    for trigger, shape in scaler.values():
        if not any(facts.neutral(name) == _LAG for name in shape.series):
            continue
        threshold = trigger.number("threshold")
        small = threshold is not None and threshold < _LEAST_LAG
        yield Flaw(
            trigger.at("threshold" if small else "query"),
            f"`{facts.prefix}{_LAG}` is in milliseconds, and the threshold {threshold:g} is next to nothing"
            if small
            else f"`{facts.prefix}{_LAG}` says how long the oldest event waits, not how many pods it takes:"
            " more replicas do not divide it, so it overshoots to the maximum",
            "scale on pending and in-flight work, and alert on the lag",
        )


RULES = (
    Rule(
        page(
            "K008",
            "metric-type",
            Severity.ERROR,
            "The trigger's metricType does not fit what it measures.",
            """AverageValue divides the signal by the target and that is the number of pods, whatever their
            number is now. Value multiplies the pods that are ready now, so a backlog that does not shrink at
            once runs away to the maximum; and KEDA refuses Utilization for anything but cpu and memory, which
            the CRD does not check.""",
            bad=edited(CLAIM, ("metricType: AverageValue", "metricType: Value")),
            good=CLAIM,
            remedy="Use AverageValue.",
        ),
        _metric_type,
        fragments=True,
    ),
    Rule(
        page(
            "K009",
            "average-of-averages",
            Severity.ERROR,
            "A mean or maximum over pods is divided by the number of pods a second time.",
            """With AverageValue the HPA divides the query's value by the replicas. avg(agent_saturation) is
            at most 1, so the quotient falls with every pod that is added: no target above one half ever gives
            a third replica.""",
            bad=edited(REACTIVE, ("sum(agent_saturation", "avg(agent_saturation")),
            good=REACTIVE,
            remedy="Use sum() over the pods.",
        ),
        _ratio,
        fragments=True,
    ),
    Rule(
        page(
            "K010",
            "counter-as-signal",
            Severity.ERROR,
            "A counter, or a count of losses, is used as the signal.",
            """A counter never falls, so the fleet never shrinks. Losses are worse: claims are lost because
            several replicas want the same item, so they rise with the number of replicas.""",
            bad=edited(
                REACTIVE,
                ("query: sum(agent_saturation{", "query: sum(rate(agent_claims_lost_total{"),
                (
                    '"alert-reactors"})\n        threshold: "0.7"',
                    '"alert-reactors"}[5m]))\n        threshold: "0.7"',
                ),
            ),
            good=REACTIVE,
            remedy="Scale on the backlog; alert on losses.",
        ),
        _counter,
        fragments=True,
    ),
    Rule(
        page(
            "K018",
            "backlog-counted-twice",
            Severity.ERROR,
            "A coordination gauge is summed over its replicas.",
            """The replicas of a coordination server share one store and each reports the whole of it. Their
            sum is the backlog times the number of replicas.""",
            bad=edited(CLAIM, ("max(agentctl_coordination_pending", "sum(agentctl_coordination_pending")),
            good=CLAIM,
            remedy="Use max().",
        ),
        _coordination,
        fragments=True,
    ),
    Rule(
        page(
            "K039",
            "lag-as-signal",
            Severity.WARNING,
            "The fleet is scaled on a lag.",
            """A lag is a time. It does not say how much work there is, it keeps growing while new pods start,
            and it stays high until the oldest event is served: a fleet scaled on it overshoots. Its unit is
            milliseconds.""",
            bad=edited(
                REACTIVE,
                ("sum(agent_saturation", "sum(agent_reaction_lag_ms"),
                ('threshold: "0.7"', 'threshold: "2000"'),
            ),
            good=REACTIVE,
            remedy="Scale on the amount of work; alert on the lag.",
        ),
        _lag,
        fragments=True,
    ),
)
