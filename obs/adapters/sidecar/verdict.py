"""From a fetched body to a verdict: parse or recognise, look, follow, check. No I/O; the time is an argument."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from obs.adapters.sidecar.client import Fetched, Outcome
from obs.checks.budgets import Budgets, of_registry
from obs.checks.catalogue import LIVE, OF_NUMBERS, Entry, by_slug
from obs.checks.check import Profile
from obs.checks.engine import EXCERPT, Options, run
from obs.checks.live.look import Layout, look
from obs.checks.live.trail import Trail, follow
from obs.exposition import DiagnosisKind, Limits, Scrape, parse
from obs.exposition.steady import Steady
from obs.model.finding import Finding, Location, Severity
from obs.model.metric import Registry
from obs.report.collapse import bounded, collapse

PRESENCE = frozenset(
    {"absent-metric", "declared-without-samples", "domain-not-initialised", "legacy-without-replacement"}
)
"""Checks of what must be there: judged only when a process is warm."""

MOST_FINDINGS = 200
"""Findings of one target that are kept in full; the counts stay true."""

SHAPES = 16
"""Sets of label sets that are remembered, of all targets together: agents of one build share one."""

_FOREIGN = frozenset(
    {
        DiagnosisKind.HTML_BODY, DiagnosisKind.NOT_EXPOSITION, DiagnosisKind.UTF16_BODY, DiagnosisKind.GZIP_BODY,
        DiagnosisKind.CONTENT_TYPE,
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Rules:
    """What bodies are judged by, the same for all targets of a run."""

    registry: Registry
    checks: tuple[Entry, ...]
    profile: Profile
    budgets: Budgets
    fail_on: Severity = Severity.ERROR
    warmup: float = 10.0
    limits: Limits = field(default_factory=Limits)

    @classmethod
    def of(cls, registry: Registry, checks: tuple[Entry, ...], **others: object) -> Rules:
        """Return rules with the budgets of the registry unless others are given."""
        values = {"budgets": of_registry(registry), "profile": Profile.PRODUCER, **others}
        return cls(registry=registry, checks=checks, **values)  # type: ignore[arg-type] # the caller's types


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was found in one body. `counts` are by code and severity; `left_out` are findings not kept.

    `present` are the registry's metrics that it exposes, `unknown` how many it claims that the registry does not have,
    `used` the share of its series budget.
    """

    conformant: bool
    findings: tuple[Finding, ...] = ()
    counts: Mapping[tuple[str, str], int] = field(default_factory=lambda: MappingProxyType({}))
    left_out: int = 0
    series: int = 0
    samples: int = 0
    size: int = 0
    present: frozenset[str] = frozenset()
    unknown: int = 0
    used: float = 0.0
    warm: bool = False


@dataclass(frozen=True, slots=True)
class Past:
    """What a target's last bodies left behind. `warm_at` is when its process is expected to expose everything."""

    trail: Trail | None = None
    warm_at: float | None = None


_Asked = tuple[Profile, bool]


@dataclass(frozen=True, slots=True)
class _Shape:
    """Label sets that were seen before. `said` is what the checks of names and labels found, by profile and warmth."""

    content_type: str
    steady: Steady
    layout: Layout
    present: frozenset[str]
    unknown: int
    said: dict[_Asked, tuple[Finding, ...]] = field(default_factory=dict)


@dataclass(slots=True)
class Judge:
    """Judges bodies by rules, and remembers the label sets it has seen so that it need not parse them again."""

    rules: Rules
    _shapes: list[_Shape] = field(default_factory=list)
    _numbers: tuple[Entry, ...] = field(init=False)
    _names: tuple[Entry, ...] = field(init=False)
    _early_names: tuple[Entry, ...] = field(init=False)

    def __post_init__(self) -> None:
        checks = self.rules.checks
        self._numbers = tuple(one for one in checks if one.code in OF_NUMBERS or one.category == LIVE)
        self._names = tuple(one for one in checks if one not in self._numbers)
        self._early_names = tuple(one for one in self._names if one.slug not in PRESENCE)

    def judge(
        self, name: str, fetched: Fetched, past: Past, now: float, profile: Profile | None = None
    ) -> tuple[Outcome, Verdict, Past]:
        """Return how the scrape ended after all, the verdict, and what to remember; `now` is a monotonic time."""
        scrape, shape = self._read(fetched, name)
        outcome = _outcome(scrape)
        warm = False
        if outcome is Outcome.OK:
            past = self._followed(scrape, shape, past, now)
            warm = past.warm_at is not None and now >= past.warm_at
        else:
            past = Past()
        findings = self._found(scrape, shape, past.trail, (profile or self.rules.profile, warm))
        present, unknown = (shape.present, shape.unknown) if shape else _declared(scrape, self.rules.registry)
        verdict = self._verdict(scrape, findings, outcome)
        return outcome, replace(verdict, warm=warm, present=present, unknown=unknown), past

    def _found(
        self, scrape: Scrape, shape: _Shape | None, trail: Trail | None, asked: _Asked
    ) -> tuple[Finding, ...]:
        """Return all findings; those of names and labels are taken from the shape when it has them."""
        profile, warm = asked
        names = shape.said.get(asked) if shape else None
        if names is None:
            names = self._run(scrape, self._names if warm else self._early_names, profile, None)
            if shape:
                shape.said[asked] = names
        elif names:
            names = tuple(_quoted_anew(finding, scrape) for finding in names)
        found = (*names, *self._run(scrape, self._numbers, profile, trail))
        return tuple(sorted(found, key=lambda one: (one.location.line, one.location.column, one.code)))

    def _run(
        self, scrape: Scrape, checks: tuple[Entry, ...], profile: Profile, trail: Trail | None
    ) -> tuple[Finding, ...]:
        return run(scrape, self.rules.registry, Options(checks, profile, self.rules.budgets, trail=trail))

    def _read(self, fetched: Fetched, name: str) -> tuple[Scrape, _Shape | None]:
        for at, shape in enumerate(self._shapes):
            if shape.content_type == fetched.content_type:
                scrape = shape.steady.read(fetched.body)
                if scrape is not None:
                    if at:
                        self._shapes.insert(0, self._shapes.pop(at))
                    return replace(scrape, source=name), shape
        limits = self.rules.limits
        scrape = parse(fetched.body, content_type=fetched.content_type, limits=limits, source=name)
        steady = Steady.of(scrape)
        if steady is None:
            return scrape, None
        layout = look(scrape, self.rules.registry).layout
        shape = _Shape(fetched.content_type, steady, layout, *_declared(scrape, self.rules.registry))
        self._shapes.insert(0, shape)
        del self._shapes[SHAPES:]
        return scrape, shape

    def _followed(self, scrape: Scrape, shape: _Shape | None, past: Past, now: float) -> Past:
        seen = look(scrape, self.rules.registry, shape.layout if shape else None)
        trail = follow(past.trail, seen)
        warm_at = now + self.rules.warmup if trail.age == 1 or past.warm_at is None else past.warm_at
        return Past(trail, warm_at)

    def _verdict(self, scrape: Scrape, findings: tuple[Finding, ...], outcome: Outcome) -> Verdict:
        fails = any(finding.severity >= self.rules.fail_on for finding in findings)
        kept, left_out = shortened(findings)
        budget = self.rules.budgets.max_series
        return Verdict(
            conformant=outcome is Outcome.OK and not fails,
            findings=kept,
            counts=counted(findings),
            left_out=left_out,
            series=scrape.series_count,
            samples=scrape.sample_count,
            size=scrape.body_bytes,
            used=scrape.series_count / budget if budget else 0.0,
        )


def unacceptable(name: str, fetched: Fetched) -> Verdict | None:
    """Return the verdict on an answer of which no body came: too large, or no HTTP. None: there was no answer."""
    slug = {Outcome.TOO_LARGE: "body-limit", Outcome.NOT_METRICS: "not-an-exposition"}.get(fetched.outcome)
    if slug is None:
        return None
    doc = by_slug()[slug].doc
    finding = Finding(
        doc.code, doc.slug, doc.category, Severity.ERROR, fetched.detail, Location(name), remedy=doc.remedy
    )
    return Verdict(conformant=False, findings=(finding,), counts=counted((finding,)))


def _quoted_anew(finding: Finding, scrape: Scrape) -> Finding:
    """Return a finding of an earlier body with the same label sets, with the line as it reads in this one."""
    line = scrape.line_text(finding.location.line)[finding.excerpt_offset :]
    place = replace(finding.location, source=scrape.source)
    related = tuple(replace(near, source=scrape.source) for near in finding.related)
    return replace(
        finding, location=place, related=related, excerpt=line[:EXCERPT] if finding.excerpt else ""
    )


def _outcome(scrape: Scrape) -> Outcome:
    kinds = {diagnosis.kind for diagnosis in scrape.diagnoses}
    if kinds & _FOREIGN or (scrape.sample_count == 0 and not scrape.rejected_by_server):
        return Outcome.NOT_METRICS
    if DiagnosisKind.BODY_LIMIT in kinds or DiagnosisKind.SERIES_LIMIT in kinds:
        return Outcome.TOO_LARGE
    return Outcome.PARSE if scrape.rejected_by_server else Outcome.OK


def _declared(scrape: Scrape, registry: Registry) -> tuple[frozenset[str], int]:
    """Return the registry's metrics that have samples here, and how many families only claim its prefix."""
    known = {
        name for family in scrape.families for name in (family.name, *family.sample_names) if family.blocks
    }
    strangers = [
        family
        for family in scrape.families
        if registry.prefix
        and family.name.startswith(registry.prefix)
        and family.name not in registry.by_name
        and family.name + "_total" not in registry.by_name
    ]
    return frozenset(known & registry.by_name.keys()), len(strangers)


def counted(findings: tuple[Finding, ...]) -> Mapping[tuple[str, str], int]:
    """Return how often something was found, by code and severity."""
    counts: Counter[tuple[str, str]] = Counter()
    for finding in findings:
        counts[finding.code, finding.severity.word] += finding.count
    return MappingProxyType(dict(sorted(counts.items())))


def shortened(findings: tuple[Finding, ...]) -> tuple[tuple[Finding, ...], int]:
    """Return the findings worth keeping, repeated ones merged and texts cut, and how many were left out."""
    if not findings:
        return (), 0
    merged = sorted(collapse(findings), key=lambda finding: -finding.severity)
    left_out = sum(finding.count for finding in merged[MOST_FINDINGS:])
    return tuple(bounded(finding) for finding in merged[:MOST_FINDINGS]), left_out
