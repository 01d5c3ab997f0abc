"""Suppressions silence what they name, until their date, and tell when they do nothing."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from obs.model.finding import Finding, Location, Severity
from obs.model.report import Report, TargetResult
from obs.report.suppress import SUPPRESSION_CHECKS, Suppression, suppress, suppress_in_report
from tests.report.sample import CLOSED, NEAR, REPORT
from tests.report.strategies import FINDINGS

TODAY = date(2026, 3, 31)
PLACE = Location("obs.yaml", 14, 5)


def entry(code: str = "OBS206", scope: str = "agent_*", until: date | None = None) -> Suppression:
    """Return a suppression written on line 14 of obs.yaml."""
    return Suppression(code, scope, "fixed in the next release", PLACE, until)


@pytest.mark.parametrize(
    ("suppression", "silences"),
    [
        (entry(), True),
        (entry(code="value-outside-domain"), True),
        (entry(scope="agent_tasks_total"), True),
        (entry(scope="build/*.txt"), True),
        (entry(scope="*"), True),
        (entry(until=TODAY), True),
        (entry(until=date(2026, 3, 30)), False),
        (entry(code="OBS204"), False),
        (entry(scope="agent_tasks"), False),
        (entry(scope="AGENT_*"), False),
    ],
)
def test_what_is_silenced(suppression: Suppression, *, silences: bool) -> None:
    """Code or slug, and a glob over subject or source, up to and including the last day."""
    split = suppress([CLOSED], (suppression,), TODAY)
    assert (split.suppressed == (CLOSED,)) is silences
    assert (split.kept == (CLOSED,)) is not silences


def test_unused_is_a_finding_at_its_place() -> None:
    """A suppression that silences nothing is reported where it is written."""
    (extra,) = suppress([CLOSED], (entry(code="OBS999"),), TODAY).extra
    assert (extra.code, extra.severity, extra.location) == ("OBS901", Severity.WARNING, PLACE)
    assert "`OBS999`" in extra.message
    assert extra.remedy


def test_expired_is_a_finding_with_its_reason() -> None:
    """An expired suppression is reported with its date and reason, and not also as unused."""
    (extra,) = suppress([], (entry(until=date(2026, 1, 31)),), TODAY).extra
    assert extra.code == "OBS902"
    assert "2026-01-31" in extra.message
    assert "fixed in the next release" in extra.message


def test_a_code_that_was_not_looked_for_is_not_unused() -> None:
    """With `--select` a suppression of another code says nothing about the target."""
    assert suppress([], (entry(),), TODAY, ran={"OBS204"}).extra == ()
    assert len(suppress([], (entry(),), TODAY, ran={"OBS206"}).extra) == 1


def test_all_that_cover_a_finding_are_used() -> None:
    """Two suppressions of one finding are both in use."""
    assert suppress([CLOSED], (entry(), entry(scope="*")), TODAY).extra == ()


def test_a_suppression_of_one_target_is_used_in_a_run_of_several() -> None:
    """Use is judged over all targets; what is suppressed is counted where it was found."""
    report = suppress_in_report(REPORT, (entry("OBS301"), entry("OBS206"), entry("OBS999")), TODAY)
    assert [target.source for target in report.targets] == [
        *(target.source for target in REPORT.targets),
        "obs.yaml",
    ]
    assert report.targets[0].suppressed == REPORT.targets[0].suppressed + 1205
    assert NEAR in report.targets[0].findings
    assert [finding.code for finding in report.targets[-1].findings] == ["OBS901"]


def test_a_collapsed_finding_is_counted_as_often_as_it_was_seen() -> None:
    """A finding that stands for many takes them all along when it is suppressed."""
    report = Report((TargetResult("a", (replace(CLOSED, count=40),), suppressed=2),))
    assert suppress_in_report(report, (entry(),), TODAY).targets[0].suppressed == 42


@given(
    st.lists(FINDINGS, max_size=6),
    st.lists(
        st.builds(
            entry,
            st.sampled_from(["OBS101", "OBS206", "x"]),
            st.sampled_from(["*", "a", "[", "?"]),
            st.none() | st.dates(),
        ),
        max_size=4,
    ).map(tuple),
)
def test_nothing_is_lost(findings: list[Finding], suppressions: tuple[Suppression, ...]) -> None:
    """Each finding is kept or suppressed, and each suppression is used or reported."""
    split = suppress(findings, suppressions, TODAY)
    assert sorted(map(id, (*split.kept, *split.suppressed))) == sorted(map(id, findings))
    used = [each for each in suppressions if not each.expired(TODAY) and any(map(each.covers, findings))]
    assert len(split.extra) + len(used) == len(suppressions)


def test_codes_are_frozen() -> None:
    """The codes about suppressions never change."""
    assert [(doc.code, doc.slug) for doc in SUPPRESSION_CHECKS] == [
        ("OBS901", "unused-suppression"),
        ("OBS902", "expired-suppression"),
    ]
