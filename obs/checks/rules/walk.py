"""Every node of an expression, and what stands directly around a range."""

from __future__ import annotations

from collections.abc import Iterator

import promql_parser as promql


def nodes(node: promql.Expr) -> Iterator[promql.Expr]:
    """Yield `node` and everything under it."""
    yield node
    for child in children(node):
        yield from nodes(child)


def children(node: promql.Expr) -> tuple[promql.Expr, ...]:
    """Return the expressions directly under a node."""
    match node:
        case promql.BinaryExpr():
            return (node.lhs, node.rhs)
        case promql.AggregateExpr():
            return (node.expr,) if node.param is None else (node.expr, node.param)
        case promql.Call():
            return tuple(node.args)
        case promql.MatrixSelector():
            return (node.vector_selector,)
        case promql.ParenExpr() | promql.UnaryExpr() | promql.SubqueryExpr():
            return (node.expr,)
    return ()


def bare(node: promql.Expr) -> promql.Expr:
    """Return what stands inside any parentheses."""
    while isinstance(node, promql.ParenExpr):
        node = node.expr
    return node


def is_scalar(node: promql.Expr) -> bool:
    """Return whether an expression is one number without labels."""
    match bare(node):
        case promql.NumberLiteral():
            return True
        case promql.Call() as call:
            return call.func.name in ("time", "scalar", "pi")
        case promql.UnaryExpr() as unary:
            return is_scalar(unary.expr)
        case promql.BinaryExpr() as binary:
            return is_scalar(binary.lhs) and is_scalar(binary.rhs)
    return False
