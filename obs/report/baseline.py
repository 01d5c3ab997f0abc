"""Today's findings, accepted: a dirty service adopts the check and fails only on what is new."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from obs.errors import ConfigInvalidError, Problem
from obs.report.fingerprint import fingerprint, shape
from obs.report.view import occurrences
from obs.report.visible import clip, encodable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from obs.model.finding import Finding
    from obs.model.report import Report

VERSION = 1
_KEYS = ("fingerprint", "code", "slug", "subject", "message")
_FINGERPRINT = re.compile(r"[0-9a-f]{32}")
_REGENERATE = "correct it, or delete it and write it anew with `--update-baseline`"


@dataclass(frozen=True, slots=True, order=True)
class Accepted:
    """One accepted finding: its fingerprint decides, the rest is for the people who review the file."""

    code: str
    subject: str
    fingerprint: str
    slug: str
    message: str


@dataclass(frozen=True, slots=True)
class Baseline:
    """The accepted findings, sorted, each once."""

    entries: tuple[Accepted, ...] = ()


@dataclass(frozen=True, slots=True)
class Applied:
    """Findings split by a baseline: those that are `new` and those it accepts."""

    new: tuple[Finding, ...]
    accepted: tuple[Finding, ...]


def build(findings: Iterable[Finding]) -> Baseline:
    """Return the baseline that accepts exactly `findings`; how often each occurs does not matter."""
    entries = {entry.fingerprint: entry for entry in map(_accepted, findings)}
    return Baseline(tuple(sorted(entries.values())))


def _accepted(finding: Finding) -> Accepted:
    return Accepted(
        code=encodable(finding.code),
        subject=encodable(finding.subject),
        fingerprint=fingerprint(finding),
        slug=encodable(finding.slug),
        message=encodable(clip(shape(finding.message), 300)),
    )


def apply(findings: Iterable[Finding], baseline: Baseline) -> Applied:
    """Return `findings` split into the new and the accepted ones, the order kept.

    A finding whose count grew is accepted still: how many series a target has depends on its load.
    """
    known = {entry.fingerprint for entry in baseline.entries}
    new: list[Finding] = []
    accepted: list[Finding] = []
    for finding in findings:
        (accepted if fingerprint(finding) in known else new).append(finding)
    return Applied(tuple(new), tuple(accepted))


def shrink(baseline: Baseline, findings: Iterable[Finding]) -> Baseline:
    """Return `baseline` without the entries that `findings` no longer need; nothing is ever added."""
    seen = {fingerprint(finding) for finding in findings}
    return Baseline(tuple(entry for entry in baseline.entries if entry.fingerprint in seen))


def apply_to_report(report: Report, baseline: Baseline) -> Report:
    """Return `report` with the accepted findings of each target counted in `baselined` instead of listed."""
    targets = []
    for target in report.targets:
        split = apply(target.findings, baseline)
        hidden = target.baselined + occurrences(split.accepted)
        targets.append(replace(target, findings=split.new, baselined=hidden))
    return replace(report, targets=tuple(targets))


def serialise(baseline: Baseline) -> str:
    """Return `baseline` as JSON text with a final newline; the same baseline gives the same bytes."""
    rows = [{key: getattr(entry, key) for key in _KEYS} for entry in sorted(baseline.entries)]
    return json.dumps({"version": VERSION, "findings": rows}, indent=2) + "\n"


def parse(text: str, source: str) -> Baseline:
    """Return the baseline in `text`, read from `source`; raise ConfigInvalidError with every problem."""
    try:
        document = json.loads(text)
    except json.JSONDecodeError as error:
        where = f"{source}:{error.lineno}:{error.colno}"
        raise ConfigInvalidError([Problem(where, f"not JSON: {error.msg}", _REGENERATE)]) from error
    except RecursionError as error:
        raise ConfigInvalidError([Problem(source, "JSON nested too deeply", _REGENERATE)]) from error
    rows = _rows(document, source)
    problems = [problem for number, row in enumerate(rows) for problem in _problems(row, source, number)]
    if problems:
        raise ConfigInvalidError(problems)
    entries = {row["fingerprint"]: Accepted(**{key: row[key] for key in _KEYS}) for row in rows}
    return Baseline(tuple(sorted(entries.values())))


def _rows(document: Any, source: str) -> list[Any]:
    """Return the entries of a baseline document; a version that is not known is not guessed at."""
    if not isinstance(document, dict) or not isinstance(document.get("findings"), list):
        problem = Problem(f"{source}: $", "no baseline: an object with the list `findings`", _REGENERATE)
        raise ConfigInvalidError([problem])
    version = document.get("version")
    if version != VERSION:
        message = f"baseline version {version!r} is not known, this obs reads {VERSION}"
        raise ConfigInvalidError([Problem(f"{source}: $.version", message, _REGENERATE)])
    return list(document["findings"])


def _problems(row: Any, source: str, number: int) -> list[Problem]:
    where = f"{source}: $.findings[{number}]"
    if not isinstance(row, dict):
        return [Problem(where, f"an object is expected, not {type(row).__name__}", _REGENERATE)]
    problems = [
        Problem(f"{where}.{key}", "a string is required", _REGENERATE)
        for key in _KEYS
        if not isinstance(row.get(key), str)
    ]
    mark = row.get("fingerprint")
    if isinstance(mark, str) and not _FINGERPRINT.fullmatch(mark):
        message = f"`{mark}` is no fingerprint of 32 hexadecimal digits"
        problems.append(Problem(f"{where}.fingerprint", message, _REGENERATE))
    return problems
