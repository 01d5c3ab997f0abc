"""How a reader wants a report, and the sentences that all formats share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from obs.model.finding import Severity
from obs.report.visible import visible

if TYPE_CHECKING:
    from obs.model.finding import Finding
    from obs.model.report import Report, TargetResult


@dataclass(frozen=True, slots=True)
class View:
    """What the caller knows about the reader.

    `colour` allows ANSI colours and `width` is the terminal's columns (0: no terminal, lines are not
    wrapped), both for `text` only; `fail_on` is the least severity that fails the run, which `junit` shows
    as a failure.
    """

    colour: bool = False
    width: int = 0
    fail_on: Severity = Severity.ERROR


def fails(report: Report, fail_on: Severity) -> bool:
    """Return whether `report` has a finding at or above `fail_on`, which is exit code 1."""
    return any(finding.severity >= fail_on for target in report.targets for finding in target.findings)


def tally(findings: tuple[Finding, ...]) -> dict[Severity, int]:
    """Return how many findings (rows, not occurrences) there are of each severity, the worst first."""
    return {
        severity: sum(finding.severity is severity for finding in findings)
        for severity in sorted(Severity, reverse=True)
    }


def occurrences(findings: tuple[Finding, ...]) -> int:
    """Return how often something was found, repeated findings counted each time."""
    return sum(finding.count for finding in findings)


def plural(number: int, noun: str) -> str:
    """Return `number` with its noun, thousands separated: `1 error`, `1,204 errors`."""
    return f"{number:,} {noun}" if number == 1 or noun in {"info", "series"} else f"{number:,} {noun}s"


def summary(target: TargetResult) -> str:
    """Return one line on a target: what was found, in how much, and what is not shown."""
    parts = [plural(count, severity.word) for severity, count in tally(target.findings).items() if count]
    text = ", ".join(parts) or "clean"
    if occurrences(target.findings) > len(target.findings):
        text += f" ({occurrences(target.findings):,} occurrences)"
    if target.series or target.samples or target.size:
        text += f"{' in' if parts else ':'} {_judged(target)}"
    hidden = [
        f"{count:,} {what}"
        for count, what in ((target.suppressed, "suppressed"), (target.baselined, "in the baseline"))
        if count
    ]
    return visible(f"{target.source}: " + "; ".join([text, *hidden]))


def _judged(target: TargetResult) -> str:
    if not target.body:
        return _bytes(target.size)
    amount = f"{plural(target.samples, 'sample')} of {plural(target.series, 'series')}"
    return f"{amount}, {_bytes(target.size)}" if target.size else amount


def _bytes(size: int) -> str:
    if size < 1024:
        return plural(size, "byte")
    return f"{size / 1024:.1f} KiB" if size < 1 << 20 else f"{size / (1 << 20):.1f} MiB"


def left_out_note(source: str, left_out: int) -> str:
    """Return the sentence that owns up to findings that a report does not show."""
    noun = plural(left_out, "finding")
    return visible(f"{source}: {noun} left out of this report; fix or suppress the ones shown and run again")


def repeated(finding: Finding) -> str:
    """Return what is appended to the message of a finding that was seen more than once."""
    return f" [+{finding.count - 1:,} more]" if finding.count > 1 else ""
