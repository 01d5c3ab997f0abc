"""The report for programs: JSON of a versioned schema, `report.schema.json` beside this module."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from obs.report.collapse import REPORT_LIMIT, Fitted, fit
from obs.report.fingerprint import fingerprint
from obs.report.view import occurrences, tally
from obs.report.visible import encodable_json

if TYPE_CHECKING:
    from obs.model.finding import Finding, Location
    from obs.model.report import Report, TargetResult
    from obs.report.view import View

VERSION = 1
"""The version of the schema: a new optional key keeps it, anything else raises it."""

ROW_INDENT = 8
"""How many columns each line of a row is indented in the documents that `dump` writes."""

_DIGITS = 512  # bytes that the numbers of a document may grow by once its rows are known


def render(report: Report, view: View) -> str:  # noqa: ARG001 - every renderer has this signature
    """Return `report` (prepared) as a JSON document, ASCII only, that ends in a newline."""
    budget = REPORT_LIMIT - len(dump(_document(report, [Fitted((), 0) for _ in report.targets]))) - _DIGITS
    fitted = [
        fit(target.findings, lambda finding: row_size(row(finding)), budget) for target in report.targets
    ]
    return dump(_document(report, fitted))


def dump(document: dict[str, Any]) -> str:
    """Return `document` as the JSON text every JSON format shares: ASCII, indented by 2, a final newline.

    A lone surrogate (an undecodable byte of the input) becomes its visible escape: strict readers reject it.
    """
    return json.dumps(encodable_json(document), indent=2) + "\n"


def row_size(row: dict[str, Any]) -> int:
    """Return the bytes that `row` takes in a document, its indent and comma included."""
    text = json.dumps(encodable_json(row), indent=2)
    return len(text) + (text.count("\n") + 1) * ROW_INDENT + 2


def _document(report: Report, fitted: list[Fitted]) -> dict[str, Any]:
    pairs = list(zip(report.targets, fitted, strict=True))
    everything = tuple(finding for target in report.targets for finding in target.findings)
    return {
        "version": VERSION,
        "tool": "obs",
        "summary": {
            "targets": len(report.targets),
            **_counts(everything),
            "suppressed": sum(target.suppressed for target in report.targets),
            "baselined": sum(target.baselined for target in report.targets),
            "left_out": sum(target.left_out + rows.left_out for target, rows in pairs),
        },
        "targets": [_target(target, rows) for target, rows in pairs],
    }


def _counts(findings: tuple[Finding, ...]) -> dict[str, Any]:
    counts = {severity.word: count for severity, count in tally(findings).items()}
    return {"counts": counts, "occurrences": occurrences(findings)}


def _target(target: TargetResult, fitted: Fitted) -> dict[str, Any]:
    return {
        "source": target.source,
        "series": target.series,
        "samples": target.samples,
        "bytes": target.size,
        **_counts(target.findings),
        "suppressed": target.suppressed,
        "baselined": target.baselined,
        "left_out": target.left_out + fitted.left_out,
        "findings": [row(finding) for finding in fitted.kept],
    }


def row(finding: Finding) -> dict[str, Any]:
    """Return `finding` as the object that every JSON document of obs shows it as."""
    return {
        "fingerprint": fingerprint(finding),
        "code": finding.code,
        "slug": finding.slug,
        "category": finding.category,
        "severity": finding.severity.word,
        "message": finding.message,
        "remedy": finding.remedy,
        "subject": finding.subject,
        "count": finding.count,
        "location": _location(finding.location),
        "excerpt": finding.excerpt,
        "excerpt_offset": finding.excerpt_offset,
        "related": [_location(place) for place in finding.related],
    }


def _location(place: Location) -> dict[str, Any]:
    """Return `place` with null for what is unknown, which a 0 would hide."""
    return {
        "source": place.source,
        "line": place.line or None,
        "column": place.column or None,
        "end_column": place.end_column or None,
        "path": place.path or None,
    }
