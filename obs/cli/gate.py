"""From findings to a report and a verdict: suppressions, the baseline, the format, the threshold."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from obs.errors import ConfigInvalidError, Problem, UsageError
from obs.model.finding import Severity

if TYPE_CHECKING:
    from obs.model.report import Report
    from obs.report.baseline import Baseline
    from obs.report.suppress import Suppression
    from obs.report.view import View


@dataclass(frozen=True, slots=True)
class Gate:
    """How a run is told and when it fails.

    `form` is the name of a format; `config` an obs.yaml with suppressions; `baseline` a file of accepted findings,
    which `update` writes when it is not there and shrinks when it is.
    """

    form: str = "text"
    fail_on: Severity = Severity.ERROR
    config: Path | None = None
    baseline: Path | None = None
    update: bool = False

    def __post_init__(self) -> None:
        """Refuse an update of nothing."""
        if self.update and self.baseline is None:
            raise UsageError([Problem("--update-baseline", "no --baseline to update", "add --baseline FILE")])


def conclude(
    report: Report, gate: Gate, ran: Callable[[], Collection[str]], *, observed: bool = True
) -> bool:
    """Print `report` on the standard output and return whether it fails the run.

    `ran` returns the codes and slugs that were looked for; it is called when something depends on it. A run in which
    nothing was `observed` writes no baseline.
    """
    from obs.report.view import fails

    if gate.config is not None:
        report = _suppressed(report, gate.config, ran())
    if gate.baseline is not None:
        report = _baselined(report, gate, ran(), observed=observed)
    _print(report, gate)
    return fails(report, gate.fail_on)


def _print(report: Report, gate: Gate) -> None:
    from obs.report.formats import render
    from obs.report.view import View

    view = View(fail_on=gate.fail_on)
    if gate.form == "text" and sys.stdout.isatty():
        view = _terminal(view)
    text = render(report, gate.form, view)
    sys.stdout.buffer.write(text.encode("utf-8", "backslashreplace"))
    sys.stdout.buffer.flush()


def _terminal(view: View) -> View:
    import os
    import shutil

    return replace(view, colour="NO_COLOR" not in os.environ, width=shutil.get_terminal_size().columns)


def _suppressed(report: Report, config: Path, ran: Collection[str]) -> Report:
    from datetime import UTC, datetime

    from obs.report.suppress import suppress_in_report

    return suppress_in_report(report, _suppressions(config), datetime.now(UTC).date(), ran)


def _suppressions(config: Path) -> tuple[Suppression, ...]:
    """Return the suppressions of an obs.yaml; a code that does not exist is an error, as it would never be used."""
    from obs.adapters.registries import Inputs
    from obs.adapters.sources import load_config
    from obs.cli.known import known_words
    from obs.documents.suggest import did_you_mean
    from obs.model.finding import Location
    from obs.report.suppress import Suppression

    loaded, _ = load_config(Inputs(config=config))
    known = known_words()
    problems = [
        Problem(each.where, f"no check is called `{each.code}`", did_you_mean(each.code, known))
        for each in loaded.suppressions
        if each.code not in known
    ]
    if problems:
        raise ConfigInvalidError(problems)
    found = []
    for each in loaded.suppressions:
        source, line, column = each.where.rsplit(":", 2)
        place = Location(source, int(line), int(column))
        found.append(Suppression(each.code, each.scope, each.reason, place, each.until))
    return tuple(found)


def _baselined(report: Report, gate: Gate, ran: Collection[str], *, observed: bool) -> Report:
    from obs.adapters.files import read_text
    from obs.report import baseline

    path = gate.baseline
    assert path is not None  # noqa: S101 - the caller asked
    findings = tuple(finding for target in report.targets for finding in target.findings)
    if path.exists() or not gate.update:
        known = baseline.parse(read_text(path), str(path))
        if gate.update and observed:
            judged = baseline.Baseline(tuple(entry for entry in known.entries if entry.code in ran))
            others = tuple(entry for entry in known.entries if entry.code not in ran)
            kept = baseline.shrink(judged, findings).entries
            _write(path, baseline.Baseline((*kept, *others)))
    else:
        known = baseline.build(findings)
        if observed:
            _write(path, known)
    return baseline.apply_to_report(report, known)


def _write(path: Path, baseline: Baseline) -> None:
    from obs.adapters.files import reason_of
    from obs.errors import UnreadableError
    from obs.report.baseline import serialise

    try:
        path.write_text(serialise(baseline), encoding="utf-8")
    except OSError as error:
        problem = Problem(str(path), f"the baseline cannot be written: {reason_of(error)}", "check the path")
        raise UnreadableError([problem]) from error
