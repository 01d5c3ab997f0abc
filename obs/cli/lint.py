"""`obs lint`: bodies of metrics and ScaledObjects are judged, and CI fails on what is wrong."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from obs.cli import options
from obs.cli.gate import Gate, conclude
from obs.cli.options import FailOn, FormatName, ProfileName
from obs.errors import Problem, UsageError
from obs.model.finding import Severity

if TYPE_CHECKING:
    from obs.adapters.lint import Outcome, Plan
    from obs.checks.budgets import Budgets
    from obs.checks.catalogue import Entry
    from obs.model.check import CheckDoc
    from obs.model.metric import Registry
    from obs.model.report import TargetResult

_INPUTS = "Files, URLs, or - for the standard input. A *.yaml file holds ScaledObjects."
_YAML = (".yaml", ".yml")


def lint(
    inputs: Annotated[list[str] | None, typer.Argument(help=_INPUTS, metavar="FILE|URL|- ...")] = None,
    registry: options.Registry = None,
    rules: options.Rules = None,
    select: options.Select = None,
    ignore: options.Ignore = None,
    content_type: Annotated[
        str | None, typer.Option("--content-type", help="The header the body came with, if it is a file.")
    ] = None,
    profile: options.Profile = ProfileName.PRODUCER,
    form: options.Format = FormatName.TEXT,
    fail_on: options.Fail = FailOn.ERROR,
    config: options.Config = None,
    baseline: Annotated[
        Path | None, typer.Option("--baseline", help="Findings accepted today; only new ones count.")
    ] = None,
    update_baseline: Annotated[
        bool, typer.Option("--update-baseline", help="Write --baseline if it is not there, else shrink it.")
    ] = False,
    before: Annotated[
        str | None, typer.Option("--before", help="An earlier body of the same target: what has grown?")
    ] = None,
    max_bytes: options.MaxBytes = 64 * 1024 * 1024,
    max_series: options.MaxSeries = 2_000_000,
    timeout: options.Timeout = 10.0,
    bearer_token_file: options.BearerTokenFile = None,
    cert: options.Certificate = None,
    key: options.Key = None,
    ca: options.Authority = None,
    listing: Annotated[bool, typer.Option("--list", help="List the checks and exit.")] = False,
) -> None:
    """Judge what a target exposes: its format, the registry's contract, budgets of series, conventions.

    Exit codes: 0 clean, 1 findings at or above --fail-on, 2 usage, 3 an input could not be read, 4 no samples.

    Example: curl -s http://localhost:9090/metrics | obs lint -
    """
    import gc

    from obs.adapters.lint import Plan
    from obs.adapters.scrape_access import Access
    from obs.checks.catalogue import select as chosen
    from obs.checks.check import Profile
    from obs.checks.engine import Options
    from obs.exposition import Limits

    checks = chosen(options.words(select), options.words(ignore))
    if listing:
        _list(checks)
        return
    gate = Gate(form.value, Severity.from_word(fail_on.value), config, baseline, update_baseline)
    _refuse_contradictions(inputs or [], before, cert, key)
    gc.disable()  # a run is short and makes hardly any cycles; looking for them costs a tenth of it
    plan = Plan(
        options=Options(checks, Profile(profile.value), _budgets(rules)),
        registry=_registry(registry, checks),
        limits=Limits(max_bytes=max_bytes, max_series=max_series),
        access=Access(timeout, max_bytes, bearer_token_file, cert, key, ca),
        content_type=content_type,
        before=before,
    )
    raise typer.Exit(_run(inputs or [], plan, gate))


def _list(checks: tuple[Entry, ...]) -> None:
    from obs.checks.check import FormatCheck
    from obs.cli.known import document_checks

    for entry in checks:
        check = entry.load()
        for_consumer = None if isinstance(check, FormatCheck) else check.consumer
        shown = f"{check.doc.severity.word}" + (f" (consumer: {for_consumer.word})" if for_consumer else "")
        typer.echo(f"{entry.code}\t{entry.slug}\t{entry.category}\t{shown}\t{check.doc.summary}")
    for doc in document_checks():
        typer.echo(f"{doc.code}\t{doc.slug}\t{doc.category}\t{doc.severity.word}\t{doc.summary}")


def _refuse_contradictions(
    inputs: list[str], before: str | None, cert: Path | None, key: Path | None
) -> None:
    """Refuse what cannot be meant, rather than judge something else than was asked for."""
    problems = []
    if not inputs:
        problems.append(Problem("", "no input", "name a file or a URL, or `-` for the standard input"))
    if [*inputs, before].count("-") > 1:
        problems.append(Problem("-", "the standard input can be read once", "save it to files"))
    if key and not cert:
        problems.append(Problem("--key", "a key without a certificate", "add --cert FILE"))
    if before and len(inputs) != 1:
        problems.append(Problem("--before", f"goes with one body, not {len(inputs)}", "run once for each"))
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


def _run(inputs: list[str], plan: Plan, gate: Gate) -> int:
    """Judge everything, print one report, and return the exit code: 3 before 4 before 1."""
    from obs.adapters.lint import lint_bodies
    from obs.model.report import Report

    documents = [source for source in inputs if source.endswith(_YAML) and not source.startswith("http")]
    bodies = [source for source in inputs if source not in documents]
    outcome = lint_bodies(bodies, plan)
    targets = outcome.targets + _documents(documents, plan)
    for problem in outcome.unreadable:
        typer.echo(f"obs: {problem}", err=True)
    failed = False
    if targets:
        report = Report(targets, _docs(targets, plan, gate))
        failed = conclude(report, gate, _ran(plan), observed=not _code(outcome))
    for source in outcome.empty:
        typer.echo(f"obs: {source}: 0 samples: nothing was observed", err=True)
    sys.stderr.flush()
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
