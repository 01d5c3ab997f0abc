"""Reads bodies and judges them, one after the other, so that one that cannot be read does not hide the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from obs.adapters.bodies import read_body
from obs.adapters.scrape_access import Access
from obs.checks.engine import Options, run
from obs.errors import ObsError, Problem
from obs.exposition import Limits, Scrape, parse
from obs.model.metric import Registry
from obs.model.report import TargetResult


@dataclass(frozen=True, slots=True)
class Plan:
    """How bodies are read and judged. `content_type` overrides what a server says; `before` is an earlier body."""

    options: Options
    registry: Registry | None
    limits: Limits = field(default_factory=Limits)
    access: Access = field(default_factory=Access)
    content_type: str | None = None
    before: str | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was judged, the inputs that could not be (an error each), and those that had no samples."""

    targets: tuple[TargetResult, ...]
    errors: tuple[ObsError, ...] = ()
    empty: tuple[str, ...] = ()

    def __add__(self, other: Outcome) -> Outcome:
        """Return both together."""
        return Outcome(self.targets + other.targets, self.errors + other.errors, self.empty + other.empty)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Return why inputs could not be judged."""
        return tuple(problem for error in self.errors for problem in error.problems)

    @property
    def exit_code(self) -> int:
        """Return the worst exit code of what was not judged: 2 before 3 before 4; 0 when all inputs were."""
        codes = {error.exit_code for error in self.errors} | ({4} if self.empty else set())
        return min(codes, default=0)


def lint_bodies(sources: Sequence[str], plan: Plan) -> Outcome:
    """Return the judgement of each source, in order.

    When two bodies share most of their metrics, the second is also compared with the first: two bodies of one target.
    """
    targets: list[TargetResult] = []
    errors: list[ObsError] = []
    empty: list[str] = []
    earlier = _read(plan.before, plan) if plan.before is not None else None
    for source in sources:
        try:
            scrape = _read(source, plan)
        except ObsError as error:
            errors.append(error)
            continue
        targets.append(_judge(scrape, plan, earlier))
        if scrape.sample_count == 0:
            empty.append(source)
        if len(sources) == 2 and plan.before is None:
            earlier = scrape
    return Outcome(tuple(targets), tuple(errors), tuple(empty))


def _read(source: str, plan: Plan) -> Scrape:
    body = read_body(source, plan.limits.max_bytes, plan.access)
    content_type = body.content_type if plan.content_type is None else plan.content_type
    return parse(body.data, content_type=content_type, limits=plan.limits, source=source)


def _judge(scrape: Scrape, plan: Plan, earlier: Scrape | None) -> TargetResult:
    previous = earlier if earlier is not None and (plan.before or _alike(earlier, scrape)) else None
    findings = run(scrape, plan.registry, replace(plan.options, previous=previous))
    return TargetResult(
        source=scrape.source,
        findings=findings,
        series=scrape.series_count,
        samples=scrape.sample_count,
        size=scrape.body_bytes,
    )


def _alike(one: Scrape, other: Scrape) -> bool:
    """Return whether two bodies may be of one target: most of the metrics of either are in the other."""
    names = {family.name for family in one.families}
    others = {family.name for family in other.families}
    return 2 * len(names & others) > len(names | others)
