"""Says what is wrong with a PromQL expression, given a catalogue of what exists.

It parses the expression, checks every series name, label and literal label value, follows which labels survive each
operator, and checks that counters are read as rates and gauges are not. It says nothing of style.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import promql_parser as promql

from obs.documents.suggest import did_you_mean
from obs.promql.catalog import Catalog, SeriesFacts
from obs.promql.parse import parse

OVER_COUNTERS = frozenset({"rate", "irate", "increase", "resets"})
"""Functions whose argument must be a counter (Prometheus documentation, functions)."""

OVER_ANY = frozenset(
    {"changes", "absent", "absent_over_time", "count_over_time", "present_over_time", "timestamp"}
)
"""Functions that do not read a counter's value, so that a raw counter is fine inside them."""

NEWBORN = "newborn"
"""Stands for the function that a series is inside of in `x unless x offset ...`."""

_ONLY_COUNTING = frozenset({"count", "group"})
_SET_OPERATORS = frozenset({"and", "or", "unless"})
_PLAIN = re.compile(r"[A-Za-z0-9_ -]*\Z")
_GRAFANA = re.compile(r"\$(?:\{(\w+)(?::[^}]*)?\}|(\w+))")
_DURATIONS = {
    "__rate_interval": "5m",
    "__interval": "1m",
    "__range": "1h",
    "__range_s": "3600",
    "__interval_ms": "1000",
}
_ANY_VALUE = "__any_value__"


@dataclass(frozen=True, slots=True)
class ExpressionProblem:
    """What is wrong and what to do; `kind` is a slug for whoever maps problems to codes, `name` what it is about."""

    kind: str
    message: str
    remedy: str = ""
    name: str = ""

    def __str__(self) -> str:
        return f"{self.message}; {self.remedy}" if self.remedy else self.message


def expand_variables(text: str) -> str:
    """Return `text` with Grafana's variables replaced by samples: durations where one stands for a duration."""
    return _GRAFANA.sub(lambda match: _DURATIONS.get(match[1] or match[2], _ANY_VALUE), text)


def check_expression(text: str, catalog: Catalog) -> tuple[ExpressionProblem, ...]:
    """Return everything that is wrong with the expression; Grafana variables may stand in it."""
    try:
        tree = parse(expand_variables(text))
    except ValueError as error:
        return (
            ExpressionProblem("syntax", f"not PromQL: {error}", "check brackets, quotes and function names"),
        )
    walker = _Walker(catalog)
    walker.labels_of(tree, within="")
    return tuple(dict.fromkeys(walker.problems))


def output_labels(text: str, catalog: Catalog) -> frozenset[str] | None:
    """Return the labels that the result of an expression can carry; None when anything may be there."""
    try:
        tree = parse(expand_variables(text))
    except ValueError:
        return None
    return _Walker(catalog).labels_of(tree, within="")


def series_in(text: str) -> tuple[str, ...]:
    """Return the series names an expression reads, sorted; () when it does not parse."""
    try:
        tree = parse(expand_variables(text))
    except ValueError:
        return ()
    return tuple(sorted({node.name for node in selectors(tree) if node.name}))


def selectors(node: promql.Expr) -> Iterator[promql.VectorSelector]:
    """Yield every vector selector under `node`."""
    match node:
        case promql.VectorSelector():
            yield node
        case promql.MatrixSelector():
            yield node.vector_selector
        case promql.BinaryExpr():
            yield from selectors(node.lhs)
            yield from selectors(node.rhs)
        case promql.AggregateExpr():
            yield from selectors(node.expr)
            if node.param is not None:
                yield from selectors(node.param)
        case promql.Call():
            for argument in node.args:
                yield from selectors(argument)
        case promql.ParenExpr() | promql.UnaryExpr() | promql.SubqueryExpr():
            yield from selectors(node.expr)


class _Walker:
    """Follows the labels through an expression. A label set of None means: anything may be there."""

    def __init__(self, catalog: Catalog) -> None:
        self.catalog = catalog
        self.problems: list[ExpressionProblem] = []

    def _say(self, kind: str, message: str, remedy: str = "", name: str = "") -> None:
        self.problems.append(ExpressionProblem(kind, message, remedy, name))

    def labels_of(self, node: promql.Expr, within: str) -> frozenset[str] | None:
        """Return the labels that the result of `node` can carry. `within` is the function it is an argument of."""
        match node:
            case promql.VectorSelector():
                return self._selector(node, within, ranged=False)
            case promql.MatrixSelector():
                return self._selector(node.vector_selector, within, ranged=True)
            case promql.AggregateExpr():
                return self._aggregate(node, within)
            case promql.BinaryExpr():
                return self._binary(node)
            case promql.Call():
                return self._call(node, within)
            case promql.ParenExpr() | promql.UnaryExpr() | promql.SubqueryExpr():
                return self.labels_of(node.expr, within)
        return frozenset()

    def _selector(self, node: promql.VectorSelector, within: str, *, ranged: bool) -> frozenset[str] | None:
        if not node.name:
            return None
        facts = self.catalog.find(node.name)
        if facts is None:
            self._say(
                "unknown-series",
                f"`{node.name}` is not a series of the registry, a recording rule or a declared platform series",
                did_you_mean(node.name, self.catalog.series) if "_" in node.name else "",
                node.name,
            )
            return None
        self._check_use(facts, within, ranged)
        for matcher in node.matchers.matchers:
            self._check_matcher(facts, matcher)
        return facts.labels

    def _check_use(self, facts: SeriesFacts, within: str, ranged: bool) -> None:
        if within in OVER_COUNTERS and facts.kind == "gauge":
            self._say(
                "rate-on-gauge",
                f"`{within}` over the gauge `{facts.name}`",
                "use the gauge itself, or delta()",
                facts.name,
            )
        raw = within not in OVER_COUNTERS | OVER_ANY | _ONLY_COUNTING | {NEWBORN}
        if raw and not ranged and facts.kind in ("counter", "bucket") and facts.metric is not None:
            self._say(
                "raw-counter",
                f"counter `{facts.name}` is read without a rate",
                "wrap it in rate() or increase()",
                facts.name,
            )

    def _check_matcher(self, facts: SeriesFacts, matcher: promql.Matcher) -> None:
        name, value = matcher.name, matcher.value
        if name == "__name__":
            return
        if name not in facts.labels:
            self._say(
                "unknown-label",
                f"`{facts.name}` has no label `{name}`",
                did_you_mean(name, facts.labels),
                facts.name,
            )
            return
        domain = facts.domains.get(name)
        if not domain or _ANY_VALUE in value or not value:
            return
        for literal in _literals(matcher):
            if literal not in domain:
                self._say(
                    "impossible-value",
                    f"`{facts.name}` never has {name}=`{literal}`",
                    did_you_mean(literal, domain),
                    facts.name,
                )
        if not _literals(matcher) and not any(re.fullmatch(value, known) for known in domain):
            self._say(
                "impossible-value", f"no value of {name} of `{facts.name}` matches `{value}`", "", facts.name
            )

    def _aggregate(self, node: promql.AggregateExpr, within: str) -> frozenset[str] | None:
        operator = str(node.op)
        inner = self.labels_of(
            node.expr, operator if operator in _ONLY_COUNTING else "" if within in OVER_COUNTERS else within
        )
        if node.modifier is None:
            return inner if operator in ("topk", "bottomk", "limitk", "limit_ratio") else frozenset()
        named = frozenset(node.modifier.labels)
        grouped = node.modifier.type == promql.AggModifierType.By
        if inner is not None and grouped:
            for label in sorted(named - inner):
                self._say(
                    "lost-label",
                    f"`{operator} by ({label})`: nothing inside has that label",
                    did_you_mean(label, inner),
                )
        if operator in ("topk", "bottomk", "limitk", "limit_ratio"):
            return inner
        if grouped:
            return named
        return None if inner is None else inner - named

    def _binary(self, node: promql.BinaryExpr) -> frozenset[str] | None:
        within = NEWBORN if _newborn(node) else ""
        left, right = self.labels_of(node.lhs, within), self.labels_of(node.rhs, within)
        operator, modifier = str(node.op), node.modifier
        scalars = _is_scalar(node.lhs), _is_scalar(node.rhs)
        if scalars[0]:
            return right
        if scalars[1]:
            return left
        matching = modifier.matching if modifier else None
        if matching is not None and matching.type == promql.LabelModifierType.Include:
            self._check_join(operator, frozenset(matching.labels), left, right)
        if operator == "or":
            return None if left is None or right is None else left | right
        if operator in _SET_OPERATORS or modifier is None:
            return left
        if modifier.card == promql.VectorMatchCardinality.ManyToOne:
            return None if left is None else left | frozenset(modifier.group_labels or ())
        if modifier.card == promql.VectorMatchCardinality.OneToMany:
            return None if right is None else right | frozenset(modifier.group_labels or ())
        if matching is not None and matching.type == promql.LabelModifierType.Include:
            return frozenset(matching.labels)
        return left

    def _check_join(self, operator: str, labels: frozenset[str], *sides: frozenset[str] | None) -> None:
        for side in sides:
            if side is not None:
                for label in sorted(labels - side):
                    self._say(
                        "lost-label",
                        f"`{operator} on ({label})`: one side has no label `{label}`",
                        did_you_mean(label, side),
                    )

    def _check_buckets(self, name: str, node: promql.Expr, labels: frozenset[str] | None) -> None:
        buckets = [one.name for one in selectors(node) if one.name and one.name.endswith("_bucket")]
        if labels is not None and "le" not in labels and buckets:
            self._say(
                "lost-label",
                f"`{name}` over `{buckets[0]}` without `le`: the bounds of the buckets are gone",
                "keep `le` in the inner aggregation, as in sum by (le) (...)",
                buckets[0],
            )

    def _call(self, node: promql.Call, within: str) -> frozenset[str] | None:
        name = node.func.name
        passed = name if name in OVER_COUNTERS | OVER_ANY or name.endswith("_over_time") else within
        inner: list[frozenset[str] | None] = [self.labels_of(argument, passed) for argument in node.args]
        if name in ("label_replace", "label_join"):
            target = node.args[1]
            added = {target.val} if isinstance(target, promql.StringLiteral) else set()
            return None if inner[0] is None else inner[0] | added
        if name in ("absent", "absent_over_time"):
            return _pinned(node.args[0])
        if name in ("histogram_quantile", "histogram_fraction"):
            self._check_buckets(name, node.args[-1], inner[-1])
            return None if inner[-1] is None else inner[-1] - {"le"}
        if name in ("vector", "time", "scalar"):
            return frozenset()
        return next(
            (labels for argument, labels in zip(node.args, inner, strict=True) if _is_vector(argument)),
            frozenset(),
        )


def _is_scalar(node: promql.Expr) -> bool:
    """Return whether an expression is one number without labels: a literal, time(), scalar(), and what they make."""
    match node:
        case promql.NumberLiteral():
            return True
        case promql.Call():
            return node.func.name in ("time", "scalar", "pi")
        case promql.ParenExpr() | promql.UnaryExpr():
            return _is_scalar(node.expr)
        case promql.BinaryExpr():
            return _is_scalar(node.lhs) and _is_scalar(node.rhs)
    return False


def _pinned(node: promql.Expr) -> frozenset[str]:
    """Return the labels that absent() can give its result: those that a bare selector pins to one value."""
    found = node.vector_selector if isinstance(node, promql.MatrixSelector) else node
    if not isinstance(found, promql.VectorSelector):
        return frozenset()
    equal = [
        matcher.name
        for matcher in found.matchers.matchers
        if matcher.op == promql.MatchOp.Equal and matcher.value and matcher.name != "__name__"
    ]
    return frozenset(name for name in equal if equal.count(name) == 1)


def _newborn(node: promql.BinaryExpr) -> bool:
    """Return whether a node is `x unless x offset ...`: series that did not exist a while ago.

    The right side may also be a function over a range of them. Their value is what they counted since they appeared,
    so a counter is rightly read without a rate.
    """
    left, right = node.lhs, node.rhs
    if isinstance(right, promql.Call) and right.func.name.endswith("_over_time"):
        right = right.args[-1]
    if isinstance(right, promql.MatrixSelector):
        right = right.vector_selector
    return (
        str(node.op) == "unless"
        and isinstance(left, promql.VectorSelector)
        and isinstance(right, promql.VectorSelector)
        and left.name == right.name
        and right.offset is not None
        and left.offset is None
    )


def _is_vector(node: promql.Expr) -> bool:
    return not isinstance(node, promql.NumberLiteral | promql.StringLiteral)


def _literals(matcher: promql.Matcher) -> tuple[str, ...]:
    """Return the values a matcher names word by word: one for `=`, the alternatives of a plain pattern for `=~`."""
    if matcher.op in (promql.MatchOp.Equal, promql.MatchOp.NotEqual):
        return (matcher.value,)
    parts = tuple(part for part in matcher.value.strip("()").split("|") if part)
    return parts if all(_PLAIN.match(part) for part in parts) else ()
