"""Checks of PrometheusRule objects: whether a Prometheus picks them up, and whether they fit."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from obs.checks.rules.rule import Facts, Flaw, RuleCheck, page
from obs.checks.rules.view import RuleFile
from obs.documents.dump import to_json
from obs.model.finding import Severity

APPLY_LIMIT = 256 * 1024
"""Bytes that `kubectl apply` can keep of an object in its last-applied annotation (Kubernetes, annotations)."""

FILE_LIMIT = 512 * 1024
"""Bytes of one rule file past which the Prometheus operator fails as a whole (prometheus-operator issue 6478)."""


def _selected(file: RuleFile, facts: Facts) -> Iterator[Flaw]:
    if not file.manifest:
        return
    metadata: Any = file.document.data.get("metadata")
    labels = metadata.get("labels") if isinstance(metadata, dict) else None
    labels = labels if isinstance(labels, dict) else {}
    path = ("metadata", "labels") if labels else ("metadata",)
    if facts.rule_labels is None:
        if not labels:
            message = "the object has no labels: a ruleSelector that matches labels does not find it"
            yield Flaw(
                path, message, "set those that your Prometheus selects, on metadata.labels", _name(file)
            )
        return
    missing = {key: value for key, value in facts.rule_labels.items() if labels.get(key) != value}
    if missing:
        shown = ", ".join(f"{key}={value}" for key, value in sorted(missing.items()))
        yield Flaw(
            path,
            f"metadata.labels lacks {shown}, which the ruleSelector matches: the rules are never loaded",
            "labels of the rules do not count; also check ruleNamespaceSelector",
            _name(file),
            Severity.ERROR,
        )


def _name(file: RuleFile) -> str:
    metadata = file.document.data.get("metadata")
    return str(metadata.get("name", "")) if isinstance(metadata, dict) else ""


def _size(file: RuleFile, facts: Facts) -> Iterator[Flaw]:
    del facts
    if not file.manifest:
        return
    size = len(to_json(file.document.data.get("spec"), indent=None))
    if size > APPLY_LIMIT:
        over = size > FILE_LIMIT
        effect = "the operator fails on it" if over else "kubectl apply without --server-side refuses it"
        yield Flaw(
            ("spec",),
            f"the rules take {size // 1024} KiB: {effect}",
            "split it by groups into several objects",
            _name(file),
            Severity.ERROR if over else None,
        )


_HEAD = "apiVersion: monitoring.coreos.com/v1\nkind: PrometheusRule\nmetadata:\n  name: example\n"
_SPEC = (
    "spec:\n  groups:\n  - name: example\n    rules:\n    - alert: AgentExample\n      expr: up == 0\n"
    "      labels:\n        release: prometheus\n"
)


_LABELLED = f"{_HEAD}  labels:\n    release: prometheus\n{_SPEC}"


CHECKS = (
    RuleCheck(
        page(
            "OBS640",
            "not-selected",
            Severity.INFO,
            "A PrometheusRule lacks the labels that a Prometheus selects.",
            """The operator loads the objects that ruleSelector matches, by their metadata. An object without
            the label
            is applied without complaint and never loaded.""",
            bad=_HEAD + _SPEC,
            good=_LABELLED,
            remedy="Set the labels on metadata.labels; obs.yaml names them under prometheus.rule_labels.",
        ),
        _selected,
    ),
    RuleCheck(
        page(
            "OBS641",
            "object-too-large",
            Severity.WARNING,
            "A PrometheusRule is larger than what can be applied.",
            """To apply an object, kubectl keeps a copy in an annotation of at most 256 KiB. Above 512 KiB the
            operator refuses to
            write the rule file, and with it every other one.""",
            bad=_LABELLED + "    # ... and five thousand more rules\n",
            good=_LABELLED,
            remedy="Split it by groups into several objects.",
        ),
        _size,
    ),
)
