"""Finished rules and cases as the documents that Prometheus, its operator and promtool read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

from obs.emit.rules.cases import Case, Check
from obs.model.rule import AlertRule, RecordingRule, RuleGroup
from obs.specs.durations import duration

_T = TypeVar("_T")


def rule_file(groups: Iterable[RuleGroup]) -> dict[str, Any]:
    """Return a rule file (Prometheus documentation, recording rules)."""
    return {"groups": [group_document(group) for group in groups]}


def group_document(group: RuleGroup) -> dict[str, Any]:
    """Return one group as it stands in a rule file and in a PrometheusRule alike."""
    return {
        "name": group.name,
        "interval": duration(group.interval),
        "rules": [_rule(rule) for rule in group.rules],
    }


def _rule(rule: RecordingRule | AlertRule) -> dict[str, Any]:
    if isinstance(rule, RecordingRule):
        return {"record": rule.name, "expr": rule.expr}
    document: dict[str, Any] = {"alert": rule.name, "expr": rule.expr}
    if rule.hold:
        document["for"] = duration(rule.hold)
    if rule.keep:
        document["keep_firing_for"] = duration(rule.keep)
    document["labels"] = dict(rule.labels)
    document["annotations"] = dict(rule.annotations)
    return document


def test_file(cases: Iterable[Case], *, evaluation: int, rule_files: Iterable[str]) -> dict[str, Any]:
    """Return a file for `promtool test rules`; `evaluation` is in seconds."""
    return {
        "rule_files": list(rule_files),
        "evaluation_interval": duration(evaluation),
        "tests": [_test(together) for together in _with_equal_series(cases)],
    }


def _with_equal_series(cases: Iterable[Case]) -> Iterable[list[Case]]:
    """Return the cases in order, those with the same series in one list: promtool then plays them once."""
    found: dict[object, list[Case]] = {}
    for case in cases:
        found.setdefault((case.step, case.series), []).append(case)
    return found.values()


def _test(cases: list[Case]) -> dict[str, Any]:
    first = cases[0]
    return {
        "name": "; ".join(f"{case.alert}: {case.name}" for case in cases),
        "interval": duration(first.step),
        "input_series": [{"series": series, "values": values} for series, values in first.series],
        "alert_rule_test": [_look(case.alert, check) for case in cases for check in case.checks],
    }


def _look(alert: str, check: Check) -> dict[str, Any]:
    look: dict[str, Any] = {"eval_time": duration(check.at), "alertname": alert}
    if check.expected is None:
        return {**look, "exp_alerts": []}
    labels = {name: value for name, value in check.expected.labels.items() if name != "alertname"}
    return {
        **look,
        "exp_alerts": [{"exp_labels": labels, "exp_annotations": dict(check.expected.annotations)}],
    }


def packed(items: Iterable[_T], sizes: Iterable[int], limit: int) -> Iterator[tuple[_T, ...]]:
    """Yield the items in order, packed so that the sizes (bytes) of each pack stay under `limit` where one can."""
    pack: list[_T] = []
    total = 0
    for item, size in zip(items, sizes, strict=True):
        if pack and total + size > limit:
            yield tuple(pack)
            pack, total = [], 0
        pack.append(item)
        total += size
    if pack:
        yield tuple(pack)
