"""Text of a metrics registry to a frozen model, or every problem it has, each with its JSON path.

The shape is the published one: open objects (unknown keys are tolerated, law L1), an unknown MAJOR of `metrics_schema`
is refused and a newer MINOR accepted (law L3).
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Any, TypeVar

from obs.documents.load import load_json
from obs.documents.suggest import did_you_mean
from obs.errors import InvalidInputError, Problem, RegistryInvalidError
from obs.model.metric import (
    OVERFLOW,
    TARGET_LABELS,
    Domain,
    DomainKind,
    Kind,
    Label,
    Metric,
    Registry,
    Status,
    Unit,
)
from obs.registry.semantics import SemanticsTable

SUPPORTED_MAJOR = 1
"""The metrics_schema major this code understands."""

NO_OVERFLOW_DOMAINS = frozenset({"token_type"})
"""Closed domains without an overflow slot (contract section 6.1)."""

MAX_NAME = 200
"""Longest metric, label or value name accepted: file names, uids and rule names are derived from them."""

_NAME = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*\Z")
_VERSION = re.compile(r"(\d{1,6})\.(\d{1,6})\Z")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_HISTOGRAM_SUFFIXES = ("_bucket", "_sum", "_count")
_E = TypeVar("_E", bound=StrEnum)


def parse_registry(text: str, source: str, semantics: SemanticsTable) -> Registry:
    """Return the registry in `text`, each metric joined with its semantics (defaults where the table has none).

    Raise RegistryInvalidError with every problem: the JSON path, the value seen and the remedy.
    """
    try:
        data = load_json(text, source)
    except InvalidInputError as error:
        raise RegistryInvalidError(error.problems) from error
    return _Parser(source).parse(data, semantics)


def canonical_sha256(data: Mapping[str, Any]) -> str:
    """Return the sha256 of a registry's content: the order of keys, metrics and subsets does not change it."""
    ordered = dict(data)
    ordered["metrics"] = sorted(
        (
            {**metric, "labels": sorted(metric["labels"], key=lambda label: str(label["key"]))}
            for metric in data["metrics"]
        ),
        key=lambda metric: str(metric["name"]),
    )
    for key in ("autoscaling_signal_subset", "cost_token_subset"):
        if key in ordered:
            ordered[key] = sorted(ordered[key])
    text = json.dumps(ordered, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


class _Parser:
    """Collects problems while it reads; nothing is returned when there is one."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.problems: list[Problem] = []

    def parse(self, data: Any, semantics: SemanticsTable) -> Registry:
        if not isinstance(data, dict):
            self._say(
                "$",
                f"a registry is an object, this is {_kind_of(data)}",
                "see registry/metrics.registry.json",
            )
            raise RegistryInvalidError(self.problems)
        version = self._version(data)
        prefix = self._prefix(data)
        domains = self._domains(data.get("closed_label_domains", {}))
        records = self._records(data, prefix, domains)
        self._check_names(records)
        self._check_subset(data, records, "autoscaling_signal_subset", "autoscaling_signal")
        self._check_subset(data, records, "cost_token_subset", "cost_signal")
        if self.problems:
            raise RegistryInvalidError(self.problems)
        metrics = tuple(
            semantics.join(metric, prefix)
            for _, metric in sorted(records.items(), key=lambda item: item[1].name)
        )
        return Registry(
            metrics=metrics,
            domains=tuple(domains[name] for name in sorted(domains)),
            prefix=prefix,
            version=version,
            contract_version=_text(data.get("x-contract-version")),
            sha256=canonical_sha256(data),
            groups=semantics.groups_of(metrics),
            forbidden_labels=semantics.forbidden_labels,
            cardinality_rule=_text(data.get("cardinality_rule")),
            title=_text(data.get("title")),
        )

    def _say(self, path: str, message: str, remedy: str = "") -> None:
        self.problems.append(Problem(f"{self.source}: {path}", message, remedy))

    def _version(self, data: dict[str, Any]) -> tuple[int, int]:
        value = data.get("metrics_schema")
        match = _VERSION.match(value) if isinstance(value, str) else None
        if match is None:
            self._say("$.metrics_schema", f"{_seen(value)} is not `major.minor`", 'write for example "1.0"')
            return (SUPPORTED_MAJOR, 0)
        major, minor = int(match[1]), int(match[2])
        if major != SUPPORTED_MAJOR:
            self._say(
                "$.metrics_schema",
                f"major {major} is not known, this version of obs reads major {SUPPORTED_MAJOR} (law L3)",
                "use a version of obs that knows it",
            )
        return (major, minor)

    def _prefix(self, data: dict[str, Any]) -> str:
        holder = data.get("prefix")
        value = holder.get("neutral") if isinstance(holder, dict) else None
        if not isinstance(value, str) or not _NAME.match(value) or len(value) > MAX_NAME:
            self._say(
                "$.prefix.neutral", f"{_seen(value)} is not a name prefix", 'write for example "agent_"'
            )
            return ""
        return value

    def _domains(self, data: Any) -> dict[str, Domain]:
        if not isinstance(data, dict):
            self._say("$.closed_label_domains", f"must be an object of lists, is {_kind_of(data)}")
            return {}
        return {name: self._domain(name, values) for name, values in data.items()}

    def _domain(self, name: str, values: Any) -> Domain:
        path = f"$.closed_label_domains.{name}"
        if name in (DomainKind.OPEN, DomainKind.OPEN_BOUNDED):
            self._say(path, f"`{name}` is the name of a domain kind", "choose another name")
        if not isinstance(values, list) or not values:
            self._say(path, f"must be a list of at least one value, is {_kind_of(values)}")
            return Domain(name, DomainKind.CLOSED)
        seen: list[str] = []
        for index, value in enumerate(values):
            if not isinstance(value, str) or not value or _CONTROL.search(value) or len(value) > MAX_NAME:
                self._say(
                    f"{path}[{index}]", f"{_seen(value)} is not a label value", "use short printable text"
                )
            elif value in seen:
                self._say(f"{path}[{index}]", f"value `{value}` stands in the domain twice", "keep one")
            else:
                seen.append(value)
        if OVERFLOW not in seen and name not in NO_OVERFLOW_DOMAINS:
            self._say(
                path, f"closed domain without the overflow value `{OVERFLOW}`: {_seen(values)}", "append it"
            )
        return Domain(name, DomainKind.CLOSED, tuple(seen))

    def _records(self, data: dict[str, Any], prefix: str, domains: dict[str, Domain]) -> dict[int, Metric]:
        metrics = data.get("metrics")
        if not isinstance(metrics, list) or not metrics:
            self._say("$.metrics", f"must be a list of at least one metric, is {_kind_of(metrics)}")
            return {}
        found = {}
        for index, record in enumerate(metrics):
            path = f"$.metrics[{index}]"
            if not isinstance(record, dict):
                self._say(path, f"must be an object, is {_kind_of(record)}")
                continue
            before = len(self.problems)
            metric = self._metric(record, path, prefix, domains)
            if len(self.problems) == before and metric is not None:
                found[index] = metric
        return found

    def _metric(
        self, record: dict[str, Any], path: str, prefix: str, domains: dict[str, Domain]
    ) -> Metric | None:
        name = self._name(record, path, prefix)
        kind = self._enum(Kind, record, path, "type")
        status = self._enum(Status, record, path, "status")
        unit = self._enum(Unit, record, path, "unit")
        labels = self._labels(record.get("labels"), f"{path}.labels", kind, domains)
        if kind is Kind.COUNTER and name and not name.endswith("_total"):
            self._say(f"{path}.name", f"counter `{name}` does not end in `_total`", f"call it `{name}_total`")
        flags = {key: self._flag(record, path, key) for key in ("autoscaling_signal", "cost_signal")}
        aliases = self._aliases(record.get("aliases_scaling", []), f"{path}.aliases_scaling")
        help_text = self._help(record.get("help"), f"{path}.help")
        if kind is None or status is None or unit is None or not name:
            return None
        return SemanticsTable.bare(
            name=name,
            kind=kind,
            labels=labels,
            unit=unit,
            help=help_text,
            status=status,
            source=_text(record.get("source")),
            note=_text(record.get("note")),
            scaling_role=_text(record.get("scaling_role")),
            aliases=aliases,
            **flags,
        )

    def _name(self, record: dict[str, Any], path: str, prefix: str) -> str:
        name = record.get("name")
        if not isinstance(name, str) or not _NAME.match(name) or len(name) > MAX_NAME:
            self._say(
                f"{path}.name", f"{_seen(name)} is not a metric name", "use letters, digits and underscores"
            )
            return ""
        if not name.startswith(prefix) or name == prefix:
            self._say(
                f"{path}.name",
                f"`{name}` lacks the prefix `{prefix}` of $.prefix.neutral",
                f"call it `{prefix}{name}`",
            )
        neutral = record.get("neutral_name", name)
        if neutral != name:
            self._say(
                f"{path}.neutral_name", f"{_seen(neutral)} differs from the name `{name}`", "make them equal"
            )
        return name

    def _enum(self, enum: type[_E], record: dict[str, Any], path: str, key: str) -> _E | None:
        value = record.get(key)
        known = [str(member) for member in enum]
        if isinstance(value, str) and value in known:
            return enum(value)
        hint = did_you_mean(value, known) if isinstance(value, str) else ""
        words = ", ".join(f"`{word}`" for word in known)
        self._say(
            f"{path}.{key}", f"unknown {key} {_seen(value)}, one of {words}", hint if "mean" in hint else ""
        )
        return None

    def _flag(self, record: dict[str, Any], path: str, key: str) -> bool:
        value = record.get(key)
        if not isinstance(value, bool):
            self._say(f"{path}.{key}", f"{_seen(value)} is not true or false")
            return False
        return value

    def _help(self, value: Any, path: str) -> str:
        if not isinstance(value, str) or not value.strip():
            self._say(path, f"{_seen(value)} is not a HELP text", "say in one sentence what is counted")
            return ""
        return _CONTROL.sub(" ", value).strip()

    def _aliases(self, value: Any, path: str) -> tuple[str, ...]:
        if not isinstance(value, list) or not all(
            isinstance(alias, str) and _NAME.match(alias) for alias in value
        ):
            self._say(path, f"{_seen(value)} is not a list of metric names")
            return ()
        return tuple(value)

    def _labels(
        self, value: Any, path: str, kind: Kind | None, domains: dict[str, Domain]
    ) -> tuple[Label, ...]:
        if not isinstance(value, list):
            self._say(path, f"must be a list, is {_kind_of(value)}", "write [] for a metric without labels")
            return ()
        labels: dict[str, Label] = {}
        for index, item in enumerate(value):
            label = self._label(item, f"{path}[{index}]", kind, domains)
            if label is None:
                continue
            if label.key in labels:
                self._say(f"{path}[{index}].key", f"label `{label.key}` stands here twice", "keep one")
            labels[label.key] = label
        return tuple(labels[key] for key in sorted(labels))

    def _label(self, item: Any, path: str, kind: Kind | None, domains: dict[str, Domain]) -> Label | None:
        if not isinstance(item, dict):
            self._say(path, f"must be an object with `key` and `domain`, is {_kind_of(item)}")
            return None
        key, domain = item.get("key"), self._domain_of(item.get("domain"), f"{path}.domain", domains)
        if not isinstance(key, str) or not _NAME.match(key) or key.startswith("__") or len(key) > MAX_NAME:
            self._say(
                f"{path}.key", f"{_seen(key)} is not a label name", "use letters, digits and underscores"
            )
            return None
        if key in TARGET_LABELS:
            self._say(f"{path}.key", f"`{key}` is a label that the scrape attaches", "choose another name")
        if key == "quantile" or (key == "le" and kind is Kind.HISTOGRAM):
            self._say(f"{path}.key", f"`{key}` is reserved by the exposition format", "choose another name")
        return Label(key, domain) if domain else None

    def _domain_of(self, value: Any, path: str, domains: dict[str, Domain]) -> Domain | None:
        if value == DomainKind.OPEN:
            return Domain("open", DomainKind.OPEN)
        if value == DomainKind.OPEN_BOUNDED:
            return Domain("open_bounded", DomainKind.OPEN_BOUNDED)
        if isinstance(value, str) and value in domains:
            return domains[value]
        known = [*domains, str(DomainKind.OPEN), str(DomainKind.OPEN_BOUNDED)]
        hint = did_you_mean(value, known) if isinstance(value, str) else ""
        self._say(path, f"label domain {_seen(value)} does not exist in $.closed_label_domains", hint)
        return None

    def _check_names(self, records: dict[int, Metric]) -> None:
        """No two metrics may claim one series name: neither twice, nor as an alias, nor as part of a histogram."""
        first: dict[str, int] = {}
        for index, metric in records.items():
            if metric.name in first:
                path = f"$.metrics[{index}].name"
                self._say(
                    path,
                    f"duplicate name `{metric.name}`, first at $.metrics[{first[metric.name]}]",
                    "keep one",
                )
            first.setdefault(metric.name, index)
        for index, metric in records.items():
            for position, alias in enumerate(metric.aliases):
                if alias in first:
                    path = f"$.metrics[{index}].aliases_scaling[{position}]"
                    self._say(
                        path,
                        f"alias `{alias}` is also the metric $.metrics[{first[alias]}]",
                        "drop the alias",
                    )
            if metric.kind is Kind.HISTOGRAM:
                self._check_histogram_parts(index, metric, first)

    def _check_histogram_parts(self, index: int, metric: Metric, first: dict[str, int]) -> None:
        for suffix in _HISTOGRAM_SUFFIXES:
            if metric.name + suffix in first:
                other = first[metric.name + suffix]
                self._say(
                    f"$.metrics[{other}].name",
                    f"`{metric.name}{suffix}` is also a series of the histogram $.metrics[{index}]",
                    "rename one of them",
                )

    def _check_subset(self, data: dict[str, Any], records: dict[int, Metric], subset: str, flag: str) -> None:
        """The named subset and the flags of the metrics must agree.

        A provisional metric may carry the flag outside the subset (agent_tokens_per_sec does in 1.0). A gauge may be
        left out of the token subset, which names what is counted.
        """
        listed = data.get(subset, [])
        if not isinstance(listed, list) or not all(isinstance(name, str) for name in listed):
            self._say(f"$.{subset}", f"must be a list of metric names, is {_kind_of(listed)}")
            return
        by_name = {metric.name: (index, metric) for index, metric in records.items()}
        for position, name in enumerate(listed):
            path = f"$.{subset}[{position}]"
            if name in listed[:position]:
                self._say(path, f"`{name}` stands in the list twice", "keep one")
            elif name not in by_name:
                if not self.problems or name not in _names_in(data):
                    self._say(path, f"`{name}` is not a metric of this registry", did_you_mean(name, by_name))
            elif not getattr(by_name[name][1], flag):
                self._say(
                    path, f"`{name}` is listed, but its `{flag}` is false", "set the flag or drop it here"
                )
        for name, (index, metric) in by_name.items():
            exempt = metric.status is Status.PROVISIONAL or (
                flag == "cost_signal" and metric.kind is Kind.GAUGE
            )
            if getattr(metric, flag) and name not in listed and not exempt:
                path = f"$.metrics[{index}].{flag}"
                self._say(
                    path, f"is true, but `{name}` is not in $.{subset}", "add it there or clear the flag"
                )


def _names_in(data: dict[str, Any]) -> set[str]:
    """Return the names of all records, the broken ones included, whose own problems have been said."""
    records = data.get("metrics")
    return (
        {str(record.get("name")) for record in records if isinstance(record, dict)}
        if isinstance(records, list)
        else set()
    )


def _text(value: Any) -> str:
    return _CONTROL.sub(" ", value) if isinstance(value, str) else ""


def _kind_of(value: Any) -> str:
    if value is None:
        return "missing"
    if isinstance(value, list | dict) and not value:
        return "empty"
    names = {
        dict: "an object",
        list: "a list",
        str: "text",
        bool: "a boolean",
        int: "a number",
        float: "a number",
    }
    return names.get(type(value), type(value).__name__)


def _seen(value: Any) -> str:
    if value is None:
        return "nothing"
    text = value if isinstance(value, str) else json.dumps(value)
    text = _CONTROL.sub("?", text)
    return f"`{text[:60]}…`" if len(text) > 60 else f"`{text}`"
