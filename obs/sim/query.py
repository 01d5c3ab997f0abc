"""From the PromQL of a trigger to the signal that the simulator can compute.

Supported: the gauges of `obs.sim.signal`, `sum max min avg count` (with or without grouping), `+ - * /`,
`or`, numbers, `vector(N)` and parentheses. Anything else is refused with a reason: a query that is half
understood would make a simulation that is half wrong.
"""

from __future__ import annotations

import promql_parser as promql

from obs.documents.suggest import did_you_mean
from obs.sim.signal import GAUGES, Binary, Constant, Fold, Selected, Signal

# Grouping by one of these labels keeps the pods of one fleet apart.
POD_LABELS = frozenset({"pod", "instance", "pod_name", "exported_pod", "exported_instance"})

# The frozen registry's own prefix; a private registry may have another.
PREFIX = "agent_"

OPERATORS = frozenset({"+", "-", "*", "/", "or"})


class QueryError(ValueError):
    """A query that the simulator cannot compute. `remedy` says what to write instead."""

    def __init__(self, message: str, remedy: str) -> None:
        self.message = message
        self.remedy = remedy
        super().__init__(message)


def parse(query: str, prefix: str = PREFIX) -> Signal:
    """Return the signal that a PromQL expression measures; raise QueryError where the model has none.

    `prefix` is what the registry puts before the names of its metrics.
    """
    try:
        expression = promql.parse(query)
    except ValueError as error:
        reason = str(error).strip().splitlines()[-1]
        raise QueryError(f"the query is not PromQL: {reason}", "correct the expression") from error
    return _signal(expression, prefix)


def parse_external(signal: str) -> Signal:
    """Return the signal of an external scaler: `pending` (the default of one), or `pending+claimed`."""
    parts = tuple(part.strip() for part in signal.split("+"))
    unknown = [part for part in parts if part not in ("pending", "claimed")]
    if unknown:
        raise QueryError(
            f"`{signal}` is no signal of an external scaler", "use `pending` or `pending+claimed`"
        )
    gauges: list[Signal] = [Selected(f"agentctl_coordination_{part}", Fold.MAX) for part in parts]
    total = gauges[0]
    for gauge in gauges[1:]:
        total = Binary("+", total, gauge)
    return total


def _signal(expression: promql.Expr, prefix: str) -> Signal:
    match expression:
        case promql.ParenExpr():
            return _signal(expression.expr, prefix)
        case promql.NumberLiteral():
            return Constant(expression.val)
        case promql.VectorSelector():
            return _selected(expression, Fold.ONE, prefix, grouped=False)
        case promql.AggregateExpr():
            return _aggregate(expression, prefix)
        case promql.BinaryExpr():
            return _binary(expression, prefix)
        case promql.Call() if expression.func.name == "vector":
            return _signal(expression.args[0], prefix)
    raise QueryError(
        f"`{expression}` is not something the simulator can compute",
        "use sum, max, min, avg or count over a gauge, combined with + - * / or `or`",
    )


def _aggregate(expression: promql.AggregateExpr, prefix: str) -> Signal:
    operator = str(expression.op)
    if operator not in set(Fold) - {Fold.ONE}:
        raise QueryError(f"the aggregation `{operator}` is not modelled", "use sum, max, min, avg or count")
    inner = expression.expr
    while isinstance(inner, promql.ParenExpr):
        inner = inner.expr
    if not isinstance(inner, promql.VectorSelector):
        raise QueryError(
            f"`{operator}` over an expression is not modelled",
            f"aggregate each metric by itself: {operator}(a) + {operator}(b)",
        )
    return _selected(inner, Fold(operator), prefix, grouped=_keeps_pods(expression.modifier))


def _keeps_pods(modifier: promql.AggModifier | None) -> bool:
    """Say whether a `by` or `without` leaves a label that tells pods apart."""
    if modifier is None:
        return False
    named = POD_LABELS & set(modifier.labels)
    if modifier.type == promql.AggModifierType.By:
        return bool(named)
    return not {"pod", "instance"} <= set(modifier.labels)


def _selected(selector: promql.VectorSelector, fold: Fold, prefix: str, *, grouped: bool) -> Selected:
    name = selector.name or ""
    if selector.offset is not None or selector.at is not None:
        raise QueryError(
            f"`{selector}` reads the past", "drop `offset` and `@`; the simulator models scrape age"
        )
    known = {gauge.replace(PREFIX, prefix) if gauge.startswith(PREFIX) else gauge: gauge for gauge in GAUGES}
    if name not in known:
        raise QueryError(f"the model has no metric `{name}`", did_you_mean(name, known))
    return Selected(known[name], fold, grouped)


def _binary(expression: promql.BinaryExpr, prefix: str) -> Signal:
    operator = str(expression.op)
    if operator not in OPERATORS:
        raise QueryError(f"the operator `{operator}` is not modelled", "use + - * / or `or`")
    return Binary(operator, _signal(expression.lhs, prefix), _signal(expression.rhs, prefix))
