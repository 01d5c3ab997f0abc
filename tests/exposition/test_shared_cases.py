"""The shared corpora: official parser cases, real bodies, reported faults. One test a case."""

from __future__ import annotations

import pytest

from benchmarks.scores import CORPORA, Case, shared_folder

FOLDER = shared_folder()
CASES = [
    pytest.param(case, id=f"{title}-{case.name}")
    for title, cases in CORPORA
    for case in (cases(FOLDER) if FOLDER else ())
]
SIZES = {"openmetrics_suite": 211, "scrapes": 20, "faults": 24, "findings": 36}


@pytest.mark.skipif(FOLDER is None, reason="OBS_SHARED does not name a folder of shared cases")
@pytest.mark.parametrize("title", SIZES)
def test_a_corpus_is_complete(title: str) -> None:
    """All cases were walked: a score over a part would be no score."""
    assert FOLDER is not None
    assert len(list(dict(CORPORA)[title](FOLDER))) >= SIZES[title]


@pytest.mark.skipif(FOLDER is None, reason="OBS_SHARED does not name a folder of shared cases")
@pytest.mark.parametrize("case", CASES)
def test_a_shared_case_gets_the_right_verdict(case: Case) -> None:
    """The verdict on the case is the recorded one."""
    assert not case.wrong
