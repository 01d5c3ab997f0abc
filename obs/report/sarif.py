"""The report as SARIF 2.1.0 (OASIS standard, 27 March 2020), for code scanning services."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from obs.model.finding import Severity
from obs.report.collapse import REPORT_LIMIT, Fitted, fit
from obs.report.fingerprint import fingerprint
from obs.report.jsonreport import dump, row_size
from obs.report.view import left_out_note, repeated, summary
from obs.report.visible import clip, visible

if TYPE_CHECKING:
    from obs.model.check import CheckDoc
    from obs.model.finding import Finding, Location
    from obs.model.report import Report, TargetResult
    from obs.report.view import View

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
_DIGITS = 4096  # bytes that the notes on what was left out may add once the results are known
_DOC = 2000  # characters of each text of a rule

# RFC 3986: what a path may hold as it is. A colon is left out, for in a first segment it would end a scheme.
_PATH_SAFE = "/~!$&'()*+,;=@-._"
_URL_SAFE = _PATH_SAFE + ":?#[]%"


def render(report: Report, view: View) -> str:  # noqa: ARG001 - every renderer has this signature
    """Return `report` (prepared) as a SARIF log of one run, ASCII only, that ends in a newline."""
    rules = _rules(report)
    index = {rule["id"]: number for number, rule in enumerate(rules)}
    nothing = [Fitted((), 0) for _ in report.targets]
    budget = REPORT_LIMIT - len(dump(_log(report, rules, index, nothing))) - _DIGITS
    fitted = [
        fit(target.findings, lambda finding: row_size(_result(finding, index)), budget)
        for target in report.targets
    ]
    return dump(_log(report, rules, index, fitted))


def _log(
    report: Report, rules: list[dict[str, Any]], index: dict[str, int], fitted: list[Fitted]
) -> dict[str, Any]:
    pairs = list(zip(report.targets, fitted, strict=True))
    run = {
        "tool": {"driver": {"name": "obs", "rules": rules}},
        "columnKind": "unicodeCodePoints",
        "invocations": [{"executionSuccessful": True, "toolExecutionNotifications": _notes(pairs)}],
        "artifacts": [
            {"location": {"uri": _uri(target.source)}, **({"length": target.size} if target.size else {})}
            for target in _distinct(report.targets)
        ],
        "results": [_result(finding, index) for _, rows in pairs for finding in rows.kept],
    }
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def _distinct(targets: tuple[TargetResult, ...]) -> list[TargetResult]:
    """Return the targets with each location once: the artifacts of a run must be unique (section 3.14.15)."""
    return list({_uri(target.source): target for target in reversed(targets)}.values())[::-1]


def _notes(pairs: list[tuple[TargetResult, Fitted]]) -> list[dict[str, Any]]:
    """Return a notification per target with its summary, and one on what was left out."""
    notes = []
    for target, rows in pairs:
        notes.append({"level": "note", "message": {"text": summary(target)}})
        left_out = rows.left_out + target.left_out
        if left_out:
            text = left_out_note(target.source, left_out)
            notes.append({"level": "warning", "message": {"text": text}})
    return notes


def _rules(report: Report) -> list[dict[str, Any]]:
    """Return the metadata of the codes found, by code; without documentation, the little there is."""
    docs = {doc.code: doc for doc in report.checks}
    found = {finding.code: finding for target in report.targets for finding in target.findings}
    return [_rule(docs.get(code), finding) for code, finding in sorted(found.items())]


def _rule(doc: CheckDoc | None, finding: Finding) -> dict[str, Any]:
    page = _Page.of(doc, finding)
    return {
        "id": visible(finding.code),
        "name": visible(finding.slug) or visible(finding.code),
        "shortDescription": {"text": page.summary},
        "fullDescription": {"text": page.why},
        "help": {"text": page.text(), "markdown": page.markdown()},
        "defaultConfiguration": {"level": _LEVELS[doc.severity if doc else finding.severity]},
        "properties": {"tags": [visible(finding.category)] if finding.category else []},
    }


@dataclass(frozen=True, slots=True)
class _Page:
    """The texts of a rule, never empty (SARIF 3.11: a message has text), each of bounded length."""

    summary: str
    why: str
    remedy: str
    bad: str
    good: str

    @classmethod
    def of(cls, doc: CheckDoc | None, finding: Finding) -> _Page:
        """Return the page of `doc`, or what `finding` itself can say."""
        slug = finding.slug.replace("-", " ") or finding.code or "finding"
        summary_text = clip(doc.summary if doc else "", _DOC) or slug
        return cls(
            summary=visible(summary_text),
            why=visible(clip(doc.why if doc else "", _DOC) or summary_text),
            remedy=visible(clip(doc.remedy if doc else "", _DOC)),
            bad=_printable_lines(doc.bad if doc else ""),
            good=_printable_lines(doc.good if doc else ""),
        )

    def text(self) -> str:
        """Return the page as plain text."""
        return "\n\n".join(part for part in dict.fromkeys((self.summary, self.why, self.remedy)) if part)

    def markdown(self) -> str:
        """Return the page as Markdown, the examples in fences."""
        parts = [self.why, self.remedy]
        for title, example in (("Reported", self.bad), ("Not reported", self.good)):
            if example:
                parts.append(f"**{title}**\n\n~~~\n{example}\n~~~")
        return "\n\n".join(part for part in parts if part)


def _printable_lines(text: str) -> str:
    return "\n".join(visible(line) for line in clip(text, _DOC).rstrip("\n").split("\n"))


def _result(finding: Finding, index: dict[str, int]) -> dict[str, Any]:
    text = visible(finding.message) + repeated(finding)
    if finding.remedy:
        text += f"\nFix: {visible(finding.remedy)}"
    # A viewer makes a link of `[text](target)` (section 3.11.6); a label value must not be able to write one.
    text = text.replace("](", "] (")
    result: dict[str, Any] = {
        "ruleId": visible(finding.code),
        "ruleIndex": index[visible(finding.code)],
        "level": _LEVELS[finding.severity],
        "message": {"text": text or visible(finding.slug) or "finding"},
        "locations": [_location(finding.location, finding)],
        "partialFingerprints": {"obsFinding/v1": fingerprint(finding)},
        "occurrenceCount": finding.count,
    }
    if finding.related:
        result["relatedLocations"] = [
            {"id": number, "message": {"text": "see also"}, **_location(place)}
            for number, place in enumerate(finding.related)
        ]
    return result


def _location(place: Location, finding: Finding | None = None) -> dict[str, Any]:
    physical: dict[str, Any] = {"artifactLocation": {"uri": _uri(place.source)}}
    if place.line:
        physical["region"] = _region(place, finding)
    location: dict[str, Any] = {"physicalLocation": physical}
    logical = []
    if finding and finding.subject:
        logical.append({"name": visible(finding.subject)})
    if place.path:
        logical.append({"fullyQualifiedName": visible(place.path)})
    if logical:
        location["logicalLocations"] = logical
    return location


def _region(place: Location, finding: Finding | None) -> dict[str, Any]:
    """Return the region of `place`; its snippet is the excerpt where that is the whole line."""
    region: dict[str, Any] = {"startLine": place.line}
    if place.column:
        region["startColumn"] = place.column
        if place.end_column > place.column:
            region["endColumn"] = place.end_column
    if finding and finding.excerpt:
        start, end = _snippet(place, finding)
        region["snippet"] = {"text": visible(finding.excerpt[start:end])}
    return region


def _snippet(place: Location, finding: Finding) -> tuple[int, int]:
    """Return what part of the excerpt the region covers, for a snippet is that text (section 3.30.13)."""
    start = place.column - 1 - finding.excerpt_offset
    if not place.column or not 0 <= start < len(finding.excerpt):
        return 0, len(finding.excerpt)
    if place.end_column > place.column:
        return start, place.end_column - 1 - finding.excerpt_offset
    return start, len(finding.excerpt)


def _uri(source: str) -> str:
    """Return `source` as a URI reference: a path stays relative, an absolute one becomes a `file:` URI."""
    if source in {"-", ""}:
        return "stdin"
    safe = source.encode("utf-8", "surrogateescape" if _bytes_escaped(source) else "surrogatepass")
    if "://" in source:
        return quote(safe, safe=_URL_SAFE)
    path = quote(safe.replace(b"\\", b"/"), safe=_PATH_SAFE)
    return f"file://{path}" if path.startswith("/") and not path.startswith("//") else path


def _bytes_escaped(source: str) -> bool:
    """Return whether each lone surrogate of `source` stands for one undecodable byte (PEP 383)."""
    return all(0xDC80 <= ord(char) <= 0xDCFF for char in source if 0xD800 <= ord(char) <= 0xDFFF)
