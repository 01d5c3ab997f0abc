"""What every format promises, whatever the text of a finding is."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest
from fluidattacks_core.sarif import SarifLog
from hypothesis import given, settings
from jsonschema import Draft202012Validator

from obs.errors import UsageError
from obs.model.check import CheckDoc
from obs.model.finding import Finding, Location, Severity
from obs.model.report import Report, TargetResult
from obs.report.collapse import REPORT_LIMIT
from obs.report.formats import FORMATS, render
from obs.report.view import View, fails
from tests.report.sample import REPORT
from tests.report.strategies import REPORTS

if TYPE_CHECKING:
    from tests.conftest import Golden

GOLDEN = Path(__file__).parent / "golden"
SCHEMA = json.loads(files("obs.report").joinpath("report.schema.json").read_text())
VALIDATOR = Draft202012Validator(SCHEMA)
CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
COMMAND = re.compile(r"::(error|warning|notice) ([a-zA-Z]+=[^,:]*,?)+::.*")

GOLDENS = {
    "report.txt": ("text", View()),
    "report-80.txt": ("text", View(width=80)),
    "report-40.txt": ("text", View(width=40)),
    "report-colour.txt": ("text", View(colour=True, width=80)),
    "report.json": ("json", View()),
    "report.sarif": ("sarif", View()),
    "report.github.txt": ("github", View()),
    "report.junit.xml": ("junit", View()),
    "report-fail-on-info.junit.xml": ("junit", View(fail_on=Severity.INFO)),
}


@pytest.mark.golden
@pytest.mark.parametrize("name", GOLDENS)
def test_sample_report(name: str, golden: Golden) -> None:
    """The sample report reads as the golden file does."""
    fmt, view = GOLDENS[name]
    golden(GOLDEN / name, render(REPORT, fmt, view))


def test_no_golden_is_left_over() -> None:
    """Every golden file belongs to a format."""
    assert {path.name for path in GOLDEN.iterdir()} == set(GOLDENS)


@pytest.mark.parametrize("name", FORMATS)
@given(report=REPORTS)
@settings(max_examples=60, deadline=None)
def test_any_report_is_clean_text(name: str, report: Report) -> None:
    """No format lets a control, a direction mark or a lone surrogate through, and all end in a newline."""
    text = render(report, name)
    assert not CONTROL.search(text)
    assert text.endswith("\n") or not report.targets
    text.encode()


@given(report=REPORTS)
@settings(max_examples=100, deadline=None)
def test_json_follows_its_schema(report: Report) -> None:
    """Any report is valid JSON of the shipped schema, and accounts for every finding."""
    document = json.loads(render(report, "json"))
    VALIDATOR.validate(document)
    for target, given_target in zip(document["targets"], report.targets, strict=True):
        shown = sum(row["count"] for row in target["findings"])
        found = sum(finding.count for finding in given_target.findings)
        assert shown + target["left_out"] == found + given_target.left_out
        assert target["occurrences"] == found


@given(report=REPORTS)
@settings(max_examples=100, deadline=None)
def test_sarif_follows_the_standard(report: Report) -> None:
    """Any report is a SARIF log of the official schema whose results name their rules."""
    document = json.loads(render(report, "sarif"))
    SarifLog.model_validate(document)
    (run,) = document["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert run["columnKind"] == "unicodeCodePoints"
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["message"]["text"]
        assert result["partialFingerprints"]["obsFinding/v1"]
        region = result["locations"][0]["physicalLocation"].get("region", {"startLine": 1})
        assert region["startLine"] >= 1
        assert region.get("endColumn", 1 << 30) > region.get("startColumn", 1)
    uris = [artifact["location"]["uri"] for artifact in run["artifacts"]]
    assert len(uris) == len(set(uris))
    assert all(re.fullmatch(r"[!#-;=?-\[\]_a-z~%]+", uri) for uri in uris)


@given(report=REPORTS)
@settings(max_examples=100, deadline=None)
def test_github_is_one_command_a_line(report: Report) -> None:
    """Each line is one complete command or a summary that no runner takes for one."""
    for line in render(report, "github").splitlines():
        assert COMMAND.fullmatch(line) or line.startswith("obs: ")
        assert "##[" not in line or line.startswith("::")


@given(report=REPORTS)
@settings(max_examples=100, deadline=None)
def test_junit_is_xml_that_adds_up(report: Report) -> None:
    """Any report parses as XML, one suite a target, and the counts are those of the cases."""
    root = ET.fromstring(render(report, "junit"))
    assert len(root) == len(report.targets)
    for suite in root:
        cases = suite.findall("testcase")
        assert cases
        assert int(suite.attrib["tests"]) == len(cases)
        for tag, attribute in (("failure", "failures"), ("skipped", "skipped")):
            assert int(suite.attrib[attribute]) == sum(case.find(tag) is not None for case in cases)
        assert len({case.attrib["name"] for case in cases}) == len(cases) or report.checks


@given(report=REPORTS)
@settings(max_examples=100, deadline=None)
def test_colour_adds_only_colour(report: Report) -> None:
    """Without its escapes the coloured text is the plain one."""
    for width in (0, 40, 80):
        coloured = render(report, "text", View(colour=True, width=width))
        assert re.sub(r"\x1b\[[\d;]*m", "", coloured) == render(report, "text", View(width=width))


def flood(char: str, number: int, codes: int) -> Report:
    """Return a report on one body with `number` findings that are all different and as long as may be."""
    findings = tuple(
        Finding(
            code=f"OBS{index % codes:03d}",
            slug=f"slug-{char * 90}",
            category=char * 90,
            severity=Severity(index % 3 + 1),
            message=f"{chr(0x4E00 + index)} {char * 1900}",
            location=Location(f"{char * 900}.txt", index + 1, 4000, 4010, path=char * 900),
            remedy=char * 900,
            subject=f"metric_{chr(0x4E00 + index)}",
            excerpt=char * 5000,
            related=(Location(char * 900, 1),) * 20,
        )
        for index in range(number)
    )
    docs = tuple(
        CheckDoc(f"OBS{code:03d}", f"slug-{char * 90}", "format", Severity.ERROR, *[char * 100] * 4)
        for code in range(codes)
    )
    return Report((TargetResult(f"{char * 900}.txt", findings, 1, 1, 1),), docs)


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("char", ["x", '"', "\x01", "é", "名", "\U0001f600", "%", "&", "<", "\ud800"])
def test_a_body_gets_at_most_a_mebibyte(name: str, char: str) -> None:
    """However many and however long the findings, the report fits and says how many it left out."""
    text = render(flood(char, 1000, 40), name)
    assert len(text.encode()) <= REPORT_LIMIT
    assert re.search(r"[\d,]+ findings left out of this report|\"left_out\": [1-9]", text)


@pytest.mark.parametrize("name", FORMATS)
def test_the_limit_is_used(name: str) -> None:
    """A report that leaves findings out has used most of its room: the limit does not hide what would fit."""
    assert len(render(flood("x", 1000, 5), name).encode()) > REPORT_LIMIT * 0.8


def test_the_worst_is_kept() -> None:
    """What is left out is never worse than what is shown."""
    document = json.loads(render(flood("x", 1000, 5), "json"))
    (target,) = document["targets"]
    assert {row["severity"] for row in target["findings"]} == {"error"}
    assert target["counts"] == {"error": 333, "warning": 333, "info": 334}


@pytest.mark.parametrize(
    ("severity", "level"),
    [(Severity.ERROR, "error"), (Severity.WARNING, "warning"), (Severity.INFO, "notice")],
)
def test_github_level_is_the_severity(severity: Severity, level: str) -> None:
    """A warning is annotated as a warning, not as an error."""
    finding = replace(REPORT.targets[0].findings[-1], severity=severity)
    report = Report((TargetResult("a.txt", (finding,)),))
    assert render(report, "github").startswith(f"::{level} file=build/metrics.txt,line=7,")


def test_unknown_format_is_refused_with_the_nearest() -> None:
    """A misspelt format is an error that names the format meant."""
    with pytest.raises(UsageError) as caught:
        render(REPORT, "jsn")
    (problem,) = caught.value.problems
    assert problem.remedy == "did you mean `json`?"
    assert "`sarif`" in problem.message


@pytest.mark.parametrize(
    ("severity", "fail_on", "verdict"),
    [(found, limit, found >= limit) for found in Severity for limit in Severity],
)
def test_verdict(severity: Severity, fail_on: Severity, *, verdict: bool) -> None:
    """A run fails when something is at least as severe as asked for, and never when nothing was found."""
    finding = replace(REPORT.targets[0].findings[-1], severity=severity)
    assert fails(Report((TargetResult("a"), TargetResult("b", (finding,)))), fail_on) is verdict
    assert not fails(Report((TargetResult("a", baselined=3, suppressed=1),)), fail_on)


def test_no_link_can_be_smuggled_into_sarif() -> None:
    """A label value that looks like a link is shown as text."""
    finding = replace(REPORT.targets[0].findings[-1], message="`[click](https://example.com)`")
    assert "](" not in render(Report((TargetResult("a", (finding,)),)), "sarif")


def test_nothing_depends_on_the_order_of_findings() -> None:
    """The same findings in another order give the same bytes."""
    turned = Report(
        tuple(replace(target, findings=target.findings[::-1]) for target in REPORT.targets), REPORT.checks
    )
    distinct = [name for name in FORMATS if render(turned, name) != render(REPORT, name)]
    assert distinct == []
