"""The report as JUnit XML: a test suite a target, a test case a check.

There is no standard; the elements and attributes are those that Jenkins, GitLab and GitHub's reporters
agree on.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from obs.report.collapse import REPORT_LIMIT, Fitted, fit, position
from obs.report.text import block
from obs.report.view import View, left_out_note, repeated, summary
from obs.report.visible import clip, visible

if TYPE_CHECKING:
    from obs.model.finding import Finding
    from obs.model.report import Report, TargetResult

_DIGITS = 8192  # bytes that the note on what was left out and the counts may add once the cases are known


def render(report: Report, view: View) -> str:
    """Return `report` (prepared) as an XML document that ends in a newline.

    A check that found something at or above `view.fail_on` failed; one that found less is skipped, with
    what it found as the reason; one that found nothing passed.
    """
    root = ET.Element("testsuites", name="obs")
    suites = [_suite(target, report, view) for target in report.targets]
    for name in ("tests", "failures", "skipped"):
        root.set(name, str(sum(int(suite.get(name, "0")) for suite in suites)))
    root.set("errors", "0")
    root.extend(suites)
    ET.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def _suite(target: TargetResult, report: Report, view: View) -> ET.Element:
    empty = _build(target, Fitted((), 0), report, view)
    budget = REPORT_LIMIT - len(ET.tostring(empty)) - 16 * len(empty) - _DIGITS
    # The first of a check, in the order in which `fit` takes them, pays for its case.
    worst_first = sorted(target.findings, key=lambda finding: (-finding.severity, position(finding)))
    first = {(finding.code, finding.slug): finding for finding in reversed(worst_first)}

    def size(finding: Finding) -> int:
        text = len(_escaped("\n".join(["", block(finding, View()), ""])).encode())
        if first[finding.code, finding.slug] is not finding:
            return text
        return text + len(ET.tostring(_case(target, (finding.code, finding.slug), [finding], view))) + 64

    return _build(target, fit(target.findings, size, budget), report, view)


def _build(target: TargetResult, fitted: Fitted, report: Report, view: View) -> ET.Element:
    found: dict[tuple[str, str], list[Finding]] = defaultdict(list)
    for finding in fitted.kept:
        found[finding.code, finding.slug].append(finding)
    checks = sorted({*found, *((doc.code, doc.slug) for doc in report.checks)})
    cases = [_case(target, check, found.get(check, []), view) for check in checks]
    cases = cases or [ET.Element("testcase", classname=_suite_name(target), name="conformance")]
    suite = ET.Element(
        "testsuite",
        name=_suite_name(target),
        tests=str(len(cases)),
        failures=str(sum(case.find("failure") is not None for case in cases)),
        skipped=str(sum(case.find("skipped") is not None for case in cases)),
        errors="0",
    )
    left_out = fitted.left_out + target.left_out
    suite.append(_properties(target, left_out))
    suite.extend(cases)
    notes = [summary(target), *([left_out_note(target.source, left_out)] if left_out else [])]
    ET.SubElement(suite, "system-out").text = "\n".join(notes)
    return suite


def _suite_name(target: TargetResult) -> str:
    return visible(clip(target.source, 200))


def _properties(target: TargetResult, left_out: int) -> ET.Element:
    values = {
        "series": target.series,
        "samples": target.samples,
        "bytes": target.size,
        "suppressed": target.suppressed,
        "baselined": target.baselined,
        "left_out": left_out,
    }
    element = ET.Element("properties")
    for name, value in values.items():
        ET.SubElement(element, "property", name=name, value=str(value))
    return element


def _case(target: TargetResult, check: tuple[str, str], findings: list[Finding], view: View) -> ET.Element:
    name = visible(clip(" ".join(check), 200))
    case = ET.Element("testcase", classname=_suite_name(target), name=name)
    if not findings:
        return case
    worst = max(findings, key=lambda finding: finding.severity)
    outcome = "failure" if worst.severity >= view.fail_on else "skipped"
    message = clip(visible(worst.message), 300) + repeated(worst)
    others = len(findings) - 1
    message += f" (and {others:,} more of this check)" if others else ""
    element = ET.SubElement(case, outcome, message=message, type=worst.severity.word)
    element.text = "\n".join(["", *(block(finding, View()) for finding in findings), ""])
    return case


def _escaped(text: str) -> str:
    """Return `text` as it stands in XML, inside an element whose few bytes do not matter here."""
    element = ET.Element("a")
    element.text = text
    return ET.tostring(element, encoding="unicode")
