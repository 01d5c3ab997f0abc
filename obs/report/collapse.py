"""Fewer findings that say the same: repeated ones become one with a count, and a report has a size limit."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from obs.report.fingerprint import shape
from obs.report.visible import clip

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from obs.model.finding import Finding
    from obs.model.report import Report

REPORT_LIMIT = 1 << 20
"""The bytes a report on one body may take, whatever the format."""

SHAPES_PER_SUBJECT = 20
"""How many different messages of one code about one subject are printed before the rest is counted only."""

_RELATED = 10
_EXCERPT = 500


def position(finding: Finding) -> tuple[str, bool, int, int, str]:
    """Return the sort key of a report: source, line, column, code.

    What is said of a whole input comes after what is at a line: thirty absent metrics do not hide one typo.
    """
    place = finding.location
    return (place.source, place.line == 0, place.line, place.column, finding.code)


def _order(finding: Finding) -> tuple[str, bool, int, int, str, str, str, int]:
    """Return the position with enough behind it that the order of finding does not show in a report."""
    return (*position(finding), finding.subject, finding.message, -finding.severity)


def shape_key(finding: Finding) -> tuple[str, ...]:
    """Return what two findings on different targets have in common when they say the same."""
    return (finding.code, finding.severity.word, finding.subject, shape(finding.message))


def collapse(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return `findings` by position, with those alike merged into the first of them; the counts add up.

    Alike means the same source, code, severity, subject and message shape. Past `SHAPES_PER_SUBJECT`
    messages for one code and subject the rest is counted on the last one kept.
    """
    shapes: dict[tuple[str, ...], dict[str, Finding]] = defaultdict(dict)
    for finding in sorted(findings, key=_order):
        subject = (finding.location.source, finding.code, finding.severity.word, finding.subject)
        _add(shapes[subject], finding)
    merged = (finding for rows in shapes.values() for finding in rows.values())
    return tuple(sorted(merged, key=_order))


def _add(rows: dict[str, Finding], finding: Finding) -> None:
    key = shape(finding.message)
    if key not in rows and len(rows) >= SHAPES_PER_SUBJECT:
        key = next(reversed(rows))
    first = rows.get(key)
    rows[key] = replace(first, count=first.count + finding.count) if first else finding


def bounded(finding: Finding) -> Finding:
    """Return `finding` with each text cut to a sensible length; the excerpt keeps its column."""
    place = finding.location
    start = _excerpt_start(finding)
    return replace(
        finding,
        code=clip(finding.code, 50),
        slug=clip(finding.slug, 100),
        category=clip(finding.category, 100),
        message=clip(finding.message, 2000),
        remedy=clip(finding.remedy, 1000),
        subject=clip(finding.subject, 300),
        location=replace(place, source=clip(place.source, 1000), path=clip(place.path, 1000)),
        excerpt=finding.excerpt[start : start + _EXCERPT],
        excerpt_offset=finding.excerpt_offset + start,
        related=tuple(
            replace(near, source=clip(near.source, 1000), path=clip(near.path, 1000))
            for near in finding.related[:_RELATED]
        ),
    )


def _excerpt_start(finding: Finding) -> int:
    """Return where a long excerpt is cut, so that the column lies in what is kept."""
    index = finding.location.column - 1 - finding.excerpt_offset
    latest = max(0, len(finding.excerpt) - _EXCERPT)
    return min(max(0, index - _EXCERPT // 2), latest)


def prepared(report: Report) -> Report:
    """Return `report` with the findings of each target collapsed, sorted and bounded."""
    targets = tuple(
        replace(
            target,
            source=clip(target.source, 1000),
            findings=tuple(bounded(finding) for finding in collapse(target.findings)),
        )
        for target in report.targets
    )
    return replace(report, targets=targets)


@dataclass(frozen=True, slots=True)
class Fitted:
    """The findings that fit in a report, by position, and how many (occurrences) do not."""

    kept: tuple[Finding, ...]
    left_out: int


def fit(findings: tuple[Finding, ...], size: Callable[[Finding], int], budget: int) -> Fitted:
    """Return the findings that fit in `budget` bytes, the worst first; `size` says what one takes.

    Once one does not fit nothing after it is taken, so what is left out is never worse than what is kept.
    """
    kept: list[Finding] = []
    for finding in sorted(findings, key=lambda each: (-each.severity, position(each))):
        budget -= size(finding)
        if budget < 0:
            break
        kept.append(finding)
    total = sum(finding.count for finding in findings)
    return Fitted(tuple(sorted(kept, key=position)), total - sum(finding.count for finding in kept))
