"""Collapsing counts everything and loses nothing but repetition."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from obs.model.finding import Finding, Location, Severity
from obs.report.collapse import SHAPES_PER_SUBJECT, bounded, collapse, fit, position
from tests.report.strategies import FINDINGS

LISTS = st.lists(FINDINGS, max_size=12)


def finding(message: str, line: int = 1, subject: str = "m", severity: Severity = Severity.ERROR) -> Finding:
    """Return a finding about `subject` that says `message`."""
    return Finding("OBS301", "x", "cardinality", severity, message, Location("a", line, 3), subject=subject)


@given(LISTS)
def test_counts_are_conserved(findings: list[Finding]) -> None:
    """Per code, severity and subject, the counts add up to what was found."""

    def totals(rows: tuple[Finding, ...]) -> Counter[tuple[str, Severity, str]]:
        counter: Counter[tuple[str, Severity, str]] = Counter()
        for row in rows:
            counter[row.code, row.severity, row.subject] += row.count
        return counter

    assert totals(collapse(findings)) == totals(tuple(findings))


@given(LISTS)
def test_collapse_is_idempotent_and_sorted(findings: list[Finding]) -> None:
    """Collapsing again changes nothing, and the rows are in order of place."""
    once = collapse(findings)
    assert collapse(once) == once
    assert list(once) == sorted(once, key=position)


@given(LISTS, st.randoms(use_true_random=False))
def test_order_of_finding_does_not_matter(findings: list[Finding], random: object) -> None:
    """The same findings in another order collapse to the same rows."""
    shuffled = list(findings)
    random.shuffle(shuffled)  # type: ignore[attr-defined] # hypothesis types it as object here

    def essence(rows: list[Finding]) -> list[tuple[object, ...]]:
        return [(position(row), row.subject, row.severity, row.count, row.message) for row in collapse(rows)]

    assert essence(shuffled) == essence(findings)


def test_like_findings_become_one() -> None:
    """The first place is kept, and the others are counted."""
    rows = collapse([finding(f"series `m` has {number} values", line=number) for number in range(50, 0, -1)])
    assert [(row.location.line, row.count) for row in rows] == [(1, 50)]


def test_different_words_stay_different() -> None:
    """Two misspelt values are two findings: fixing the one does not fix the other."""
    rows = collapse(
        [finding('`outcome="sucess"` is unknown'), finding('`outcome="faild"` is unknown', line=2)]
    )
    assert len(rows) == 2


def test_different_subjects_and_severities_stay_different() -> None:
    """The same words about another metric, or with another severity, are another finding."""
    rows = collapse([finding("x"), finding("x", subject="n"), finding("x", severity=Severity.INFO)])
    assert len(rows) == 3


def test_many_shapes_of_one_subject_are_counted_on_the_last() -> None:
    """A label with a thousand free-text values takes a screen, not the whole report."""
    words = ["".join(chr(97 + int(digit)) for digit in str(number)) for number in range(1000)]
    rows = collapse([finding(f"`{word}` is unknown", line=at + 1) for at, word in enumerate(words)])
    assert len(rows) == SHAPES_PER_SUBJECT
    assert sum(row.count for row in rows) == 1000
    assert rows[-1].count == 1000 - SHAPES_PER_SUBJECT + 1


@given(FINDINGS)
def test_bounding_keeps_the_marked_character(row: Finding) -> None:
    """A cut excerpt still has the character that the column names."""
    index = row.location.column - 1 - row.excerpt_offset
    cut = bounded(row)
    new_index = cut.location.column - 1 - cut.excerpt_offset
    if 0 <= index < len(row.excerpt):
        assert cut.excerpt[new_index] == row.excerpt[index]
    assert len(cut.excerpt) <= 500
    assert bounded(cut) == cut


def test_a_cut_excerpt_knows_what_came_before() -> None:
    """A line of which the middle is kept still finds its column, counted from the start of the line."""
    line = "".join(chr(0x4E00 + number) for number in range(3000))
    row = replace(finding("x"), location=Location("a", 1, 2001), excerpt=line)
    cut = bounded(row)
    assert cut.excerpt_offset > 0
    assert cut.excerpt[2000 - cut.excerpt_offset] == line[2000]
    assert bounded(replace(row, excerpt=line[700:], excerpt_offset=700)).excerpt == cut.excerpt


def test_fit_takes_the_worst_first_and_restores_the_order() -> None:
    """With room for two, the errors stay, by position, and the rest is counted with its repetitions."""
    rows = (
        replace(finding("a", line=1, severity=Severity.INFO), count=5),
        finding("b", line=2),
        finding("c", line=3, severity=Severity.WARNING),
        finding("d", line=4),
    )
    fitted = fit(rows, lambda _: 10, 25)
    assert [row.location.line for row in fitted.kept] == [2, 4]
    assert fitted.left_out == 6
