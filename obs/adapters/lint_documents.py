"""Reads YAML documents and judges what is in them: ScaledObjects with the workloads beside them, and rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from obs.adapters.files import read_text
from obs.adapters.lint import Outcome
from obs.adapters.registries import Inputs, load_registry, load_semantics
from obs.adapters.resources import data_folder
from obs.checks.rules import check_rules
from obs.checks.rules.rule import Facts as RuleFacts
from obs.checks.rules.view import is_rule_file
from obs.checks.scaling import check_scaled_objects
from obs.checks.scaling.reading import is_scaled_object, unrolled
from obs.checks.scaling.rule import Facts
from obs.documents.load import Document, load_all_yaml, load_yaml
from obs.errors import NothingObservedError, ObsError, Problem
from obs.model.config import Config
from obs.model.finding import Finding
from obs.model.metric import Registry
from obs.model.report import TargetResult
from obs.promql.catalog import Catalog, catalog, platform_series

MAX_EXCERPT = 300
"""Characters of a source line that a finding carries: enough to see the key, whatever stands in its value."""


def lint_documents(paths: Sequence[Path], registry: Registry | None, config: Config | None = None) -> Outcome:
    """Return the judgement of each file; the documents of all files are judged together.

    `config` says how often Prometheus scrapes and which labels its ruleSelector matches. A file that is not YAML, or
    empty, is an error of the outcome, and so it is when no file holds a ScaledObject or rules.
    """
    documents: list[Document] = []
    texts: dict[str, list[str]] = {}
    errors: list[ObsError] = []
    for path in paths:
        try:
            text = read_text(path)
            documents += _documents(text, str(path))
        except ObsError as error:
            errors.append(error)
        else:
            texts[str(path)] = text.splitlines()
    if texts and not any(is_scaled_object(document) or is_rule_file(document) for document in documents):
        message = "there is no ScaledObject to judge, and no rules"
        problem = Problem(", ".join(texts), message, "give the file of one; workloads go beside it")
        errors.append(NothingObservedError([problem]))
        texts = {}
    findings = [
        _with_excerpt(finding, texts)
        for finding in (_findings(documents, _catalog(registry), registry, config) if texts else ())
    ]
    targets = tuple(
        TargetResult(
            source,
            tuple(finding for finding in findings if finding.location.source == source),
            size=Path(source).stat().st_size,
            body=False,
        )
        for source in texts
    )
    return Outcome(targets, tuple(errors))


def _documents(text: str, source: str) -> list[Document]:
    found = load_all_yaml(text, source)
    if not any(document.data for document in found):
        raise NothingObservedError([Problem(source, "holds no document", "check the path")])
    return [item for document in found for item in unrolled(document)]


def _findings(
    documents: Sequence[Document], known: Catalog, registry: Registry | None, config: Config | None
) -> tuple[Finding, ...]:
    prefix = registry.prefix if registry else "agent_"
    scaling = Facts(known, prefix=prefix)
    rules = RuleFacts(known, prefix)
    if config is not None:
        prometheus = config.prometheus
        rules = RuleFacts(known, prefix, prometheus.scrape_interval, prometheus.rule_labels)
    return (*check_scaled_objects(documents, scaling), *check_rules(documents, rules))


def _with_excerpt(finding: Finding, texts: Mapping[str, list[str]]) -> Finding:
    """Return the finding with its source line, at most MAX_EXCERPT characters of it."""
    lines = texts[finding.location.source]
    line = lines[finding.location.line - 1] if 0 < finding.location.line <= len(lines) else ""
    return replace(finding, excerpt=line[:MAX_EXCERPT])


def _catalog(registry: Registry | None) -> Catalog:
    inputs = Inputs()
    known = registry or load_registry(inputs, load_semantics(inputs))
    name = "registry/platform.yaml"
    return catalog(known, platform_series(load_yaml(read_text(data_folder() / name), name).data))
