"""Rules: recording rules and alerts as plain files and as PrometheusRule objects, with unit tests and runbooks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from obs.documents.dump import to_yaml
from obs.documents.longyaml import to_long_yaml
from obs.emit.base import header, object_metadata
from obs.emit.rules.alertmanager import alertmanager
from obs.emit.rules.cases import Case, cases_of
from obs.emit.rules.documents import packed, rule_file, test_file
from obs.emit.rules.runbooks import runbooks
from obs.emit.rules.settle import Alert, Group, RuleSet, rule_set
from obs.emit.rules.timeline import Scale
from obs.model.artifact import Artifact, ArtifactKind
from obs.model.rule import AlertRule, RecordingRule, RuleGroup
from obs.promql.check import series_in
from obs.specs.expressions import clock_of, with_budgets
from obs.specs.sources import Sources

OBJECT_LIMIT = 200_000
"""Bytes of rules in one PrometheusRule: kubectl apply keeps a copy in an annotation of at most 256 KiB, and the
operator fails as a whole on a rule file above 512 KiB (prometheus-operator issues 6478 and 1472)."""


OVERHEAD = 200
"""Bytes of a rule besides its expression and annotations, rounded up."""


class RulesEmitter:
    """Everything under rules/, and a runbook for each alert."""

    kind: ClassVar[ArtifactKind] = ArtifactKind.RULES

    def emit(self, sources: Sources) -> Iterator[Artifact]:
        """Yield the rule files, the objects, the unit tests, the runbooks and the Alertmanager example."""
        rules = rule_set(sources.alerts, sources)
        yield from _rule_files(rules, sources)
        yield from _tests(rules, sources)
        yield Artifact(
            ArtifactKind.RULES,
            "rules/alertmanager.yaml",
            to_yaml(alertmanager(rules.alerts), header=header(sources)),
            summary="routes by severity, and which alert silences which: an Alertmanager configuration to start from",
        )
        yield from runbooks(rules, sources)


def recording_groups(rules: RuleSet, interval: int) -> tuple[RuleGroup, ...]:
    """Return the groups of recording rules, named so that no alert group has the same name."""
    return tuple(
        RuleGroup(f"obs-{group.name}.records", interval, group.records)
        for group in rules.groups
        if group.records
    )


def alert_groups(rules: RuleSet, interval: int) -> tuple[RuleGroup, ...]:
    """Return the groups of alerts; one that no object could hold is continued in a second group."""
    return tuple(
        RuleGroup(f"obs-{group.name}{f'-{number}' if number > 1 else ''}.alerts", interval, part)
        for group in rules.groups
        for number, part in enumerate(_parts(group), 1)
    )


def _parts(group: Group) -> Iterator[tuple[AlertRule, ...]]:
    """Yield the rules of a group in runs that fit an object each."""
    rules = [rule for alert in group.alerts for rule in alert.rules]
    yield from packed(rules, map(_size, rules), OBJECT_LIMIT)


def _size(rule: AlertRule | RecordingRule) -> int:
    """Return about how many bytes a rule takes in an object, rather too many."""
    words = len(str(rule.annotations)) if isinstance(rule, AlertRule) else 0
    return 2 * len(rule.expr) + words + OVERHEAD


def _rule_files(rules: RuleSet, sources: Sources) -> Iterator[Artifact]:
    interval = sources.config.prometheus.evaluation_interval
    records, alerts = recording_groups(rules, interval), alert_groups(rules, interval)
    yield Artifact(
        ArtifactKind.RULES,
        "rules/recording.yaml",
        to_yaml(rule_file(records), header=header(sources)),
        summary="recording rules for a plain Prometheus",
        uses=tuple(_uses(rule for group in records for rule in group.rules)),
    )
    yield Artifact(
        ArtifactKind.RULES,
        "rules/alerts.yaml",
        to_yaml(rule_file(alerts), header=header(sources)),
        summary="alerts for a plain Prometheus",
        uses=tuple(_uses(rule for group in alerts for rule in group.rules)),
    )
    if records or alerts:
        yield Artifact(
            ArtifactKind.RULES,
            "rules/prometheusrule.yaml",
            to_yaml(*_objects((*records, *alerts), sources), header=header(sources)),
            kubernetes=True,
            summary="the same rules as PrometheusRule objects",
        )


def _uses(rules: Iterator[AlertRule | RecordingRule]) -> Iterator[tuple[str, str]]:
    for rule in rules:
        place = f"alert {rule.name}" if isinstance(rule, AlertRule) else f"recording rule {rule.name}"
        yield from ((series, place) for series in series_in(rule.expr))


def _objects(groups: tuple[RuleGroup, ...], sources: Sources) -> Iterator[dict[str, Any]]:
    sizes = [sum(map(_size, group.rules)) for group in groups]
    for index, pack in enumerate(packed(groups, sizes, OBJECT_LIMIT)):
        name = "obs-agents" if index == 0 else f"obs-agents-{index + 1}"
        labels = dict(sources.config.prometheus.rule_labels)
        yield {
            "apiVersion": "monitoring.coreos.com/v1",
            "kind": "PrometheusRule",
            "metadata": object_metadata(sources, name, sources.config.kubernetes.namespace, labels),
            "spec": rule_file(pack),
        }


def _tests(rules: RuleSet, sources: Sources) -> Iterator[Artifact]:
    known = with_budgets(sources.thresholds, sources.registry)
    clock = clock_of(sources.config)
    numbers = {name: threshold.value for name, threshold in known.items()}
    scale = Scale(clock, {**numbers, "scrape": clock.scrape})
    for group in rules.groups:
        cases = [
            case for alert in group.alerts for case in cases_of(alert, rules.resolver, scale, sources.config)
        ]
        if cases:
            yield Artifact(
                ArtifactKind.RULES,
                f"rules/tests/{group.name}.yaml",
                to_long_yaml(_test_document(cases, scale.clock.test_evaluation), header=header(sources)),
                summary=f"{len(cases)} unit tests of the alerts on {group.title.lower()}, for promtool",
            )


def _test_document(cases: list[Case], evaluation: int) -> dict[str, Any]:
    return test_file(cases, evaluation=evaluation, rule_files=("../recording.yaml", "../alerts.yaml"))


__all__ = ["Alert", "RulesEmitter", "alert_groups", "recording_groups"]
