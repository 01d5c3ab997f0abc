"""Rule files and PrometheusRule objects, whoever wrote them, as views: groups, rules, and where everything stands."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import promql_parser as promql

from obs.documents.load import Document, Path
from obs.promql.parse import parse

_DURATION = re.compile(r"(?:0|(?:\d+y)?(?:\d+w)?(?:\d+d)?(?:\d+h)?(?:\d+m)?(?:\d+s)?(?:\d+ms)?)\Z")
_PART = re.compile(r"(\d+)(ms|[smhdwy])")
_SECONDS = {"ms": 0.001, "s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800, "y": 31536000}


@dataclass(frozen=True)
class RuleView:
    """One rule as it was written; nothing about its shape is taken for granted."""

    document: Document
    path: Path
    data: Mapping[str, Any]

    @property
    def is_alert(self) -> bool:
        """Return whether the rule is meant as an alert."""
        return "alert" in self.data

    @property
    def name(self) -> str:
        """Return the name of the alert or of the recorded series."""
        return str(self.data.get("alert" if self.is_alert else "record", ""))

    @property
    def expr(self) -> str:
        """Return the expression; a number is an expression too."""
        found = self.data.get("expr", "")
        return "" if found is None or isinstance(found, dict | list | bool) else str(found)

    @cached_property
    def tree(self) -> promql.Expr | None:
        """Return the parsed expression, or None when it is not PromQL."""
        try:
            return parse(self.expr)
        except ValueError:
            return None

    def texts(self, key: str) -> Mapping[str, Any]:
        """Return `labels` or `annotations`, empty when there are none."""
        found = self.data.get(key)
        return found if isinstance(found, dict) else {}

    def seconds(self, key: str) -> float:
        """Return `for` or `keep_firing_for` in seconds, 0 when it is not there or not a duration."""
        return duration_seconds(self.data.get(key)) or 0

    def at(self, *steps: str | int) -> Path:
        """Return the path of something inside the rule."""
        return (*self.path, *steps)


@dataclass(frozen=True, slots=True)
class GroupView:
    """One group: its rules and where it stands."""

    document: Document
    path: Path
    data: Mapping[str, Any]
    rules: tuple[RuleView, ...]


@dataclass(frozen=True, slots=True)
class RuleFile:
    """A document that holds rules. `manifest` says that it is a PrometheusRule object."""

    document: Document
    groups: tuple[GroupView, ...]
    manifest: bool

    @property
    def rules(self) -> Iterator[RuleView]:
        """Yield every rule."""
        for group in self.groups:
            yield from group.rules


def is_rule_file(document: Document) -> bool:
    """Return whether a document is a rule file or a PrometheusRule."""
    data = document.data
    if not isinstance(data, dict):
        return False
    if data.get("kind") == "PrometheusRule":
        return True
    return "kind" not in data and isinstance(data.get("groups"), list)


def rule_file(document: Document) -> RuleFile:
    """Return the view of a document for which `is_rule_file` holds."""
    manifest = document.data.get("kind") == "PrometheusRule"
    base: Path = ("spec", "groups") if manifest else ("groups",)
    spec = document.data.get("spec") if manifest else document.data
    found = spec.get("groups") if isinstance(spec, dict) else None
    groups = tuple(
        _group(document, (*base, index), item)
        for index, item in enumerate(found if isinstance(found, list) else ())
        if isinstance(item, dict)
    )
    return RuleFile(document, groups, manifest)


def _group(document: Document, path: Path, data: Mapping[str, Any]) -> GroupView:
    rules = data.get("rules")
    return GroupView(
        document,
        path,
        data,
        tuple(
            RuleView(document, (*path, "rules", index), item)
            for index, item in enumerate(rules if isinstance(rules, list) else ())
            if isinstance(item, dict)
        ),
    )


def duration_seconds(value: object) -> float | None:
    """Return the seconds of a Prometheus duration such as `1h30m`, or None when it is not one (`1.5h`, `300`)."""
    text = value if isinstance(value, str) else "0" if value == 0 and not isinstance(value, bool) else ""
    if not text or not _DURATION.match(text):
        return None
    return sum(int(amount) * _SECONDS[unit] for amount, unit in _PART.findall(text))
