"""Checks of names and of texts that YAML takes for something else."""

from __future__ import annotations

import re
from collections.abc import Iterator

from obs.checks.rules.rule import Facts, Flaw, RuleCheck, alert, page, record
from obs.checks.rules.view import RuleFile
from obs.model.finding import Severity

_METRIC = re.compile(r"[a-zA-Z_:][a-zA-Z0-9_:]*\Z")
_LABEL = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*\Z")
_RESERVED = ("alertname", "alertstate", "__name__")


def _not_text(file: RuleFile, facts: Facts) -> Iterator[Flaw]:
    del facts
    for rule in file.rules:
        for part in ("labels", "annotations"):
            for key, value in rule.texts(part).items():
                if not isinstance(value, str):
                    shown = str(value).lower() if isinstance(value, bool) else value
                    yield Flaw(
                        rule.at(part, key),
                        f"`{key}` is {_kind(value)} here, not text: YAML reads the unquoted word as `{shown}`",
                        "put the value in quotes",
                        rule.name,
                    )


def _kind(value: object) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "true or false"
    return "a number" if isinstance(value, int | float) else f"a {type(value).__name__}"


def _names(file: RuleFile, facts: Facts) -> Iterator[Flaw]:
    del facts
    for rule in file.rules:
        name = rule.name
        if name and not rule.is_alert and not _METRIC.match(name):
            hint = "labels go under `labels:`" if "{" in name else "use letters, digits, _ and :"
            yield Flaw(rule.at("record"), f"`{name}` is not the name of a series", hint, name)
        elif not rule.is_alert and (name.startswith(":") or name.endswith(":")):
            hint = "name it level:metric:operation"
            yield Flaw(
                rule.at("record"), f"`{name}` begins or ends with a colon", hint, name, Severity.WARNING
            )
        for label in rule.texts("labels"):
            if not _LABEL.match(label) or label in _RESERVED:
                why = "is set by Prometheus itself" if label in _RESERVED else "is not the name of a label"
                hint = "drop it" if label in _RESERVED else "use letters, digits and _"
                yield Flaw(rule.at("labels", label), f"`{label}` {why}", hint, name)


CHECKS = (
    RuleCheck(
        page(
            "OBS602",
            "text-not-quoted",
            Severity.ERROR,
            "A label or annotation is a number or a boolean to YAML.",
            """Words such as `No`, `yes`, `on` and `1` without quotes are not text in YAML 1.1. promtool
            accepts the file; the API
            server refuses the PrometheusRule, or the annotation says `false`.""",
            bad=alert("up == 0", "annotations:", "  summary: No"),
            good=alert("up == 0", "annotations:", '  summary: "No"'),
            remedy="Put the value in quotes.",
        ),
        _not_text,
    ),
    RuleCheck(
        page(
            "OBS603",
            "invalid-name",
            Severity.ERROR,
            "A recorded series or a label of a rule has a name that Prometheus refuses.",
            """One such rule keeps the whole file from being loaded. Names that only Prometheus 3 accepts are flagged
            too: nothing before it, and few tools beside it, can ask for them.""",
            bad=record('fleet_agents{state="up"}', "count(up)"),
            good=record("fleet:agents:count", "count(up)"),
            remedy="Use letters, digits and underscores; colons only in the names of recorded series.",
        ),
        _names,
    ),
)
