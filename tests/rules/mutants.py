"""Alerts with one thing changed, each of which the generated unit tests should notice."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from tests.tools import require

INVERTED = {">": "<=", "<": ">=", ">=": "<", "<=": ">", "==": "!=", "!=": "=="}
_COMPARISON = re.compile(
    r'"(?:[^"\\]|\\.)*"|\{[^}]*\}|(?P<operator>>=|<=|==|!=|>|<)\s*(?P<number>\d+(?:\.\d+)?)?'
)
_BY = re.compile(r"by \(([^)]*)\)")


@dataclass(frozen=True)
class Mutant:
    """A changed rule of an alert and what was changed."""

    alert: str
    change: str
    rule: dict[str, Any]

    def __str__(self) -> str:
        return f"{self.alert}: {self.change}"


def mutants_of(rule: dict[str, Any]) -> Iterator[Mutant]:
    """Yield the mutants of one alert.

    Each comparison inverted, each limit moved up and down by one per cent, `for` removed, each label dropped. A limit
    of 0 has no per cent, so it is left alone.
    """
    expr, name = rule["expr"], rule["alert"]
    for found in _COMPARISON.finditer(expr):
        if not found["operator"]:
            continue
        start, end = found.span("operator")
        inverted = expr[:start] + INVERTED[found["operator"]] + expr[end:]
        yield Mutant(name, f"comparison at {start} inverted", {**rule, "expr": inverted})
        number = float(found["number"] or 0)
        for factor in (0.99, 1.01) if number else ():
            start, end = found.span("number")
            moved = f"{expr[:start]}{number * factor:.12g}{expr[end:]}"
            yield Mutant(name, f"limit at {start} times {factor}", {**rule, "expr": moved})
    if "for" in rule:
        yield Mutant(name, "for removed", {key: value for key, value in rule.items() if key != "for"})
    yield from _labels_dropped(rule)


def _labels_dropped(rule: dict[str, Any]) -> Iterator[Mutant]:
    expr, name = rule["expr"], rule["alert"]
    grouping = _BY.search(expr)
    labels = [label.strip() for label in grouping[1].split(",")] if grouping else []
    for label in labels:
        kept = ", ".join(other for other in labels if other != label)
        start, end = grouping.span(1)
        dropped = expr[:start] + kept + expr[end:]
        yield Mutant(name, f"label {label} dropped", {**rule, "expr": dropped})
    for label in rule["labels"]:
        left = {key: value for key, value in rule["labels"].items() if key != label}
        yield Mutant(name, f"label {label} of the rule dropped", {**rule, "labels": left})


class Bench:
    """The rules and unit tests of one tree, taken apart by alert."""

    def __init__(self, tree: Path) -> None:
        groups = yaml.safe_load((tree / "rules/alerts.yaml").read_text())["groups"]
        self.alerts = {rule["alert"]: rule for group in groups for rule in group["rules"]}
        recorded = yaml.safe_load((tree / "rules/recording.yaml").read_text())["groups"]
        self.records = {rule["record"]: rule for group in recorded for rule in group["rules"]}
        self.files = [
            yaml.safe_load(path.read_text()) for path in sorted((tree / "rules/tests").glob("*.yaml"))
        ]

    def survives(self, mutant: Mutant, folder: Path) -> bool:
        """Return whether every unit test of the alert passes with the changed rule in its place."""
        folder.mkdir(parents=True, exist_ok=True)
        needed = self._needed(mutant.rule["expr"])
        rules = [rule for name, rule in self.records.items() if name in needed]
        groups = [{"name": "r", "rules": rules}, {"name": "a", "rules": [mutant.rule]}]
        (folder / "rules.yaml").write_text(yaml.safe_dump({"groups": [g for g in groups if g["rules"]]}))
        (folder / "tests.yaml").write_text(yaml.safe_dump(self._tests(mutant.alert)))
        done = subprocess.run(
            [require("promtool"), "test", "rules", str(folder / "tests.yaml")],
            capture_output=True,
            check=False,
        )
        return done.returncode == 0

    def _needed(self, expr: str) -> set[str]:
        direct = {name for name in self.records if re.search(rf"(?<![\w:]){re.escape(name)}(?![\w:])", expr)}
        return direct.union(*(self._needed(self.records[name]["expr"]) for name in direct))

    def _tests(self, alert: str) -> dict[str, Any]:
        tests = []
        for file in self.files:
            for test in file["tests"]:
                looks = [look for look in test["alert_rule_test"] if look["alertname"] == alert]
                if looks:
                    tests.append({**test, "alert_rule_test": looks})
        return {
            "rule_files": ["rules.yaml"],
            "evaluation_interval": self.files[0]["evaluation_interval"],
            "tests": tests,
        }
