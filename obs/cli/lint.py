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
    from obs.model.check import CheckDoc
    from obs.model.metric import Registry
    from obs.model.report import TargetResult

_YAML = (".yaml", ".yml")


def run(arguments: Sequence[str]) -> int:
    """Run `obs lint` with `arguments`; return the exit code. Raises an ObsError for what cannot be done."""
    from obs.checks.catalogue import select

    asked = read_arguments(arguments)
    checks = select(words(asked.select), words(asked.ignore))
    if asked.list:
        _list(checks)
        return 0
    severity = Severity.from_word(asked.fail_on)
    gate = Gate(asked.format, severity, asked.config, asked.baseline, asked.update_baseline)
    _refuse_contradictions(asked)
    collecting = gc.isenabled()
    gc.disable()  # a run is short and makes hardly any cycles; looking for them costs a tenth of it
    try:
        return _judge(asked.inputs, _plan(asked, checks), gate)
    finally:
        if collecting:
            gc.enable()


def _plan(asked: Namespace, checks: tuple[Entry, ...]) -> Plan:
    from obs.adapters.lint import Plan
    from obs.adapters.scrape_access import Access
    from obs.checks.check import Profile
    from obs.checks.engine import Options
    from obs.exposition import Limits

    secrets = (asked.bearer_token_file, asked.cert, asked.key, asked.ca)
    return Plan(
        options=Options(checks, Profile(asked.profile), _budgets(asked.rules)),
        registry=_registry(asked.registry, checks),
        limits=Limits(max_bytes=asked.max_bytes, max_series=asked.max_series),
        access=Access(asked.timeout, asked.max_bytes, *secrets),
        content_type=asked.content_type,
        before=asked.before,
    )


def _list(checks: tuple[Entry, ...]) -> None:
    from obs.checks.check import FormatCheck
    from obs.cli.known import document_checks

    for entry in checks:
        check = entry.load()
        for_consumer = None if isinstance(check, FormatCheck) else check.consumer
        shown = f"{check.doc.severity.word}" + (f" (consumer: {for_consumer.word})" if for_consumer else "")
        print(f"{entry.code}\t{entry.slug}\t{entry.category}\t{shown}\t{check.doc.summary}")
    for doc in document_checks():
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


def _judge(inputs: list[str], plan: Plan, gate: Gate) -> int:
    """Judge everything, print one report, and return the exit code: 3 before 4 before 1."""
    from obs.adapters.lint import lint_bodies
    from obs.model.report import Report

    documents = [source for source in inputs if source.endswith(_YAML) and not source.startswith("http")]
    bodies = [source for source in inputs if source not in documents]
    outcome = lint_bodies(bodies, plan)
    targets = outcome.targets + _documents(documents, plan)
    for problem in outcome.unreadable:
        print(f"obs: {problem}", file=sys.stderr)
    failed = False
    if targets:
        report = Report(targets, _docs(targets, plan, gate))
        failed = conclude(report, gate, _ran(plan), observed=not _code(outcome))
    for source in outcome.empty:
        print(f"obs: {source}: 0 samples: nothing was observed", file=sys.stderr)
    return _code(outcome) or int(failed)


def _code(outcome: Outcome) -> int:
    return outcome.unreadable_code or (4 if outcome.empty else 0)


def _documents(sources: list[str], plan: Plan) -> tuple[TargetResult, ...]:
    if not sources:
        return ()
    from obs.adapters.lint_documents import lint_documents

    return lint_documents(tuple(map(Path, sources)), plan.registry)


def _docs(targets: tuple[TargetResult, ...], plan: Plan, gate: Gate) -> tuple[CheckDoc, ...]:
    """Return the documentation a format prints: of all checks that ran, or of what was found."""
    from obs.checks.catalogue import ALL_CHECKS

    if gate.form in {"sarif", "junit"}:
        return tuple(entry.doc for entry in plan.options.checks)
    codes = {finding.code for target in targets for finding in target.findings}
    return tuple(entry.doc for entry in ALL_CHECKS if entry.code in codes)


def _ran(plan: Plan) -> frozenset[str]:
    return frozenset(word for entry in plan.options.checks for word in (entry.code, entry.slug))
