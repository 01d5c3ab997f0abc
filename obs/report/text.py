"""The report for people: place, message, the line with carets, the way out."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING

from obs.model.finding import Severity
from obs.report.collapse import REPORT_LIMIT, fit
from obs.report.excerpt import excerpt
from obs.report.fold import Fold, folded
from obs.report.view import left_out_note, plural, repeated, summary
from obs.report.visible import visible, wrap

if TYPE_CHECKING:
    from obs.model.finding import Finding
    from obs.model.report import Report, TargetResult
    from obs.report.view import View

_RESET = "\x1b[0m"
_COLOURS = {Severity.ERROR: "\x1b[1;31m", Severity.WARNING: "\x1b[1;33m", Severity.INFO: "\x1b[1;36m"}
_DIM = "\x1b[2m"
_UNLIMITED = 200  # columns of an excerpt where no terminal says how wide it is
_RESERVE = 16 << 10  # bytes for the lines around the findings of one target


def render(report: Report, view: View) -> str:
    """Return `report` (prepared) as text that ends in a newline."""
    sections = [_target(target, view) for target in report.targets]
    if len(report.targets) > 1:
        sections.append(_total(report))
    # A blank line after a section with findings; clean targets are a list of single lines.
    gaps = ["\n" if target.findings else "" for target in report.targets[: len(sections) - 1]]
    return "".join(part for pair in zip_longest(sections, gaps, fillvalue="") for part in pair)


def _target(target: TargetResult, view: View) -> str:
    fitted = fit(
        target.findings, lambda finding: len(_utf8(block(finding, view))) + 1, REPORT_LIMIT - _RESERVE
    )
    lines = [_row(row, view) + "\n" for row in folded(fitted.kept)]
    lines += wrap(summary(target), view.width, 2)
    left_out = fitted.left_out + target.left_out
    if left_out:
        lines += wrap(left_out_note(target.source, left_out), view.width, 2)
    return "\n".join(lines) + "\n"


def _total(report: Report) -> str:
    failing = sum(bool(target.findings) for target in report.targets)
    rows = sum(len(target.findings) for target in report.targets)
    verdict = f"{plural(rows, 'finding')} in {failing:,} of" if rows else "nothing found in"
    return f"total: {verdict} {plural(len(report.targets), 'target')}\n"


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _row(row: Finding | Fold, view: View) -> str:
    return block(row.finding, view, row.subjects) if isinstance(row, Fold) else block(row, view)


def block(finding: Finding, view: View, subjects: tuple[str, ...] = ()) -> str:
    """Return the lines that describe one finding, or one that speaks for `subjects`, without a final newline."""
    gutter = len(str(finding.location.line or "")) + 2
    lines = [*_header(finding, view), *_excerpt_lines(finding, view, gutter)]
    notes = [f"for: {', '.join(map(visible, subjects))}"] if subjects else []
    notes += [f"fix: {visible(finding.remedy)}"] if finding.remedy else []
    notes += [f"see: {visible(str(place))}" for place in finding.related]
    for note in notes:
        lines += wrap(" " * gutter + f" = {note}", view.width, gutter + 8)
    return "\n".join(lines)


def _header(finding: Finding, view: View) -> list[str]:
    word = finding.severity.word
    place = _place(finding)
    text = f"{place}: {word}[{visible(finding.code)} {visible(finding.slug)}] {visible(finding.message)}"
    lines = wrap(text + repeated(finding), view.width, 4)
    if not view.colour:
        return lines
    # Coloured after wrapping: escapes take no columns. The word stands after the place, which may hold it
    # too.
    painted = "\n".join(lines)
    at = painted.index(f"{word}[", len(place))
    colour = _COLOURS[finding.severity]
    return (painted[:at] + colour + word + _RESET + painted[at + len(word) :]).split("\n")


def _place(finding: Finding) -> str:
    path = f": {finding.location.path}" if finding.location.path and not finding.location.line else ""
    return visible(f"{finding.location}{path}")


def _excerpt_lines(finding: Finding, view: View, gutter: int) -> list[str]:
    if not finding.excerpt:
        return []
    shown = excerpt(finding, (view.width or _UNLIMITED) - gutter - 3)
    number = f"{finding.location.line or '':>{gutter}} | "
    blank = f"{'':>{gutter}} | "
    dim, reset = (_DIM, _RESET) if view.colour else ("", "")
    lines = [f"{dim}{number}{reset}{shown.line}"]
    if shown.carets:
        colour = _COLOURS[finding.severity] if view.colour else ""
        lines.append(f"{dim}{blank}{reset}{colour}{shown.carets}{reset}")
    return lines
