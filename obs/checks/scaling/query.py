"""Rules about the PromQL of a prometheus trigger."""

from __future__ import annotations

from collections.abc import Iterator

from obs.checks.scaling.examples import CLAIM, REACTIVE, edited
from obs.checks.scaling.rule import COORDINATION, Facts, Flaw, Rule, page
from obs.checks.scaling.view import Scaler
from obs.model.finding import Severity
from obs.model.metric import Status
from obs.promql.check import check_expression
from obs.promql.shape import Elements

_WHY_NOT_ONE = {
    Elements.MANY: "can return several elements, one for each label set; KEDA reads exactly one",
    Elements.SCALAR: "returns a scalar; KEDA reads an instant vector",
    Elements.RANGE: "returns a range of samples; KEDA reads an instant vector",
    Elements.TEXT: "returns text",
}
_JUDGED_ELSEWHERE = frozenset({"syntax", "raw-counter", "lost-label", "unknown-label"})


def _elements(scaler: Scaler, facts: Facts) -> Iterator[Flaw]:
    del facts
    for trigger, shape in scaler.values():
        if shape.elements is not Elements.ONE:
            yield Flaw(
                trigger.at("query"),
                f"the query {_WHY_NOT_ONE[shape.elements]}",
                "wrap it in sum(...) or max(...) without by or without"
                if shape.elements is Elements.MANY
                else "aggregate an instant vector with sum(...) or max(...), or use vector(...)",
            )


def _nan(scaler: Scaler, facts: Facts) -> Iterator[Flaw]:
    del facts
    for trigger, shape in scaler.values():
        for divisor in shape.divisors:
            yield Flaw(
                trigger.at("query"),
                f"`{divisor.replace('{}', '')}` can be 0: 0/0 is NaN, an error or a 0 for KEDA, and `or vector(0)` does"
                " not cure it",
                "divide by clamp_min(..., 1), or by (... > 0)",
            )


def _syntax(scaler: Scaler, facts: Facts) -> Iterator[Flaw]:
    del facts
    for trigger in scaler.prometheus:
        if trigger.shape is not None and trigger.shape.error:
            yield Flaw(
                trigger.at("query"),
                f"the query is not PromQL: {trigger.shape.error}",
                "check brackets, quotes and function names",
            )


def _series(scaler: Scaler, facts: Facts) -> Iterator[Flaw]:
    for trigger, shape in scaler.values():
        where = trigger.at("query")
        for problem in check_expression(trigger.text("query"), facts.catalog):
            foreign = problem.kind == "unknown-series" and not problem.name.startswith(
                (facts.prefix, COORDINATION)
            )
            if problem.kind not in _JUDGED_ELSEWHERE and not foreign:
                yield Flaw(where, problem.message, problem.remedy)
        for name in shape.series:
            found = facts.series(name)
            metric = found.metric if found else None
            if metric is not None and metric.status is Status.PROVISIONAL:
                yield Flaw(
                    where, f"`{name}` is declared but not emitted: the query is empty", "use a stable metric"
                )
            elif metric is not None and metric.status is Status.LEGACY:
                yield Flaw(
                    where,
                    f"`{name}` is legacy and will go",
                    f"use `{metric.semantics.replaced_by}`"
                    if metric.semantics.replaced_by
                    else "use a stable metric",
                    Severity.WARNING,
                )


def _selector(scaler: Scaler, facts: Facts) -> Iterator[Flaw]:
    del facts
    for trigger, shape in scaler.values():
        bare = sorted(
            {
                read.series
                for read in shape.reads
                if read.series.startswith(COORDINATION) and not read.matchers
            }
        )
        if bare:
            yield Flaw(
                trigger.at("query"),
                f"`{bare[0]}` is read without a selector: it has no fleet label, so this is the largest backlog of all"
                " coordination servers",
                'select this fleet\'s own server, such as {namespace="agents",service="inbox-coord"}',
            )


RULES = (
    Rule(
        page(
            "K012",
            "not-one-element",
            Severity.ERROR,
            "The query does not return exactly one element of an instant vector.",
            """Two elements are an error for KEDA, and so is a scalar or a range: the HPA then holds the
            number of replicas it has. A query that works with one pod fails with the second.""",
            bad=edited(REACTIVE, ("query: sum(agent_saturation", "query: sum by (pod) (agent_saturation")),
            good=REACTIVE,
            remedy="Aggregate with sum() or max() and no grouping.",
        ),
        _elements,
        fragments=True,
    ),
    Rule(
        page(
            "K029",
            "division-by-zero",
            Severity.WARNING,
            "The query divides by something that can be zero.",
            """0/0 is NaN, which is not an empty result: `or vector(0)` does not replace it. KEDA turns it
            into an error or a 0, depending on ignoreNullValues.""",
            bad=edited(
                REACTIVE,
                (
                    "query: sum(agent_saturation{",
                    "query: sum(agent_inflight_reactions) / sum(agent_active_subagents{",
                ),
            ),
            good=edited(
                REACTIVE,
                (
                    "query: sum(agent_saturation{",
                    "query: sum(agent_inflight_reactions) / (sum(agent_active_subagents{",
                ),
                (
                    '"alert-reactors"})\n        threshold: "0.7"',
                    '"alert-reactors"}) > 0)\n        threshold: "0.7"',
                ),
            ),
            remedy="Bound the denominator from below.",
        ),
        _nan,
        fragments=True,
    ),
    Rule(
        page(
            "K030",
            "query-syntax",
            Severity.ERROR,
            "The query is not PromQL.",
            "Prometheus answers with an error at every poll: the fleet neither grows nor shrinks.",
            bad=edited(
                REACTIVE, ('sum(agent_saturation{fleet="alert-reactors"})', 'sum(agent_saturation{fleet="x"}')
            ),
            good=REACTIVE,
            remedy="Correct the expression.",
        ),
        _syntax,
        fragments=True,
    ),
    Rule(
        page(
            "K031",
            "unknown-series",
            Severity.ERROR,
            "The query names what nothing exposes, or what will go.",
            """A typo in a metric's name or in a label's value gives an empty result, for KEDA a 0 or an error
            for ever. Metrics that are declared but not built yet are empty too.""",
            bad=edited(REACTIVE, ("query: sum(agent_saturation", "query: sum(agent_saturaton")),
            good=REACTIVE,
            remedy="Use a stable metric of the registry.",
        ),
        _series,
        fragments=True,
    ),
    Rule(
        page(
            "K040",
            "backlog-of-everyone",
            Severity.WARNING,
            "A coordination series is read without a selector.",
            """The series of coordination servers carry no fleet label; which server they come from is told by
            the labels of their target only. Without a selector a fleet is scaled on another fleet's work.""",
            bad=edited(
                CLAIM,
                ('pending{service="inbox-coord"}', "pending"),
                ('claimed{service="inbox-coord"}', "claimed"),
            ),
            good=CLAIM,
            remedy="Select the fleet's own coordination server.",
        ),
        _selector,
        fragments=True,
    ),
)
