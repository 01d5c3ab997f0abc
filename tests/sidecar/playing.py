"""Plays the examples of the checks across bodies: a line a series, a number a scrape."""

from __future__ import annotations

from collections.abc import Iterator

from obs.checks.catalogue import LIVE_CHECKS
from obs.checks.engine import Options, run
from obs.checks.live.example import BESIDE
from obs.checks.live.look import look
from obs.checks.live.trail import Trail, follow
from obs.exposition import parse
from obs.model.finding import Finding
from tests.home import sources

BACKGROUND = tuple(f"acme_events_{name}_total" for name in "abcdefghijkl")
"""Counters of a process that goes on, beside the series of an example."""


def bodies(example: str) -> list[str]:
    """The bodies of an example, one for each column."""
    first, *lines = example.splitlines(keepends=True)
    rows = [line.rsplit("} ", 1) if "} " in line else line.split(" ", 1) for line in lines]
    columns = [(head + "}" if "{" in head else head, numbers.split()) for head, numbers in rows]
    count = max(len(numbers) for _, numbers in columns)
    return ["".join(_lines(columns, at, beside=first == BESIDE)) for at in range(count)]


def _lines(columns: list[tuple[str, list[str]]], at: int, *, beside: bool) -> Iterator[str]:
    typed = set()
    for head, numbers in columns:
        name = head.split("{")[0]
        if name not in typed:
            kind = "counter" if name.endswith("_total") else "gauge"
            yield f"# HELP {name} What it is.\n# TYPE {name} {kind}\n"
            typed.add(name)
        if numbers[at] != "-":
            yield f"{head} {numbers[at]}\n"
    for number, name in enumerate(BACKGROUND if beside else ()):
        yield f"# HELP {name} Others.\n# TYPE {name} counter\n{name} {1000 * number + 7 * at + 1}\n"


def play(texts: list[str]) -> list[tuple[Finding, ...]]:
    """What the checks across bodies say after each body."""
    registry = sources().registry
    trail: Trail | None = None
    layout = None
    said = []
    previous = ""
    for text in texts:
        scrape = parse(text.encode())
        same = _shape(text) == _shape(previous)
        seen = look(scrape, registry, layout if same else None)
        layout, previous = seen.layout, text
        trail = follow(trail, seen)
        said.append(run(scrape, registry, Options(checks=LIVE_CHECKS, trail=trail)))
    return said


def _shape(text: str) -> list[str]:
    return [line if line.startswith("#") else line.rpartition(" ")[0] for line in text.splitlines()]


def codes(findings: tuple[Finding, ...]) -> set[str]:
    """The codes of findings."""
    return {finding.code for finding in findings}
