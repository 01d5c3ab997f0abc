"""Codes never change; selections mean what they say; pages are current."""

from __future__ import annotations

from pathlib import Path

import pytest

from obs.checks.catalogue import ALL_CHECKS, CATEGORIES, select
from obs.checks.check import Check
from obs.checks.page import index, markdown, plain
from obs.cli.known import all_docs
from obs.errors import UsageError
from tests.conftest import Golden
from tests.home import REPO

FROZEN = Path(__file__).parent / "frozen_codes.txt"


def test_codes_are_frozen() -> None:
    """A code keeps its meaning for ever: lines may be added to the file, never changed."""
    frozen = [tuple(line.split()) for line in FROZEN.read_text().splitlines()]
    assert [tuple(entry) for entry in ALL_CHECKS] == frozen


def test_codes_and_slugs_are_unique_everywhere() -> None:
    """No two checks share a code or a slug, documents included."""
    docs = list(all_docs())
    assert len({doc.code for doc in docs}) == len(docs)
    assert len({doc.slug for doc in docs}) == len(docs)


@pytest.mark.parametrize("category", CATEGORIES)
def test_a_category_selects_its_checks(category: str) -> None:
    """`--select` of a category takes the checks of it and no others."""
    assert {entry.category for entry in select([category])} == {category}


def test_selections_combine() -> None:
    """Codes, slugs and categories add up; --ignore takes away from them, in any case of letters."""
    assert [entry.code for entry in select(["obs206", "wrong-type"])] == ["OBS201", "OBS206"]
    left = select(["contract", "OBS301"], ["OBS206", "absent-metric"])
    assert {"OBS301", "OBS201"} <= {entry.code for entry in left}
    assert not {"OBS206", "OBS210", "OBS302"} & {entry.code for entry in left}


@pytest.mark.parametrize(
    ("wanted", "unwanted", "says"),
    [
        (["contrct"], [], "did you mean `contract`?"),
        (["OBS9999"], [], "OBS9999"),
        ([], ["forbiden-label"], "did you mean `forbidden-label`?"),
        (["style"], ["style"], "no check is left"),
        (["a", "b"], [], "`b`"),
    ],
)
def test_a_wrong_selection_is_refused(wanted: list[str], unwanted: list[str], says: str) -> None:
    """A misspelt word, or nothing left to check, is an error with a hint: it must not pass as clean."""
    with pytest.raises(UsageError) as caught:
        select(wanted, unwanted)
    assert says in str(caught.value)


@pytest.mark.golden
def test_pages_are_current(golden: Golden) -> None:
    """Each check has its page, as the check itself writes it, and no page is left over."""
    pages = {}
    for doc in all_docs():
        pages[REPO / doc.page] = markdown(doc)
    for entry in ALL_CHECKS:
        check = entry.load()
        consumer = check.consumer.word if isinstance(check, Check) and check.consumer else ""
        pages[REPO / check.doc.page] = markdown(check.doc, consumer)
    pages[REPO / "docs" / "checks" / "README.md"] = index(all_docs())
    for path, text in pages.items():
        golden(path, text)
    assert set((REPO / "docs" / "checks").glob("*.md")) == set(pages)


def test_a_page_shows_what_cannot_be_printed() -> None:
    """Bytes that are not text, and marks one cannot see, are escapes on a page and in a terminal."""
    text = {doc.slug: plain(doc) for doc in all_docs()}
    assert "\\x1f\\x8b" in text["gzip-body"]
    assert "\\ufeff" in text["byte-order-mark"]
    assert all(line.isprintable() for page in text.values() for line in page.split("\n"))
