"""Checks of time: windows against the scrape interval, and `absent` without patience."""

from __future__ import annotations

from collections.abc import Iterator

import promql_parser as promql

from obs.checks.rules.rule import Facts, Flaw, RuleCheck, alert, page
from obs.checks.rules.view import RuleFile
from obs.checks.rules.walk import nodes
from obs.model.finding import Severity

_NEED_TWO = frozenset(
    {"rate", "irate", "increase", "delta", "idelta", "deriv", "changes", "resets", "predict_linear"}
)
"""Functions that need two samples in their window; a window of avg_over_time and the like may hold one."""

_ENOUGH = 4
"""Scrapes a window should hold: two for a rate, one that is late, one that fails."""


def _short(file: RuleFile, facts: Facts) -> Iterator[Flaw]:
    for rule in file.rules:
        if rule.tree is None:
            continue
        for name, window in _windows(rule.tree):
            if window < _ENOUGH * facts.scrape_interval:
                never = window < 2 * facts.scrape_interval
                effect = "never holds two samples" if never else "holds too few samples when one is late"
                yield Flaw(
                    rule.at("expr"),
                    f"{name}() over {window:g}s {effect}: targets are scraped every {facts.scrape_interval}s",
                    f"use at least {_ENOUGH * facts.scrape_interval}s",
                    rule.name,
                    Severity.ERROR if never else None,
                )


def _windows(tree: promql.Expr) -> Iterator[tuple[str, float]]:
    for node in nodes(tree):
        if isinstance(node, promql.Call) and node.func.name in _NEED_TWO:
            for argument in node.args:
                if isinstance(argument, promql.MatrixSelector | promql.SubqueryExpr) and argument.range:
                    yield node.func.name, argument.range.total_seconds()


def _impatient(file: RuleFile, facts: Facts) -> Iterator[Flaw]:
    for rule in file.rules:
        if not rule.is_alert or rule.tree is None or rule.seconds("for") >= 2 * facts.scrape_interval:
            continue
        if any(isinstance(node, promql.Call) and node.func.name == "absent" for node in nodes(rule.tree)):
            yield Flaw(
                rule.at("expr"),
                f"`{rule.name}` fires when a single scrape fails, or when Prometheus has just started",
                f"add `for:` of at least {2 * facts.scrape_interval}s",
                rule.name,
            )


CHECKS = (
    RuleCheck(
        page(
            "OBS630",
            "short-window",
            Severity.WARNING,
            "The window of a rate holds fewer than four scrapes.",
            """A rate needs two samples. A window of less than two scrape intervals never has them, so that the rule has
            no result at all; one of less than four has gaps whenever a scrape is late or fails.""",
            bad=alert("rate(agent_runs_total[30s]) > 0"),
            good=alert("rate(agent_runs_total[5m]) > 0"),
            remedy="Use a window of at least four scrape intervals.",
        ),
        _short,
    ),
    RuleCheck(
        page(
            "OBS637",
            "impatient-absent",
            Severity.WARNING,
            "An alert on absence has no `for`, or one of less than two scrapes.",
            """Every restart of Prometheus and every scrape that fails is an absence for a moment.""",
            bad=alert('absent(agent_up{fleet="inbox-workers"})'),
            good=alert('absent(agent_up{fleet="inbox-workers"})', "for: 5m"),
            remedy="Add `for:`.",
        ),
        _impatient,
    ),
)
