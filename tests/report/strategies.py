"""Findings and reports of any text, for the laws that hold whatever a target exposes."""

from __future__ import annotations

from hypothesis import strategies as st

from obs.model.check import CheckDoc
from obs.model.finding import Finding, Location, Severity
from obs.model.report import Report, TargetResult

# Lone surrogates are how undecodable bytes of a body reach a finding.
ANY_TEXT = st.text(st.characters(), max_size=80)
NASTY = st.sampled_from(
    [
        "",
        "\x00\x1b[31m\r\n",
        "::error file=x::y",
        "##[error]x",
        "]]>",
        "</failure>",
        "&amp;",
        "\ud800\udc80\udcff",
        "\ufffe\uffff\ufeff",
        "\u202e\u2066",
        "%0A%25",
        "名前" * 60,
        "e\u0301" * 9,
        "\t" * 300,
        "x" * 3000,
        "- -- --- {0} {} [a](b)",
    ]
)
TEXT = st.one_of(ANY_TEXT, NASTY)
SOURCE = st.one_of(
    TEXT, st.sampled_from(["-", "a/b.txt", "/abs/metrics.txt", "http://h:1/metrics?a=b%20c", "C:\\m.txt"])
)
NUMBER = st.integers(0, 400)

LOCATIONS = st.builds(Location, SOURCE, NUMBER, NUMBER, NUMBER, TEXT)
FINDINGS = st.builds(
    Finding,
    code=st.one_of(st.sampled_from(["OBS101", "OBS206"]), TEXT),
    slug=TEXT,
    category=TEXT,
    severity=st.sampled_from(Severity),
    message=TEXT,
    location=LOCATIONS,
    remedy=TEXT,
    subject=st.one_of(st.sampled_from(["a", "b"]), TEXT),
    excerpt=TEXT,
    related=st.lists(LOCATIONS, max_size=3).map(tuple),
    count=st.integers(1, 5000),
    excerpt_offset=st.integers(0, 50),
)
CHECK_DOCS = st.builds(
    CheckDoc,
    st.sampled_from(["OBS101", "OBS206", "OBS999"]),
    TEXT,
    TEXT,
    st.sampled_from(Severity),
    TEXT,
    TEXT,
    TEXT,
    TEXT,
)
TARGETS = st.builds(
    TargetResult,
    SOURCE,
    st.lists(FINDINGS, max_size=6).map(tuple),
    NUMBER,
    NUMBER,
    NUMBER,
    NUMBER,
    NUMBER,
    NUMBER,
)
REPORTS = st.builds(
    Report, st.lists(TARGETS, max_size=3).map(tuple), st.lists(CHECK_DOCS, max_size=3).map(tuple)
)
