"""What is known of each target, changed by its own task and read by the server; all in one thread."""

from __future__ import annotations

from dataclasses import dataclass, field

from obs.adapters.sidecar.client import Outcome
from obs.adapters.sidecar.targets import Target
from obs.adapters.sidecar.verdict import Past, Verdict
from obs.checks.manifest.negotiate import Negotiation, Stance
from obs.model.finding import Severity

STALE_AFTER = 3
"""Scrapes in a row without a body after which an old verdict is no verdict any more."""


@dataclass(slots=True)
class TargetState:
    """One target: its last verdict and how that came about.

    `last_success` is in seconds since 1970, 0 for never; `cost` is how many seconds the last body took to judge.
    """

    target: Target
    verdict: Verdict | None = None
    past: Past = field(default_factory=Past)
    outcome: Outcome | None = None
    detail: str = ""
    outcomes: dict[Outcome, int] = field(default_factory=lambda: dict.fromkeys(Outcome, 0))
    failures: int = 0
    last_success: float = 0.0
    last_scrape: float = 0.0
    cost: float = 0.0
    negotiation: Negotiation = field(default_factory=Negotiation)
    negotiated_at: float | None = None

    def fetched_nothing(self, outcome: Outcome, detail: str, verdict: Verdict | None) -> None:
        """Note a scrape without a body, with the verdict on the answer if there was one.

        A process that may have been replaced in between has no past.
        """
        self._ended(outcome, detail)
        self.failures += 1
        self.past = Past()
        if verdict is not None:
            self.verdict = verdict
        elif self.failures >= STALE_AFTER:
            self.verdict = None

    def judged(self, outcome: Outcome, verdict: Verdict, past: Past, now: float) -> None:
        """Note a body and its verdict; `now` is the time of day."""
        self._ended(outcome, "")
        self.verdict, self.past, self.failures = verdict, past, 0
        if outcome is Outcome.OK:
            self.last_success = now

    def agreed(self, negotiation: Negotiation, at: float, fail_on: Severity) -> None:
        """Note what the manifest says; a refused target has the refusal for a verdict, one without metrics none."""
        self.negotiation, self.negotiated_at = negotiation, at
        if negotiation.stance is Stance.REFUSE:
            fails = any(finding.severity >= fail_on for finding in negotiation.findings)
            self.verdict, self.past, self.outcome = Verdict(conformant=not fails), Past(), None
        elif negotiation.stance is Stance.OFF:
            self.verdict, self.past, self.outcome = None, Past(), None

    @property
    def settled(self) -> bool:
        """Return whether something can be said about the target: a verdict, or that there is nothing to scrape."""
        return self.verdict is not None or self.negotiation.stance is Stance.OFF

    def conformant(self, fail_on: Severity) -> bool | None:
        """Return the verdict, the manifest included; None when there is none."""
        if self.verdict is None:
            return None
        fails = any(finding.severity >= fail_on for finding in self.negotiation.findings)
        return self.verdict.conformant and not fails

    def _ended(self, outcome: Outcome, detail: str) -> None:
        self.outcome, self.detail = outcome, detail
        self.outcomes[outcome] += 1


@dataclass(slots=True)
class Histogram:
    """A histogram of milliseconds: `bounds` are upper edges, `counts` of each bucket alone, the last for the rest."""

    bounds: tuple[float, ...]
    counts: list[int] = field(init=False)
    total: float = 0.0

    def __post_init__(self) -> None:
        self.counts = [0] * (len(self.bounds) + 1)

    def observe(self, value: float) -> None:
        """Count one value."""
        at = next((at for at, bound in enumerate(self.bounds) if value <= bound), len(self.bounds))
        self.counts[at] += 1
        self.total += value


SCRAPE_BOUNDS = (1.0, 2.0, 5.0, 10.0, 25.0, 50.0, 100.0, 250.0, 500.0, 1000.0, 2500.0, 5000.0, 10000.0)
CHECK_BOUNDS = (0.5, 1.0, 2.0, 3.0, 5.0, 10.0, 25.0, 50.0, 100.0, 250.0, 500.0, 1000.0, 5000.0)


@dataclass(slots=True)
class Totals:
    """What is counted over all targets. `reloads` and `discoveries` are by result."""

    scrapes: Histogram = field(default_factory=lambda: Histogram(SCRAPE_BOUNDS))
    checks: Histogram = field(default_factory=lambda: Histogram(CHECK_BOUNDS))
    reloads: dict[str, int] = field(
        default_factory=lambda: dict.fromkeys(("applied", "rejected", "other"), 0)
    )
    discoveries: dict[str, int] = field(default_factory=lambda: dict.fromkeys(("ok", "failed", "other"), 0))
    refused_requests: int = 0
    late: int = 0
