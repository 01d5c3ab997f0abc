"""Checks of the shape of a rule file: keys, durations, names that stand twice."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from obs.checks.rules.rule import Facts, Flaw, RuleCheck, alert, page, record
from obs.checks.rules.view import RuleFile, RuleView, duration_seconds
from obs.documents.load import Path
from obs.documents.suggest import did_you_mean
from obs.model.finding import Severity

_GROUP_KEYS = (
    *("name", "interval", "limit", "rules", "query_offset", "labels", "evaluation_delay"),
    *("partial_response_strategy", "source_tenants"),
)
_ALERT_KEYS = ("alert", "expr", "for", "keep_firing_for", "labels", "annotations")
_RECORD_KEYS = ("record", "expr", "labels")
_ONLY_FOR_ALERTS = ("for", "keep_firing_for", "annotations")


def _shape(file: RuleFile, facts: Facts) -> Iterator[Flaw]:
    del facts
    for group in file.groups:
        for key in group.data:
            if key not in _GROUP_KEYS:
                yield Flaw((*group.path, key), f"a group has no key `{key}`", did_you_mean(key, _GROUP_KEYS))
        if not isinstance(group.data.get("rules"), list):
            yield Flaw(group.path, "the group has no list of rules", "add `rules:`")
    for rule in file.rules:
        yield from _keys(rule)
        if not rule.expr:
            yield _no_expression(rule)
        for key in ("for", "keep_firing_for"):
            yield from _duration(rule.data, key, rule.at(key), rule.name)


def _no_expression(rule: RuleView) -> Flaw:
    if isinstance(rule.data.get("expr"), dict | list):
        message = (
            f"the expression of `{rule.name}` is no text: YAML reads what begins with a brace as a mapping"
        )
        return Flaw(rule.at("expr"), message, "quote the expression", rule.name)
    return Flaw(rule.at("expr"), f"`{rule.name}` has no expression", "add `expr:`", rule.name)


def _keys(rule: RuleView) -> Iterator[Flaw]:
    known = _ALERT_KEYS if rule.is_alert else _RECORD_KEYS
    if "alert" in rule.data and "record" in rule.data:
        yield Flaw(
            rule.at("record"), "a rule is an alert or a recording rule, not both", "make two rules of it"
        )
    elif "alert" not in rule.data and "record" not in rule.data:
        yield Flaw(rule.path, "the rule has no name", "add `alert:` or `record:`")
        return
    for key in rule.data:
        if key in _ONLY_FOR_ALERTS and not rule.is_alert:
            yield Flaw(rule.at(key), f"a recording rule has no `{key}`", "drop it", rule.name)
        elif key not in (*known, "record"):
            yield Flaw(rule.at(key), f"a rule has no key `{key}`", did_you_mean(key, known), rule.name)


def _duration(data: Any, key: str, path: Path, subject: str) -> Iterator[Flaw]:
    if key in data and duration_seconds(data[key]) is None:
        message = f"`{key}: {data[key]}` is not a duration"
        yield Flaw(path, message, "write whole numbers with units, such as 90s, 5m or 1h30m", subject)


def _group_twice(file: RuleFile, facts: Facts) -> Iterator[Flaw]:
    del facts
    seen: dict[str, Path] = {}
    for group in file.groups:
        name = str(group.data.get("name", ""))
        if name in seen:
            yield Flaw(
                (*group.path, "name"),
                f"group `{name}` stands in this file twice, which Prometheus refuses",
                "give each group its own name; the same name in another file is fine",
                name,
                related=((file.document, (*seen[name], "name")),),
            )
        seen.setdefault(name, group.path)


def _rule_twice(file: RuleFile, facts: Facts) -> Iterator[Flaw]:
    del facts
    seen: dict[tuple[str, str, str], RuleView] = {}
    for rule in file.rules:
        key = (rule.name, rule.expr, repr(sorted(map(str, rule.texts("labels").items()))))
        if rule.name and key in seen:
            first = seen[key]
            yield Flaw(
                rule.path,
                f"`{rule.name}` stands here a second time with the same expression and labels",
                "keep one",
                rule.name,
                related=((first.document, first.path),),
            )
        seen.setdefault(key, rule)


_OK = alert("up == 0", "for: 5m")

CHECKS = (
    RuleCheck(
        page(
            "OBS601",
            "rule-shape",
            Severity.ERROR,
            "A rule or group has a key that does not exist, lacks one it needs, or has a duration that is none.",
            """Prometheus refuses the whole file for one unknown key, and the operator drops fields that its CRD does
            not know, so that the rule is loaded without them. A recording rule has neither `for` nor annotations.""",
            bad=record("fleet:agents:count", "count(up)", "for: 5m"),
            good=_OK,
            remedy="Correct the key or the duration.",
        ),
        _shape,
    ),
    RuleCheck(
        page(
            "OBS604",
            "group-twice",
            Severity.ERROR,
            "Two groups of one file have the same name.",
            """Prometheus refuses such a file, and new CRDs refuse such an object. It happens when recording rules and
            alerts of one subject are merged.""",
            bad=_OK + "- name: example\n  rules:\n  - record: fleet:agents:count\n    expr: count(up)\n",
            good=_OK + "- name: other\n  rules:\n  - record: fleet:agents:count\n    expr: count(up)\n",
            remedy="Give each group of a file its own name.",
        ),
        _group_twice,
    ),
    RuleCheck(
        page(
            "OBS605",
            "rule-twice",
            Severity.WARNING,
            "A rule stands in the file twice.",
            """It is evaluated twice. Of a recording rule the samples clash, of an alert people are told twice.""",
            bad=_OK + "- name: other\n  rules:\n  - alert: AgentExample\n    expr: up == 0\n",
            good=_OK,
            remedy="Keep one of them.",
        ),
        _rule_twice,
    ),
)
