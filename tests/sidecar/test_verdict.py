"""A verdict is the same whether a body was parsed or recognised, and says what it must early and late."""

from __future__ import annotations

from dataclasses import replace

import pytest

from obs.adapters.sidecar.client import Fetched, Outcome
from obs.adapters.sidecar.verdict import MOST_FINDINGS, PRESENCE, Judge, Past, Rules, Verdict
from obs.checks.catalogue import ALL_CHECKS, LIVE_CHECKS, OF_NUMBERS, Entry
from obs.checks.engine import Options, run
from obs.checks.example import read_example
from obs.exposition import parse
from obs.exposition.steady import Steady
from obs.model.finding import Finding
from tests.home import sources
from tests.sidecar.bodies import TEXT, full_body


def judge(warmup: float = 0.0) -> Judge:
    """A judge of everything."""
    return Judge(Rules.of(sources().registry, (*ALL_CHECKS, *LIVE_CHECKS), warmup=warmup))


def judged(who: Judge, texts: list[str], past: Past | None = None) -> list[Verdict]:
    """The verdicts on bodies that follow each other by a second."""
    past = past or Past()
    found = []
    for at, text in enumerate(texts):
        _, verdict, past = who.judge("t", Fetched(Outcome.OK, text.encode(), TEXT), past, float(at))
        found.append(verdict)
    return found


def test_a_full_body_is_conformant() -> None:
    """An agent that exposes every stable and legacy series has no finding and uses a share of its budget."""
    verdict = judged(judge(), [full_body(1), full_body(2)])[-1]
    assert (verdict.conformant, verdict.findings) == (True, ())
    assert 0 < verdict.used < 1
    assert {"agent_up", "agent_tokens_total"} <= verdict.present


BROKEN = [
    ("agent_up 1", "agent_up 2"),
    ("agent_saturation 0.5", "agent_saturation 1.5"),
    ("agent_pending_events 1000", "agent_pending_events 0.5"),
    ("agent_tokens_input_total 1000", "agent_tokens_input_total 1"),
    ("agent_restarts_total 1000", "agent_restarts_total NaN"),
    ("agent_restarts_total 1000", "agent_restarts_total -1"),
    ('phase="started"', 'phase="begun"'),
    ("# TYPE agent_up gauge", "# TYPE agent_up counter"),
    ("agent_up 1\n", ""),
]


@pytest.mark.parametrize(("old", "new"), BROKEN)
def test_recognised_or_parsed_it_is_one_verdict(old: str, new: str) -> None:
    """A judge that knows the label sets finds what one finds that sees them for the first time."""
    sound, broken = full_body(1000, moving=False), full_body(1000, moving=False).replace(old, new, 1)
    assert sound != broken
    known, fresh = judge(), judge()
    known_verdict = judged(known, [sound, broken])[-1]
    past = Past()
    for text in (sound, broken):
        fresh._shapes.clear()
        _, verdict, past = fresh.judge("t", Fetched(Outcome.OK, text.encode(), TEXT), past, 1.0)
    assert known_verdict == verdict
    assert known_verdict.findings
    assert judged(known, [sound])[-1].conformant


def test_a_finding_quotes_the_line_as_it_reads_now() -> None:
    """What is remembered of the label sets does not carry old numbers into a report."""
    odd = full_body(5) + "# HELP agent_odd Odd.\n# TYPE agent_odd gauge\nagent_odd "
    first, second = judged(judge(), [odd + "1\n", odd + "77\n"])
    assert [one.code for one in first.findings] == [one.code for one in second.findings] == ["OBS202"]


numbered = [entry for entry in ALL_CHECKS if entry.category != "format" and entry.code not in OF_NUMBERS]


@pytest.mark.parametrize("entry", numbered, ids=lambda entry: entry.slug)
@pytest.mark.parametrize("kind", ["bad", "good"])
def test_names_and_labels_decide_without_numbers(entry: Entry, kind: str) -> None:
    """A check that is not listed as one of numbers says the same when every number is another."""
    example = read_example(getattr(entry.doc, kind))
    for body in example.files.values() or [example.stdin]:
        scrape = parse(body)
        options = Options((entry,))
        lines = [
            line if not line or line.startswith("#") else line.rpartition(" ")[0] + " 7"
            for line in scrape.text.split("\n")
        ]
        other = parse("\n".join(lines).encode())
        if Steady.of(scrape) is None or Steady.of(other) is None:
            continue
        registry = sources().registry
        assert [*map(bare, run(scrape, registry, options))] == [*map(bare, run(other, registry, options))]


def bare(finding: Finding) -> Finding:
    """A finding without the line it quotes."""
    return replace(finding, excerpt="")


def test_presence_waits_for_the_warm_up() -> None:
    """What is missing is only held against a process that had time to expose it."""
    text = "# HELP agent_up Up.\n# TYPE agent_up gauge\nagent_up 1\n"
    early, late = judged(judge(warmup=1.0), [text, text])
    assert (early.conformant, early.warm) == (True, False)
    assert (late.conformant, late.warm) == (False, True)
    assert {code for code, _ in late.counts} == {"OBS210"}


def test_a_restart_warms_up_again() -> None:
    """Another process gets its own time: what it does not yet expose is no violation."""
    who = judge(warmup=2.0)
    warm = [full_body(1000 + at) for at in range(5)]
    young = "# HELP agent_loop_steps_total Steps.\n# TYPE agent_loop_steps_total counter\nagent_loop_steps_total 1\n"
    verdicts = judged(who, [*warm, young, young])
    assert [verdict.conformant for verdict in verdicts] == [True] * 7
    assert [verdict.warm for verdict in verdicts][-3:] == [True, False, False]


def test_every_check_of_presence_exists() -> None:
    """The names that wait for the warm-up are names of checks."""
    assert {entry.slug for entry in ALL_CHECKS} >= PRESENCE


def test_a_body_of_nothing_but_defects_is_cut_down() -> None:
    """Memory is bounded by how many findings are kept; the counts stay true."""
    lines = "".join(f"agent_odd_{n} x{n}\n" for n in range(5000))
    verdict = judged(judge(), [lines])[0]
    assert len(verdict.findings) <= MOST_FINDINGS
    assert sum(verdict.counts.values()) >= 5000
