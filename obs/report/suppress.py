"""Suppressions: findings that an operator silences for a reason and until a date."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from obs.model.check import CheckDoc
from obs.model.finding import Finding, Location, Severity
from obs.model.report import TargetResult
from obs.report.view import occurrences

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from datetime import date

    from obs.model.report import Report

UNUSED = CheckDoc(
    code="OBS901",
    slug="unused-suppression",
    category="suppressions",
    severity=Severity.WARNING,
    summary="A suppression silences nothing.",
    why=(
        "The defect it was written for is gone, or its scope is misspelt and the finding it should silence "
        "is reported elsewhere. Left in place it silences the next defect that happens to match."
    ),
    bad=(
        "suppressions:\n  - code: OBS201\n    scope: agent_no_such_metric\n"
        "    reason: gone since the rewrite\n"
    ),
    good="suppressions: []\n",
    remedy="Remove the suppression, or correct its code and scope.",
)

EXPIRED = CheckDoc(
    code="OBS902",
    slug="expired-suppression",
    category="suppressions",
    severity=Severity.WARNING,
    summary="A suppression is past its `until` date and no longer holds.",
    why=(
        "A suppression buys time. Once the time is over the finding counts again, so that a stopgap does not "
        "become the rule unnoticed."
    ),
    bad=(
        "suppressions:\n  - code: OBS201\n    scope: agent_*\n    reason: fixed in the next release\n"
        "    until: 2020-01-31\n"
    ),
    good=(
        "suppressions:\n  - code: OBS201\n    scope: agent_*\n    reason: fixed in the next release\n"
        "    until: 2099-12-31\n"
    ),
    remedy="Fix what it silences, or decide on a new date.",
)

SUPPRESSION_CHECKS = (UNUSED, EXPIRED)
"""The documentation of the two codes that this module reports."""


@dataclass(frozen=True, slots=True)
class Suppression:
    """One entry of `suppressions` in obs.yaml.

    `code` is a code or its slug; `scope` a shell glob (`*`, `?`, `[...]`, case matters) over the subject or
    the source of a finding; `until` the last day on which it holds (None: for ever); `location` its place.
    """

    code: str
    scope: str
    reason: str
    location: Location
    until: date | None = None

    def expired(self, today: date) -> bool:
        """Return whether `today` is after the last day."""
        return self.until is not None and today > self.until

    def covers(self, finding: Finding) -> bool:
        """Return whether `finding` has the code and lies in the scope."""
        return self.code in {finding.code, finding.slug} and (
            fnmatchcase(finding.subject, self.scope) or fnmatchcase(finding.location.source, self.scope)
        )


@dataclass(frozen=True, slots=True)
class Suppressed:
    """What suppressions made of findings: `kept`, `suppressed`, and `extra` findings about themselves."""

    kept: tuple[Finding, ...]
    suppressed: tuple[Finding, ...]
    extra: tuple[Finding, ...]


def suppress(
    findings: Iterable[Finding],
    suppressions: tuple[Suppression, ...],
    today: date,
    ran: Collection[str] | None = None,
) -> Suppressed:
    """Return `findings` split by `suppressions`, with a finding for each that is unused or expired.

    `findings` are those of all targets of the run, or a suppression for one would look unused in another.
    `ran` names the codes and slugs that were looked for (None: all): a suppression of another code is not
    unused.
    """
    holding = [each for each in suppressions if not each.expired(today)]
    used: set[int] = set()
    kept: list[Finding] = []
    suppressed: list[Finding] = []
    for finding in findings:
        covering = [number for number, each in enumerate(holding) if each.covers(finding)]
        used.update(covering)
        (suppressed if covering else kept).append(finding)
    unused = [
        each
        for number, each in enumerate(holding)
        if number not in used and (ran is None or each.code in ran)
    ]
    extra = [*map(_expired, (each for each in suppressions if each.expired(today))), *map(_unused, unused)]
    return Suppressed(tuple(kept), tuple(suppressed), tuple(extra))


def _unused(suppression: Suppression) -> Finding:
    message = f"the suppression of `{suppression.code}` for `{suppression.scope}` silences nothing"
    return _finding(UNUSED, suppression, message, "remove it, or correct its code and scope")


def _expired(suppression: Suppression) -> Finding:
    message = (
        f"the suppression of `{suppression.code}` for `{suppression.scope}` ended on {suppression.until}"
        f" (reason: {suppression.reason})"
    )
    return _finding(EXPIRED, suppression, message, "fix what it silences, or decide on a new date")


def _finding(doc: CheckDoc, suppression: Suppression, message: str, remedy: str) -> Finding:
    return Finding(
        code=doc.code,
        slug=doc.slug,
        category=doc.category,
        severity=doc.severity,
        message=message,
        location=suppression.location,
        remedy=remedy,
        subject=f"{suppression.code} {suppression.scope}",
    )


def suppress_in_report(
    report: Report,
    suppressions: tuple[Suppression, ...],
    today: date,
    ran: Collection[str] | None = None,
) -> Report:
    """Return `report` with suppressed findings counted instead of listed.

    What is wrong with the suppressions themselves becomes a target of its own: the file they are written in.
    """
    everything = tuple(finding for target in report.targets for finding in target.findings)
    split = suppress(everything, suppressions, today, ran)
    silenced = frozenset(split.suppressed)
    targets = [_without(target, silenced) for target in report.targets]
    sources = sorted({finding.location.source for finding in split.extra})
    targets += [
        TargetResult(source, tuple(each for each in split.extra if each.location.source == source))
        for source in sources
    ]
    return replace(report, targets=tuple(targets))


def _without(target: TargetResult, silenced: frozenset[Finding]) -> TargetResult:
    hidden = tuple(finding for finding in target.findings if finding in silenced)
    kept = tuple(finding for finding in target.findings if finding not in silenced)
    return replace(target, findings=kept, suppressed=target.suppressed + occurrences(hidden))
