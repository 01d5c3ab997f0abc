"""Checks of expressions that are valid and do not do what they look like."""

from __future__ import annotations

import re
from collections.abc import Iterator

import promql_parser as promql

from obs.checks.rules.rule import Facts, Flaw, RuleCheck, alert, page, record
from obs.checks.rules.view import RuleFile
from obs.checks.rules.walk import bare, is_scalar, nodes
from obs.model.finding import Severity
from obs.model.metric import Presence
from obs.promql.catalog import Catalog
from obs.promql.check import output_labels

_WHOLE = re.compile(r"-?\d+\Z")
_FLOATS = ("le", "quantile")
_GROWTH = frozenset({"rate", "increase", "irate"})
_COMPARISONS = frozenset({"==", "!=", "<", "<=", ">", ">="})
_SET_OPERATORS = frozenset({"and", "or", "unless"})

_SINCE = {
    "last_over_time": "2.26",
    "sgn": "2.26",
    "clamp": "2.26",
    "present_over_time": "2.29",
    "acos": "2.31",
    "histogram_count": "2.40",
    "histogram_sum": "2.40",
    "histogram_fraction": "2.40",
    "histogram_avg": "2.52",
    "sort_by_label": "2.49",
    "sort_by_label_desc": "2.49",
    "mad_over_time": "2.54",
    "double_exponential_smoothing": "3.0",
    "info": "3.0",
}
"""The first Prometheus with a function, where that is later than 2.25 (release notes of Prometheus)."""


def _literal_le(file: RuleFile, facts: Facts) -> Iterator[Flaw]:
    del facts
    for rule in file.rules:
        for matcher in _matchers(rule.tree):
            exact = matcher.op in (promql.MatchOp.Equal, promql.MatchOp.NotEqual)
            if exact and matcher.name in _FLOATS and _WHOLE.match(matcher.value):
                yield Flaw(
                    rule.at("expr"),
                    f'{matcher.name}="{matcher.value}" matches nothing on Prometheus 3, which writes it'
                    f" {matcher.value}.0",
                    f'write {matcher.name}=~"{matcher.value}([.]0)?"',
                    rule.name,
                )


def _matchers(tree: promql.Expr | None) -> Iterator[promql.Matcher]:
    for node in nodes(tree) if tree is not None else ():
        if isinstance(node, promql.VectorSelector):
            yield from node.matchers.matchers


def _first_event(file: RuleFile, facts: Facts) -> Iterator[Flaw]:
    for rule in file.rules:
        for node in nodes(rule.tree) if rule.tree is not None else ():
            if isinstance(node, promql.BinaryExpr) and str(node.op) in (">", "!=") and _is_zero(node.rhs):
                for name in sorted(set(_lazy_growth(node.lhs, facts.catalog))):
                    yield Flaw(
                        rule.at("expr"),
                        f"a series of `{name}` is born with its first event, and a growth over it stays 0 for that one",
                        "also look for series that are new: `x unless x offset 15m`",
                        rule.name,
                    )


def _is_zero(node: promql.Expr) -> bool:
    found = bare(node)
    return isinstance(found, promql.NumberLiteral) and found.val == 0


def _lazy_growth(tree: promql.Expr, catalog: Catalog) -> Iterator[str]:
    for node in nodes(tree):
        if isinstance(node, promql.Call) and node.func.name in _GROWTH:
            for inner in nodes(node):
                if isinstance(inner, promql.VectorSelector) and inner.name:
                    facts = catalog.find(inner.name)
                    if facts and facts.metric and facts.metric.semantics.presence is Presence.LAZY:
                        yield inner.name


def _unguarded(file: RuleFile, facts: Facts) -> Iterator[Flaw]:
    del facts
    for rule in file.rules:
        for node in nodes(rule.tree) if rule.tree is not None else ():
            if isinstance(node, promql.BinaryExpr) and str(node.op) == "/" and not _never_zero(node.rhs):
                yield Flaw(
                    rule.at("expr"),
                    "a quotient whose divisor can be 0: without traffic it is NaN, with one event infinite",
                    "divide by `(... > 0)`, which has no value then",
                    rule.name,
                )


def _never_zero(node: promql.Expr) -> bool:
    found = bare(node)
    if is_scalar(found):
        return True
    match found:
        case promql.BinaryExpr():
            return str(found.op) in (">", "!=") and is_scalar(found.rhs)
        case promql.Call():
            return found.func.name in ("clamp_min", "timestamp", "vector")
        case promql.AggregateExpr():
            return str(found.op) in ("count", "group")
    return False


def _many_to_many(file: RuleFile, facts: Facts) -> Iterator[Flaw]:
    for rule in file.rules:
        for node in nodes(rule.tree) if rule.tree is not None else ():
            if isinstance(node, promql.BinaryExpr) and (side := _not_unique(node, facts.catalog)):
                yield Flaw(
                    rule.at("expr"),
                    f"the join is on fewer labels than {side} has: when a pod is recreated two series match, and the"
                    " evaluation fails",
                    "aggregate that side by the labels of the join, as in `max by (...)`",
                    rule.name,
                )


def _not_unique(node: promql.BinaryExpr, catalog: Catalog) -> str:
    """Return which side of a join can hold several series for one set of the join's labels, empty for neither."""
    modifier = node.modifier
    if modifier is None or modifier.matching is None or str(node.op) in _SET_OPERATORS:
        return ""
    matching = modifier.matching
    if matching.type != promql.LabelModifierType.Include:
        return ""
    on = frozenset(matching.labels)
    sides = {"the left side": node.lhs, "the right side": node.rhs}
    if modifier.card == promql.VectorMatchCardinality.ManyToOne:
        del sides["the left side"]
    elif modifier.card == promql.VectorMatchCardinality.OneToMany:
        del sides["the right side"]
    for name, side in sides.items():
        labels = output_labels(side.prettify(), catalog)
        if not is_scalar(side) and labels is not None and labels - on:
            return name
    return ""


def _newer(file: RuleFile, facts: Facts) -> Iterator[Flaw]:
    del facts
    for rule in file.rules:
        for node in nodes(rule.tree) if rule.tree is not None else ():
            if isinstance(node, promql.Call) and node.func.name in _SINCE:
                yield Flaw(
                    rule.at("expr"),
                    f"{node.func.name}() needs Prometheus {_SINCE[node.func.name]}, and an operator whose own parser"
                    " knows it",
                    "make sure that both are new enough",
                    rule.name,
                )


_BUCKETS = "agent_run_duration_ms_bucket"
_MCP = "agent_mcp_connect_failures_total"
_ERRORS, _CALLS = "sum(rate(agent_intel_errors_total[5m]))", "sum(rate(agent_intel_calls_total[5m]))"

CHECKS = (
    RuleCheck(
        page(
            "OBS631",
            "literal-le",
            Severity.WARNING,
            "A bucket or quantile is selected by a whole number.",
            """Prometheus 3 writes the values of `le` and `quantile` as floats: what was 1 is 1.0, and an exact
            matcher
            finds nothing any more.""",
            bad=record("fleet:quick_runs:rate5m", f"sum(rate({_BUCKETS}{{le='1000'}}[5m]))"),
            good=record("fleet:quick_runs:rate5m", f"sum(rate({_BUCKETS}{{le=~'1000([.]0)?'}}[5m]))"),
            remedy='Match both spellings: le=~"1000([.]0)?".',
        ),
        _literal_le,
    ),
    RuleCheck(
        page(
            "OBS632",
            "first-event-missed",
            Severity.WARNING,
            "A growth above 0 of a counter whose series appear with their first event.",
            """Growth compares samples of one series. A series that is born at 1 has no earlier sample, so that the
            first failure, which the alert is for, is not seen.""",
            bad=alert(f"increase({_MCP}[15m]) > 0"),
            good=alert(f"sum({_MCP} unless {_MCP} offset 15m) > 0"),
            remedy="Look for series that are new, beside those that grow.",
        ),
        _first_event,
    ),
    RuleCheck(
        page(
            "OBS633",
            "unguarded-ratio",
            Severity.WARNING,
            "A quotient whose divisor can be 0.",
            """Nothing by nothing is NaN, which no comparison with a limit is true for and which spoils every
            sum it enters; one by nothing is
            infinite and fires. Both happen to a fleet that has nothing to do.""",
            bad=alert(f'"{_ERRORS} / {_CALLS} > 0.1"'),
            good=alert(f'"{_ERRORS} / ({_CALLS} > 0) > 0.1"'),
            remedy="Divide by `(... > 0)`.",
        ),
        _unguarded,
    ),
    RuleCheck(
        page(
            "OBS634",
            "many-to-many",
            Severity.WARNING,
            "A join on labels that do not tell the series of a side apart.",
            """It works until a pod is recreated. Then two series of a side have the same labels for five minutes, and
            the whole rule fails with a many-to-many error, just when it is needed.""",
            bad=alert(
                '"agent_memory_current_bytes / on (namespace, pod) (agent_memory_max_bytes > 0) > 0.9"'
            ),
            good=alert(
                '"max by (namespace, pod) (agent_memory_current_bytes) / on (namespace, pod)'
                ' (max by (namespace, pod) (agent_memory_max_bytes) > 0) > 0.9"'
            ),
            remedy="Aggregate the side by the labels of the join.",
        ),
        _many_to_many,
    ),
    RuleCheck(
        page(
            "OBS635",
            "newer-function",
            Severity.INFO,
            "A function that older servers and operators do not know.",
            """A server refuses the file. The Prometheus operator has a parser of its own and refuses the object, even
            when the server is new enough.""",
            bad=record("fleet:agents:last", "last_over_time(agent_up[1h])"),
            good=record("fleet:agents:last", "max_over_time(agent_up[1h])"),
            remedy="Make sure that server and operator are new enough.",
        ),
        _newer,
    ),
)
