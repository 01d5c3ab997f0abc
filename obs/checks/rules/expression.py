"""Checks of expressions against what exists: series, labels, values, types, and whether an alert compares at all."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import promql_parser as promql

from obs.checks.rules.rule import Facts, Flaw, RuleCheck, alert, page
from obs.checks.rules.view import RuleFile, RuleView
from obs.documents.suggest import nearest
from obs.model.finding import Severity
from obs.promql.check import ExpressionProblem, check_expression

_VARIABLE = re.compile(r"\$(?:\{\w[^}]*\}|\w+)")
_COMPARISONS = frozenset({"==", "!=", "<", "<=", ">", ">="})


def _of_kind(kind: str) -> Callable[[RuleFile, Facts], Iterator[Flaw]]:
    """Return a judge that reports the problems of one kind that the expression checker finds."""

    def judge(file: RuleFile, facts: Facts) -> Iterator[Flaw]:
        for rule in file.rules:
            copied = _copied(rule)
            if copied is not None:
                if kind == "syntax":
                    yield copied
                continue
            if rule.expr:
                for problem in check_expression(rule.expr, facts.catalog):
                    if problem.kind == kind and not _recorded_elsewhere(problem, facts):
                        severity = _severity(problem, facts)
                        yield Flaw(rule.at("expr"), problem.message, problem.remedy, rule.name, severity)

    return judge


def _copied(rule: RuleView) -> Flaw | None:
    """Return the flaw of an expression that was copied from a board: only Grafana fills its variables in."""
    found = _VARIABLE.search(rule.expr) if rule.tree is None else None
    if found is None:
        return None
    message = f"`{found[0]}` is a variable of Grafana, which Prometheus does not know"
    return Flaw(rule.at("expr"), message, "write what it stands for, such as 5m", rule.name)


def _recorded_elsewhere(problem: ExpressionProblem, facts: Facts) -> bool:
    """Return whether a series that nobody declares is probably recorded by a file that is not at hand."""
    recorded = [name for name in facts.catalog.series if ":" in name]
    return problem.kind == "unknown-series" and ":" in problem.name and not nearest(problem.name, recorded)


def _severity(problem: ExpressionProblem, facts: Facts) -> Severity | None:
    """Return INFO for a series of some other system: it may well exist where these rules are used."""
    if problem.kind != "unknown-series":
        return None
    families = {name.split("_")[0] for name in facts.catalog.series}
    return None if nearest(problem.name.split("_")[0], families) else Severity.INFO


def _no_comparison(file: RuleFile, facts: Facts) -> Iterator[Flaw]:
    del facts
    for rule in file.rules:
        if rule.is_alert and rule.tree is not None and not _can_be_empty(rule.tree):
            yield Flaw(
                rule.at("expr"),
                f"`{rule.name}` compares nothing: it fires for every series, whatever its value",
                "compare with a limit, as in `> 0`",
                rule.name,
            )


def _can_be_empty(node: promql.Expr) -> bool:
    """Return whether an expression filters: an alert without that fires as long as its series exist."""
    match node:
        case promql.BinaryExpr():
            operator = str(node.op)
            if operator in _COMPARISONS:
                return not (node.modifier and node.modifier.return_bool)
            if operator == "unless":
                return True
            sides = _can_be_empty(node.lhs), _can_be_empty(node.rhs)
            return all(sides) if operator == "or" else any(sides)
        case promql.Call():
            return node.func.name in ("absent", "absent_over_time") or any(map(_can_be_empty, node.args))
        case promql.AggregateExpr() | promql.ParenExpr() | promql.UnaryExpr() | promql.SubqueryExpr():
            return _can_be_empty(node.expr)
        case promql.VectorSelector():
            return node.name == "ALERTS"
    return False


def _reload(value: str) -> str:
    return alert(f'increase(agent_config_reload_total{{result="{value}"}}[15m]) > 0')


_KINDS = (
    (
        "OBS610",
        "not-promql",
        "syntax",
        "An expression is not PromQL.",
        "Prometheus refuses the whole file.",
        alert("rate(agent_runs_total[5m]"),
        alert("rate(agent_runs_total[5m]) > 0"),
        "Check brackets, quotes and the names of functions.",
    ),
    (
        "OBS611",
        "series-unknown",
        "unknown-series",
        "An expression names a series that nothing exposes.",
        """An expression over a series that does not exist has no result, so that the alert never fires and nobody
        notices. promtool knows no series and accepts it.""",
        alert("agent_redy == 0"),
        alert("agent_ready == 0"),
        "Correct the name. Series of other systems that rules may name are declared in registry/platform.yaml.",
    ),
    (
        "OBS612",
        "label-unknown",
        "unknown-label",
        "An expression selects by a label that the series does not have.",
        "A selector with a label that is not there matches nothing, or with `!=` everything.",
        alert('rate(agent_runs_total{state="crashed"}[5m]) > 0'),
        alert('rate(agent_runs_total{status="crashed"}[5m]) > 0'),
        "Use a label of the metric; the registry lists them.",
    ),
    (
        "OBS613",
        "impossible-value",
        "impossible-value",
        "An expression selects a value that the label never has.",
        "The values of a closed label are frozen, so that this selector can never match.",
        _reload("refused"),
        _reload("rejected"),
        "Use a value of the label's domain.",
    ),
    (
        "OBS614",
        "rate-of-gauge",
        "rate-on-gauge",
        "A gauge is read as if it were a counter.",
        "A rate takes each fall of the value for a restart and counts it upwards.",
        alert("rate(agent_pending_events[5m]) > 1"),
        alert("agent_pending_events > 1"),
        "Use the gauge itself, or delta() and deriv().",
    ),
    (
        "OBS615",
        "counter-without-rate",
        "raw-counter",
        "A counter is compared or summed without a rate.",
        "A counter only says how much there was since the process began, and begins anew with it.",
        alert("agent_reactor_stalls_total > 10"),
        alert("increase(agent_reactor_stalls_total[15m]) > 10"),
        "Wrap it in rate() or increase().",
    ),
    (
        "OBS616",
        "lost-label",
        "lost-label",
        "An aggregation or a join uses a label that is not there any more.",
        """Grouping by a label that an inner aggregation dropped puts everything in one group; joining on one matches
        everything with everything, or nothing.""",
        alert("sum by (pod) (sum by (fleet) (agent_ready)) == 0"),
        alert("sum by (fleet) (sum by (fleet, pod) (agent_ready)) == 0"),
        "Keep the label in the inner aggregation.",
    ),
)

CHECKS = (
    *(
        RuleCheck(
            page(code, slug, Severity.ERROR, summary, why, bad=bad, good=good, remedy=remedy),
            _of_kind(kind),
        )
        for code, slug, kind, summary, why, bad, good, remedy in _KINDS
    ),
    RuleCheck(
        page(
            "OBS617",
            "no-comparison",
            Severity.ERROR,
            "The expression of an alert has no comparison.",
            """An alert fires for each element of its result, whatever the value. Without a comparison, absent() or
            unless, that is every series there is.""",
            bad=alert("agent_pending_events"),
            good=alert("agent_pending_events > 100"),
            remedy="Compare with a limit.",
        ),
        _no_comparison,
    ),
)
