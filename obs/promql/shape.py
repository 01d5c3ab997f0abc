"""What an instant query returns: how many elements, from which series, folded by which operator.

KEDA's prometheus trigger wants exactly one element of an instant vector (pkg/scalers/prometheus_scaler.go): a scalar,
a range and a second element are errors there.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import NamedTuple

import promql_parser as promql

from obs.promql.check import OVER_COUNTERS, selectors
from obs.promql.parse import parse


class Elements(StrEnum):
    """How many elements a query can return."""

    ONE = "one"  # at most one
    MANY = "many"  # as many as there are label values
    SCALAR = "scalar"
    RANGE = "range"
    TEXT = "text"


class Read(NamedTuple):
    """One selector of a query: the series, its matchers (sorted), what folds it (`sum`, or nothing) and its rate."""

    series: str
    matchers: tuple[tuple[str, str, str], ...]
    folded: str = ""
    rated: bool = False


class Shape(NamedTuple):
    """A query in facts. `error` is why it does not parse; `divisors` are denominators that can be zero."""

    elements: Elements
    reads: tuple[Read, ...] = ()
    divisors: tuple[str, ...] = ()
    error: str = ""

    @property
    def series(self) -> tuple[str, ...]:
        """Return the names of the series it reads, in order, each once."""
        return tuple(dict.fromkeys(read.series for read in self.reads))


def shape_of(text: str) -> Shape:
    """Return the shape of a query; one that does not parse has an `error` and nothing else."""
    try:
        tree = parse(text)
    except ValueError as error:
        return Shape(
            Elements.MANY, error=str(error).strip().splitlines()[-1] if str(error).strip() else "empty"
        )
    return Shape(_elements(tree), tuple(_reads(tree, "", rated=False)), tuple(_divisors(tree)))


_CALLS_WITHOUT_VECTOR = {"vector": Elements.ONE, "absent": Elements.ONE, "absent_over_time": Elements.ONE}
_SCALAR_CALLS = frozenset({"scalar", "time", "pi"})
_FEW = frozenset({"topk", "bottomk", "limitk"})


def _elements(node: promql.Expr) -> Elements:
    match node:
        case promql.NumberLiteral():
            return Elements.SCALAR
        case promql.StringLiteral():
            return Elements.TEXT
        case promql.MatrixSelector() | promql.SubqueryExpr():
            return Elements.RANGE
        case promql.ParenExpr() | promql.UnaryExpr():
            return _elements(node.expr)
        case promql.AggregateExpr():
            return _of_aggregate(node)
        case promql.BinaryExpr():
            return _of_binary(node)
        case promql.Call():
            return _of_call(node)
    return Elements.MANY


def _of_aggregate(node: promql.AggregateExpr) -> Elements:
    operator = str(node.op)
    grouped = node.modifier is not None and (
        node.modifier.type != promql.AggModifierType.By or bool(node.modifier.labels)
    )
    if operator in _FEW:
        single = isinstance(node.param, promql.NumberLiteral) and node.param.val == 1
        return Elements.ONE if single and not grouped else Elements.MANY
    return Elements.MANY if grouped or operator in ("count_values", "limit_ratio") else Elements.ONE


def _of_binary(node: promql.BinaryExpr) -> Elements:
    sides = _elements(node.lhs), _elements(node.rhs)
    if sides == (Elements.SCALAR, Elements.SCALAR):
        return Elements.SCALAR
    if str(node.op) in ("and", "unless"):
        return sides[0]
    vectors = [side for side in sides if side is not Elements.SCALAR]
    return Elements.ONE if all(side is Elements.ONE for side in vectors) else Elements.MANY


def _of_call(node: promql.Call) -> Elements:
    name = node.func.name
    if name in _SCALAR_CALLS:
        return Elements.SCALAR
    if name in _CALLS_WITHOUT_VECTOR:
        return _CALLS_WITHOUT_VECTOR[name]
    if name in ("histogram_quantile", "histogram_fraction"):
        return Elements.ONE if _only_buckets(node.args[-1]) else Elements.MANY
    kinds = [_of_argument(argument) for argument in node.args]
    vectors = [kind for kind in kinds if kind in (Elements.ONE, Elements.MANY)]
    return vectors[0] if vectors and Elements.RANGE not in kinds else Elements.MANY


def _of_argument(node: promql.Expr) -> Elements:
    """Return the elements of an argument; a function over a subquery returns as many as the query inside."""
    return _elements(node.expr) if isinstance(node, promql.SubqueryExpr) else _elements(node)


def _only_buckets(node: promql.Expr) -> bool:
    """Return whether nothing but `le` tells the elements of a histogram apart."""
    while isinstance(node, promql.ParenExpr):
        node = node.expr
    if not isinstance(node, promql.AggregateExpr) or node.modifier is None:
        return _elements(node) is Elements.ONE
    return node.modifier.type == promql.AggModifierType.By and set(node.modifier.labels) <= {"le"}


def _reads(node: promql.Expr, folded: str, *, rated: bool) -> Iterator[Read]:
    match node:
        case promql.VectorSelector() | promql.MatrixSelector():
            for selector in selectors(node):
                matchers = sorted(
                    (m.name, _OPERATORS[str(m.op)], m.value) for m in selector.matchers.matchers
                )
                yield Read(selector.name or "", tuple(matchers), folded, rated)
        case promql.AggregateExpr():
            yield from _reads(node.expr, str(node.op), rated=rated)
        case promql.Call():
            within = rated or node.func.name in OVER_COUNTERS
            for argument in node.args:
                yield from _reads(argument, folded, rated=within)
        case promql.BinaryExpr():
            yield from _reads(node.lhs, folded, rated=rated)
            yield from _reads(node.rhs, folded, rated=rated)
        case promql.ParenExpr() | promql.UnaryExpr() | promql.SubqueryExpr():
            yield from _reads(node.expr, folded, rated=rated)


_OPERATORS = {
    str(operator): text
    for operator, text in (
        (promql.MatchOp.Equal, "="),
        (promql.MatchOp.NotEqual, "!="),
        (promql.MatchOp.Re, "=~"),
        (promql.MatchOp.NotRe, "!~"),
    )
}


def _divisors(node: promql.Expr) -> Iterator[str]:
    match node:
        case promql.BinaryExpr():
            if str(node.op) in ("/", "%") and not _never_zero(node.rhs):
                yield str(node.rhs)
            yield from _divisors(node.lhs)
            yield from _divisors(node.rhs)
        case promql.AggregateExpr() | promql.ParenExpr() | promql.UnaryExpr() | promql.SubqueryExpr():
            yield from _divisors(node.expr)
        case promql.Call():
            for argument in node.args:
                yield from _divisors(argument)


def _never_zero(node: promql.Expr) -> bool:
    """Return whether a denominator is a constant, clamped from below, or filtered by `> number`."""
    match node:
        case promql.ParenExpr():
            return _never_zero(node.expr)
        case promql.NumberLiteral():
            return bool(node.val)
        case promql.Call() if node.func.name == "clamp_min":
            return isinstance(node.args[1], promql.NumberLiteral) and node.args[1].val > 0
        case promql.BinaryExpr():
            bounded = isinstance(node.rhs, promql.NumberLiteral) and (
                (str(node.op) == ">" and node.rhs.val >= 0) or (str(node.op) == "!=" and node.rhs.val == 0)
            )
            return bounded and not (node.modifier and node.modifier.return_bool)
    return False
