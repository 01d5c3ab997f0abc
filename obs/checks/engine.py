"""Runs checks over a body: pure, the same for `obs lint`, a live check and the sidecar."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from obs.checks.budgets import Budgets, of_registry
from obs.checks.catalogue import ALL_CHECKS, Entry, by_slug
from obs.checks.check import Check, Hit, Profile
from obs.checks.context import Context
from obs.exposition import Diagnosis, DiagnosisKind, Scrape
from obs.model.finding import Finding, Location, Severity
from obs.model.metric import Registry

if TYPE_CHECKING:  # what one body is judged by does not need it
    from obs.checks.live.trail import Trail

EXCERPT = 400
"""Characters of a line that a finding carries, around its column."""

MOST_HITS = 1_000
"""Findings of one check that are kept for one body; the last of them counts those that are not."""

NO_REGISTRY = Registry(
    metrics=(), domains=(), prefix="", version=(1, 0), contract_version="", sha256="", groups=()
)
"""What a body is held against when only its format matters: no metric belongs to it."""


@dataclass(frozen=True, slots=True)
class Options:
    """What to look for.

    `budgets` replace those of the registry; `previous` is an earlier body of the target, `trail` its past with this
    body included (the checks that need it are `LIVE_CHECKS`).
    """

    checks: tuple[Entry, ...] = ALL_CHECKS
    profile: Profile = Profile.PRODUCER
    budgets: Budgets | None = None
    previous: Scrape | None = None
    trail: Trail | None = None


def run(scrape: Scrape, registry: Registry | None, options: Options | None = None) -> tuple[Finding, ...]:
    """Return what is wrong with a body, by line; without a registry, what can be judged without one.

    A body in which nothing could be read has only findings about its format: one defect, one finding.
    """
    options = options or Options()
    checked_against = registry or NO_REGISTRY
    budgets = options.budgets or of_registry(checked_against)
    context = Context(scrape, checked_against, budgets, options.previous, options.trail)
    found = [*_diagnosed(scrape, options), *_checked(context, options)]
    return tuple(sorted(found, key=lambda one: (one.location.line, one.location.column, one.code)))


def _diagnosed(scrape: Scrape, options: Options) -> Iterator[Finding]:
    """Yield the parser's diagnoses as findings; the last kept of a kind counts those that were not kept."""
    wanted = set(options.checks)
    kept = Counter(one.kind for one in scrape.diagnoses)
    for diagnosis in scrape.diagnoses:
        entry = by_slug()[diagnosis.kind.value]
        kept[diagnosis.kind] -= 1
        if entry not in wanted:
            continue
        finding = _of_diagnosis(scrape, entry, diagnosis)
        if kept[diagnosis.kind] == 0:
            finding = replace(finding, count=1 + _dropped(scrape, diagnosis.kind))
        yield finding


def _dropped(scrape: Scrape, kind: DiagnosisKind) -> int:
    return scrape.diagnosis_counts[kind.value] - sum(one.kind is kind for one in scrape.diagnoses)


def _of_diagnosis(scrape: Scrape, entry: Entry, diagnosis: Diagnosis) -> Finding:
    fatal = "; Prometheus drops the whole scrape" if diagnosis.fatal else ""
    place = (diagnosis.line, diagnosis.column, diagnosis.end_column)
    hit = Hit(
        diagnosis.message + fatal,
        *place,
        diagnosis.remedy,
        diagnosis.subject,
        diagnosis.kind.severity,
        diagnosis.related_lines,
    )
    return _finding(scrape, entry, hit, diagnosis.kind.severity)


def _checked(context: Context, options: Options) -> Iterator[Finding]:
    unread = context.scrape.sample_count == 0
    for entry in options.checks:
        if _is_diagnosis(entry) or (unread and entry.category != "format"):
            continue
        check = entry.load()
        if isinstance(check, Check):
            yield from _findings(context.scrape, entry, check, options.profile, check.find(context))


def _is_diagnosis(entry: Entry) -> bool:
    return entry.category == "format" and entry.slug != "no-samples"


def _findings(
    scrape: Scrape, entry: Entry, check: Check, profile: Profile, hits: Iterator[Hit]
) -> Iterator[Finding]:
    severity = check.severity(profile)
    last: Finding | None = None
    for number, hit in enumerate(hits):
        if last is not None and number >= MOST_HITS:
            last = replace(last, count=last.count + hit.count)
            continue
        if last is not None:
            yield last
        last = _finding(scrape, entry, hit, hit.severity or severity)
    if last is not None:
        yield last


def _finding(scrape: Scrape, entry: Entry, hit: Hit, severity: Severity) -> Finding:
    excerpt, offset = _excerpt(scrape, hit)
    return Finding(
        code=entry.code,
        slug=entry.slug,
        category=entry.category,
        severity=severity,
        message=hit.message,
        location=Location(scrape.source, hit.line, hit.column, hit.end_column),
        remedy=hit.remedy,
        subject=hit.subject,
        excerpt=excerpt,
        related=tuple(Location(scrape.source, line) for line in hit.related),
        count=hit.count,
        excerpt_offset=offset,
    )


def _excerpt(scrape: Scrape, hit: Hit) -> tuple[str, int]:
    """Return the part of the line around the column, and how many characters come before it."""
    if not hit.line:
        return "", 0
    text = scrape.line_text(hit.line)
    start = max(0, min(hit.column - 1 - EXCERPT // 2, len(text) - EXCERPT))
    return text[start : start + EXCERPT], start
