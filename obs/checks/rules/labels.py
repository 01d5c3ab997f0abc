"""Checks of what an alert says: its labels and annotations against the labels of its result."""

from __future__ import annotations

import re
from collections.abc import Iterator

from obs.checks.rules.rule import Facts, Flaw, RuleCheck, alert, page
from obs.checks.rules.view import RuleFile, RuleView
from obs.documents.suggest import did_you_mean
from obs.model.finding import Severity
from obs.promql.check import output_labels

_ACTION = re.compile(r"\{\{(.*?)\}\}", re.DOTALL)
_LABEL = re.compile(r"(?:\$labels|\.Labels)\.([a-zA-Z_][a-zA-Z0-9_]*)")
_QUERY = re.compile(r"\{\{-?\s*(?:range|with)\b")


def _result(rule: RuleView, facts: Facts) -> frozenset[str] | None:
    return output_labels(rule.expr, facts.catalog) if rule.tree is not None else None


def _hidden(file: RuleFile, facts: Facts) -> Iterator[Flaw]:
    for rule in file.rules:
        for label in sorted((_result(rule, facts) or frozenset()) & set(rule.texts("labels"))):
            if _told_apart_by(rule, label):
                yield Flaw(
                    rule.at("labels", label),
                    f"the rule sets `{label}`, by which its expression tells series apart",
                    "give the rule's label another name, or aggregate the series' label away",
                    rule.name,
                )


def _told_apart_by(rule: RuleView, label: str) -> bool:
    """Return whether the expression names the label itself: those of targets that it never mentions do not count."""
    return re.search(rf"\b{re.escape(label)}\b", rule.expr) is not None


def _printed(file: RuleFile, facts: Facts) -> Iterator[Flaw]:
    for rule in file.rules:
        there = _result(rule, facts)
        if there is None:
            continue
        for part in ("annotations", "labels"):
            for key, text in rule.texts(part).items():
                if isinstance(text, str) and not _QUERY.search(text):
                    yield from _not_there(rule, (part, key), text, there)


def _not_there(rule: RuleView, place: tuple[str, str], text: str, there: frozenset[str]) -> Iterator[Flaw]:
    used = {label for action in _ACTION.findall(text) for label in _LABEL.findall(action)}
    for label in sorted(used - there):
        own = label in rule.texts("labels")
        hint = (
            "a rule's own labels are not in $labels; write the value" if own else did_you_mean(label, there)
        )
        if not there:
            hint = "the result has no labels; absent() keeps those that its selector pins with `=`"
        yield Flaw(
            rule.at(*place),
            f"`{label}` is printed, and the expression's result does not have it",
            hint,
            rule.name,
        )


def _value_as_label(file: RuleFile, facts: Facts) -> Iterator[Flaw]:
    del facts
    for rule in file.rules:
        for key, text in rule.texts("labels").items():
            if isinstance(text, str) and any("$value" in action for action in _ACTION.findall(text)):
                yield Flaw(
                    rule.at("labels", key),
                    f"label `{key}` holds the value: with each change the alert is a new one, and `for` begins anew",
                    "move it to an annotation",
                    rule.name,
                )


def _broken_template(file: RuleFile, facts: Facts) -> Iterator[Flaw]:
    del facts
    for rule in file.rules:
        for part in ("annotations", "labels"):
            for key, text in rule.texts(part).items():
                if isinstance(text, str) and text.count("{{") != text.count("}}"):
                    message = f"the braces of `{key}` do not match"
                    yield Flaw(rule.at(part, key), message, "close each {{ with }}", rule.name)


def _grouped(*labels: str) -> str:
    return f"sum by ({', '.join(labels)}) (agent_paused) > 0"


CHECKS = (
    RuleCheck(
        page(
            "OBS620",
            "label-hidden",
            Severity.ERROR,
            "A label of the rule has the name of one that its expression tells series apart by.",
            """The rule's label wins. Two series that differed in it become one, and the evaluation fails with a
            duplicate label set, at the moment the second series appears.""",
            bad=alert(_grouped("fleet", "pod"), "labels:", "  fleet: all"),
            good=alert(_grouped("pod"), "labels:", "  fleet: all"),
            remedy="Give the rule's label another name.",
        ),
        _hidden,
    ),
    RuleCheck(
        page(
            "OBS621",
            "label-not-in-result",
            Severity.WARNING,
            "An annotation prints a label that the result of the expression does not have.",
            """It prints nothing in its place. Aggregations drop labels, absent() has only those that its selector pins
            with `=`, and the labels that a rule sets itself are not among $labels.""",
            bad=alert(_grouped("fleet"), "annotations:", '  summary: "{{ $labels.pod }} is paused"'),
            good=alert(_grouped("fleet", "pod"), "annotations:", '  summary: "{{ $labels.pod }} is paused"'),
            remedy="Keep the label in the expression, or print another one.",
        ),
        _printed,
    ),
    RuleCheck(
        page(
            "OBS622",
            "value-in-label",
            Severity.ERROR,
            "A label of an alert holds its value.",
            """Labels are what an alert is known by. When one changes with each evaluation, `for` never passes, and
            Alertmanager gets a new alert each time.""",
            bad=alert("agent_pending_events > 9", "labels:", '  pending: "{{ $value }}"'),
            good=alert("agent_pending_events > 9", "annotations:", '  summary: "{{ $value }} wait"'),
            remedy="Move it to an annotation.",
        ),
        _value_as_label,
    ),
    RuleCheck(
        page(
            "OBS623",
            "broken-template",
            Severity.ERROR,
            "The braces of an annotation or label do not match.",
            """The template is not expanded; the alert says so in place of its message. A template language that ran
            over the file before often is the cause.""",
            bad=alert("up == 0", "annotations:", '  summary: "{{ $labels.pod is down"'),
            good=alert("up == 0", "annotations:", '  summary: "{{ $labels.pod }} is down"'),
            remedy="Close each {{ with }}.",
        ),
        _broken_template,
    ),
)
