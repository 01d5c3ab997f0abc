"""Findings on a whole input that differ in their subject alone, shown as one: thirty absent metrics are one paragraph.

Only the report for people folds. What machines read (JSON, SARIF, JUnit, annotations) has a row for each.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import groupby
from os.path import commonprefix
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from obs.model.finding import Finding

LEAST = 4
"""How many findings alike make a paragraph; fewer are shown one by one, each with its own way out."""

_ANY = "`...`"


@dataclass(frozen=True, slots=True)
class Fold:
    """One finding that speaks for several: its message names no subject, `subjects` are all of them, in order."""

    finding: Finding
    subjects: tuple[str, ...]


def folded(findings: Iterable[Finding]) -> tuple[Finding | Fold, ...]:
    """Return `findings` in their order, neighbours that say the same about `LEAST` subjects or more as one."""
    rows: list[Finding | Fold] = []
    for key, group in groupby(findings, _said):
        alike = tuple(group)
        rows += [_fold(alike)] if key and len(alike) >= LEAST else alike
    return tuple(rows)


def _said(finding: Finding) -> tuple[str, ...]:
    """Return what a finding says apart from its subject; nothing when it has a place or another shape."""
    place, subject = finding.location, f"`{finding.subject}`"
    if place.line or place.path or finding.related or not finding.subject or subject not in finding.message:
        return ()
    return (place.source, finding.code, finding.severity.word, _without_subject(finding))


def _without_subject(finding: Finding) -> str:
    return finding.message.replace(f"`{finding.subject}`", _ANY)


def _fold(alike: tuple[Finding, ...]) -> Fold:
    first = alike[0]
    one = replace(
        first,
        message=_message(len(alike), _without_subject(first)),
        remedy=_shared(tuple(finding.remedy for finding in alike)),
        count=sum(finding.count for finding in alike) - len(alike) + 1,
    )
    return Fold(one, tuple(finding.subject for finding in alike))


def _message(number: int, said: str) -> str:
    if said.startswith(f"{_ANY} ") and said.count(_ANY) == 1:
        return f"each of these {number}{said.removeprefix(_ANY)}"
    return f"{number} times: {said}"


def _shared(remedies: tuple[str, ...]) -> str:
    """Return what the remedies have in common, up to the colon behind which each speaks of its own subject."""
    if len(set(remedies)) == 1:
        return remedies[0]
    return commonprefix(remedies).rpartition(": ")[0]  # noqa: RUF071 - texts are compared by character
