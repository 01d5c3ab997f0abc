"""The report as GitHub workflow commands, which a runner turns into annotations.

Syntax: docs.github.com, "Workflow commands for GitHub Actions"; the escapes are those of actions/toolkit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from obs.model.finding import Severity
from obs.report.collapse import REPORT_LIMIT, fit
from obs.report.view import left_out_note, repeated, summary
from obs.report.visible import visible

if TYPE_CHECKING:
    from obs.model.finding import Finding
    from obs.model.report import Report, TargetResult
    from obs.report.view import View

_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}
_RESERVE = 64 << 10  # bytes for the lines around the findings of one target


def render(report: Report, view: View) -> str:  # noqa: ARG001 - every renderer has this signature
    """Return `report` (prepared): a command of one line for each finding, a plain summary line per target."""
    return "".join(_target(target) for target in report.targets)


def _target(target: TargetResult) -> str:
    fitted = fit(target.findings, lambda finding: len(command(finding).encode()) + 1, REPORT_LIMIT - _RESERVE)
    lines = [command(finding) for finding in fitted.kept]
    left_out = fitted.left_out + target.left_out
    if left_out:
        lines.append(f"::notice title=obs::{_data(left_out_note(target.source, left_out))}")
    lines.append(_plain(f"obs: {summary(target)}"))
    return "\n".join(lines) + "\n"


def command(finding: Finding) -> str:
    """Return the workflow command of one finding, on one line."""
    place = finding.location
    inside = _in_workspace(place.source)
    properties = {
        "file": place.source if inside else "",
        "line": place.line if inside else 0,
        "col": place.column if inside and place.line else 0,
        "endColumn": place.end_column if inside and place.line else 0,
        "title": f"{finding.code} {finding.slug}",
    }
    written = ",".join(f"{key}={_property(str(value))}" for key, value in properties.items() if value)
    return f"::{_LEVELS[finding.severity]} {written}::{_data(_message(finding, named=not inside))}"


def _in_workspace(source: str) -> bool:
    """Return whether an annotation can be attached to `source`: a URL or the standard input is no file."""
    return source != "-" and "://" not in source


def _message(finding: Finding, *, named: bool) -> str:
    text = visible(finding.message) + repeated(finding)
    place = finding.location
    # The annotation names file and line itself; what it cannot name is said in the message.
    if named:
        text = f"{visible(str(place))}: {text}"
    elif place.path:
        text = f"{visible(place.path)}: {text}"
    return f"{text}\nfix: {visible(finding.remedy)}" if finding.remedy else text


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(visible(text)).replace(":", "%3A").replace(",", "%2C")


def _plain(line: str) -> str:
    # The runner also obeys the old `##[command]` form anywhere in a line that is no `::` command.
    return line.replace("##[", "# #[")
