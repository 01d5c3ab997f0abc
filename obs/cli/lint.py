"""`obs lint`: bodies of metrics and ScaledObjects are judged, and CI fails on what is wrong."""

from __future__ import annotations

import gc
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from obs.cli.gate import Gate, conclude
from obs.cli.lint_arguments import read_arguments, words
from obs.errors import Problem, UsageError
from obs.model.finding import Severity

if TYPE_CHECKING:
    from argparse import Namespace

    from obs.adapters.lint import Outcome, Plan
    from obs.checks.budgets import Budgets
    from obs.checks.catalogue import Entry
    from obs.cli.choice import Choice
    from obs.model.check import CheckDoc
    from obs.model.config import Config
    from obs.model.metric import Registry
    from obs.model.report import TargetResult

_YAML = (".yaml", ".yml")


def run(arguments: Sequence[str]) -> int:
    """Run `obs lint` with `arguments`; return the exit code. Raises an ObsError for what cannot be done."""
    from obs.cli.choice import choose

    asked = read_arguments(arguments)
    choice = choose(words(asked.select), words(asked.ignore))
    if asked.list:
        _list(choice)
        return 0
    severity = Severity.from_word(asked.fail_on)
    gate = Gate(asked.format, severity, asked.config, asked.baseline, asked.update_baseline)
    _refuse_contradictions(asked)
    collecting = gc.isenabled()
    gc.disable()  # a run is short and makes hardly any cycles; looking for them costs a tenth of it
    try:
        return _judge(asked.inputs, choice, _plan(asked, choice.bodies), gate)
    finally:
        if collecting:
            gc.enable()


def _plan(asked: Namespace, checks: tuple[Entry, ...]) -> Plan:
    from obs.adapters.lint import Plan
    from obs.adapters.scrape_access import Access
    from obs.checks.check import Profile
    from obs.checks.engine import Options
    from obs.exposition import Limits

    registry, budgets = _registry(asked.registry, checks), _budgets(asked.rules)
    _warn_of_other_registry(registry, budgets)
    secrets = (asked.bearer_token_file, asked.cert, asked.key, asked.ca)
    return Plan(
        options=Options(checks, Profile(asked.profile), budgets),
        registry=registry,
        limits=Limits(max_bytes=asked.max_bytes, max_series=asked.max_series),
        access=Access(asked.timeout, asked.max_bytes, *secrets),
        content_type=asked.content_type,
        before=asked.before,
    )


def _warn_of_other_registry(registry: Registry | None, budgets: Budgets | None) -> None:
    """Say when the rules were generated from another registry than the one that judges: both cannot be meant."""
    made_from = budgets.registry_sha256 if budgets else ""
    if budgets and registry and made_from and made_from != registry.sha256:
        said = f"made from a registry with sha256 {made_from[:12]}..., this one has {registry.sha256[:12]}..."
        print(f"obs: {budgets.source}: {said}; run obs generate again", file=sys.stderr)


def _list(choice: Choice) -> None:
    from obs.checks.check import Check
    from obs.cli.known import document_checks

    for entry in choice.bodies:
        check = entry.load()
        consumer = check.consumer if isinstance(check, Check) else None
        shown = check.doc.severity.word + (f" (consumer: {consumer.word})" if consumer else "")
        print(f"{entry.code}\t{entry.slug}\t{entry.category}\t{shown}\t{check.doc.summary}")
    for doc in filter(choice.takes, document_checks()):
        print(f"{doc.code}\t{doc.slug}\t{doc.category}\t{doc.severity.word}\t{doc.summary}")


def _refuse_contradictions(asked: Namespace) -> None:
    """Refuse what cannot be meant, rather than judge something else than was asked for."""
    problems = []
    if not asked.inputs:
        problems.append(Problem("", "no input", "name a file or a URL, or `-` for the standard input"))
    if [*asked.inputs, asked.before].count("-") > 1:
        problems.append(Problem("-", "the standard input can be read once", "save it to files"))
    if asked.key and not asked.cert:
        problems.append(Problem("--key", "a key without a certificate", "add --cert FILE"))
    if asked.before and len(asked.inputs) != 1:
        problems.append(
            Problem("--before", f"goes with one body, not {len(asked.inputs)}", "run once for each")
        )
    if problems:
        raise UsageError(problems)


def _registry(path: Path | None, checks: tuple[Entry, ...]) -> Registry | None:
    """Return the registry, unless only the format is judged: that needs none."""
    if path is None and all(entry.category == "format" for entry in checks):
        return None
    if path is None:
        from obs.adapters.packaged import packaged_registry

        return packaged_registry()
    from obs.adapters.registries import Inputs, load_registry, load_semantics

    inputs = Inputs(registry=path)
    return load_registry(inputs, load_semantics(inputs))


def _budgets(path: Path | None) -> Budgets | None:
    if path is None:
        return None
    from obs.adapters.files import read_text
    from obs.checks.budgets import read_budgets
    from obs.documents.load import load_yaml

    return read_budgets(load_yaml(read_text(path), str(path)).data, str(path))


def _judge(inputs: list[str], choice: Choice, plan: Plan, gate: Gate) -> int:
    """Judge everything, print one report, and return the exit code: 2 before 3 before 4 before 1."""
    from obs.adapters.lint import lint_bodies
    from obs.adapters.scrape_access import is_url
    from obs.cli.choice import require_bodies
    from obs.model.report import Report

    documents = [source for source in inputs if source.endswith(_YAML) and not is_url(source)]
    bodies = [source for source in inputs if source not in documents]
    if bodies:
        require_bodies(choice)
    outcome = lint_bodies(bodies, plan)
    if documents:
        outcome += _documents(documents, choice, plan, gate.config)
    for problem in outcome.problems:
        print(f"obs: {problem}", file=sys.stderr)
    failed = False
    if outcome.targets:
        report = Report(outcome.targets, _docs(outcome.targets, choice, gate, documents=bool(documents)))
        failed = conclude(report, gate, lambda: _ran(choice), observed=not outcome.exit_code)
    for source in outcome.empty:
        print(f"obs: {source}: 0 samples: nothing was observed", file=sys.stderr)
    return outcome.exit_code or int(failed)


def _documents(sources: list[str], choice: Choice, plan: Plan, config: Path | None) -> Outcome:
    from dataclasses import replace

    from obs.adapters.lint_documents import lint_documents
    from obs.cli.known import document_checks

    taken = {doc.code for doc in filter(choice.takes, document_checks())}
    outcome = lint_documents(tuple(map(Path, sources)), plan.registry, _config(config))
    targets = tuple(
        replace(target, findings=tuple(one for one in target.findings if one.code in taken))
        for target in outcome.targets
    )
    return replace(outcome, targets=targets)


def _config(path: Path | None) -> Config | None:
    if path is None:
        return None
    from obs.adapters.registries import Inputs
    from obs.adapters.sources import load_config

    return load_config(Inputs(config=path))[0]


def _docs(
    targets: tuple[TargetResult, ...], choice: Choice, gate: Gate, *, documents: bool
) -> tuple[CheckDoc, ...]:
    """Return the documentation that a format prints: SARIF of what was found, JUnit of all checks that ran."""
    if gate.form not in {"sarif", "junit"}:
        return ()
    from obs.cli.known import document_checks

    codes = {finding.code for target in targets for finding in target.findings}
    everything = gate.form == "junit"
    bodies = everything and any(target.samples for target in targets)
    docs = [entry.doc for entry in choice.bodies if bodies or entry.code in codes]
    documents = documents and everything
    docs += [doc for doc in document_checks() if doc.code in codes or (documents and choice.takes(doc))]
    return tuple(docs)


def _ran(choice: Choice) -> frozenset[str]:
    """Return the codes and slugs that were looked for; a suppression of another one is not called unused."""
    from obs.cli.known import document_checks

    entries = {word for entry in choice.bodies for word in (entry.code, entry.slug)}
    docs = {word for doc in filter(choice.takes, document_checks()) for word in (doc.code, doc.slug)}
    return frozenset(entries | docs)
