"""What a run found, target by target; the one value that every reporter renders."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from obs.model.check import CheckDoc
    from obs.model.finding import Finding


@dataclass(frozen=True, slots=True)
class TargetResult:
    """The judgement of one body, live target or document.

    `source` is its file name, URL or `-`; `series`, `samples` and `size` (bytes, decompressed) say how much
    was judged; `suppressed` and `baselined` count the findings a suppression or the baseline took out of
    `findings`; `left_out` counts those that whoever made the result did not keep (a reporter adds those it
    cannot fit); `body` is False for a document, which has no samples to count.
    """

    source: str
    findings: tuple[Finding, ...] = ()
    series: int = 0
    samples: int = 0
    size: int = 0
    suppressed: int = 0
    baselined: int = 0
    left_out: int = 0
    body: bool = True


@dataclass(frozen=True, slots=True)
class Report:
    """All targets of one run, and the documentation of the checks that ran (for rule metadata)."""

    targets: tuple[TargetResult, ...]
    checks: tuple[CheckDoc, ...] = ()
