"""The test cases of an alert, derived from what its author says makes its value healthy or faulty.

Everything follows from the limit, `for`, the windows and the configured intervals, so that the cases of an overridden
obs.yaml are as right as those of the default one.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import promql_parser as promql

from obs.emit.rules.annotation import render
from obs.emit.rules.settle import Alert
from obs.emit.rules.timeline import Form, FormError, Scale, Stretch, notation, parse_form, parse_timeline
from obs.errors import Problem, SpecInvalidError
from obs.model.config import Config
from obs.model.metric import OVERFLOW
from obs.promql.build import equal, selector
from obs.promql.parse import parse
from obs.specs.alerts import Comparison, ExtraCase, SeriesSpec
from obs.specs.expressions import always_present, overflowing
from obs.specs.perfleet import filled
from obs.specs.resolve import LeftOutError, Resolver, UnknownNameError

NEAR = 0.005
"""How far from the limit the boundary cases stay: half of the one per cent that a moved limit must not go unnoticed."""

STANDARD = ("fires", "healthy", "just past", "just short", "no traffic", "blip", "absent", "recreated")
"""The cases every alert has unless its spec says why one does not apply."""

IDENTITY = {
    "cluster": "one",
    "namespace": "agents",
    "fleet": "workers",
    "pod": "workers-1",
    "instance": "10.0.0.1:9090",
    "job": "agents/obs-agents",
}
"""Target labels of the series in tests."""

_TARGET = frozenset(IDENTITY)

_OF_TARGETS = ("up", "scrape_", "obs_")
"""How the names of series begin that are not in the registry and yet belong to an agent's target."""

SUCCESSOR = {"pod": "workers-2", "instance": "10.0.0.2:9090"}
"""What changes when a pod is recreated."""


@dataclass(frozen=True, slots=True)
class Expected:
    """One alert that must fire, with all its labels and annotations as they are sent."""

    labels: Mapping[str, str]
    annotations: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Check:
    """A look at `at` seconds: None means that nothing fires."""

    at: float
    expected: Expected | None


@dataclass(frozen=True, slots=True)
class Case:
    """Series (selector, values in promtool's notation) and looks at one alert. `step` is seconds between samples."""

    alert: str
    name: str
    step: int
    series: tuple[tuple[str, str], ...]
    checks: tuple[Check, ...]


@dataclass(frozen=True, slots=True)
class _Input:
    name: str
    labels: Mapping[str, str]
    counter: bool
    form: Form
    on_pod: bool


def cases_of(alert: Alert, resolver: Resolver, scale: Scale, config: Config) -> tuple[Case, ...]:
    """Return the cases of an alert in the order of `STANDARD`, then its extra ones.

    Of an alert that is written out for each fleet, the series belong to the first of them.

    Raise SpecInvalidError when the spec's test inputs make no sense.
    """
    try:
        maker = _Maker(alert, resolver, scale, config)
        return (*maker.standard(), *(maker.written_out(case) for case in alert.spec.tests.extra))
    except (FormError, UnknownNameError) as error:
        raise SpecInvalidError([Problem(alert.spec.place.where("tests"), str(error))]) from error


class _Maker:
    """The derived numbers of one alert's tests; times in seconds, multiples of the scrape interval."""

    def __init__(self, alert: Alert, resolver: Resolver, scale: Scale, config: Config) -> None:
        self.alert, self.resolver, self.scale, self.config = alert, resolver, scale, config
        self.fleet = fleet = alert.spec.each.fleets(config)[0] if alert.spec.each else None
        self.clock = clock = scale.clock
        spec = alert.spec.tests
        self.identity = {**IDENTITY, **spec.labels}
        if fleet is not None:
            self.identity |= {label: filled(value, fleet) for label, value in spec.labels.items()}
        if "$overflow" in spec.labels.values():
            self.identity["metric"] = overflowing(resolver.registry)[0][0].name
        if fleet is not None:
            self.identity |= {
                "namespace": fleet.namespace,
                "fleet": fleet.name,
                "pod": f"{fleet.workload.name}-1",
            }
        self.successor = {**SUCCESSOR, "pod": f"{self.identity['pod'][:-1]}2"}
        self.inputs = tuple(self._known(spec.series))
        self.value = parse_form(spec.value, scale)
        self.slack = 2 * (clock.test_evaluation + clock.scrape)
        self.lead = self._up(self._time(spec.lead, self.slack))
        self.settle = self._time(spec.settle, alert.window)
        self.clear = self._time(spec.clear, alert.window)
        self.hold, self.keep = alert.rule.hold, alert.rule.keep
        self.healthy = spec.healthy if spec.healthy is not None else self._default_healthy()
        self.faulty = self._faulty(spec.faulty)

    def _time(self, given: int | None, fallback: int) -> float:
        if given is None:
            return fallback
        return self.clock.window(f"{given}s") if given else 0

    def _up(self, time: float) -> int:
        step = math.lcm(self.clock.scrape, self.clock.test_evaluation)
        return math.ceil(time / step) * step

    def _known(self, specs: Iterable[SeriesSpec], *, timeline: bool = False) -> Iterator[_Input]:
        """Yield the inputs that the registry in use has; the expression does not read what it lacks."""
        for spec in self._spelt_out(specs):
            try:
                yield self._input(spec, timeline=timeline)
            except LeftOutError:
                continue

    def _spelt_out(self, specs: Iterable[SeriesSpec]) -> Iterator[SeriesSpec]:
        """Yield the specs with the words that stand for series of the registry in use replaced by those."""
        registry = self.resolver.registry
        for spec in specs:
            if spec.selector == "$always":
                yield from (SeriesSpec(name, spec.form) for name in always_present(registry))
            elif spec.selector == "$first":
                yield SeriesSpec(always_present(registry)[0], spec.form)
            elif spec.selector == "$others":
                yield from (SeriesSpec(name, spec.form) for name in self._others())
            elif spec.selector == "$overflow":
                metric, key = overflowing(registry)[0]
                yield SeriesSpec(f'{metric.name}{{{key}="{OVERFLOW}"}}', spec.form)
            else:
                yield spec

    def _others(self) -> Iterator[str]:
        """Yield a series for each fleet that the alert is also about, to be healthy while one is not."""
        fleets = self.alert.spec.each.fleets(self.config) if self.alert.spec.each else ()
        for fleet in fleets:
            if fleet != self.fleet:
                yield selector("agent_up", equal({"namespace": fleet.namespace, "fleet": fleet.name}))

    def _input(self, series: SeriesSpec, *, timeline: bool = False) -> _Input:
        name, given = parse_selector(filled(series.selector, self.fleet) if self.fleet else series.selector)
        facts = self.resolver.catalog.find(name)
        if facts is None:
            facts = self.resolver.catalog.find(self.resolver.metric(name).name)
        if facts is None:
            raise FormError(f"`{name}` is not a series")
        own = {
            label: value
            for label, value in self.identity.items()
            if label in _TARGET and label in facts.labels
        }
        if facts.metric is None:
            own = (
                own
                if name.startswith(_OF_TARGETS)
                else {label: own[label] for label in ("cluster", "namespace")}
            )
        form = Form(0, 0) if timeline else parse_form(series.form, self.scale)
        labels = {**own, **given}
        return _Input(
            facts.name, labels, facts.kind == "counter", form, labels.get("pod") == self.identity["pod"]
        )

    def _default_healthy(self) -> float:
        limit = self.alert.limit
        return limit / 4 if self._upward else max(2 * limit, limit + 1)

    @property
    def _upward(self) -> bool:
        return self.alert.spec.comparison in (Comparison.ABOVE, Comparison.AT_LEAST, Comparison.EQUALS)

    def _faulty(self, given: float | None) -> float:
        """Return the faulty value: as given, unless the limit was moved past it."""
        limit = self.alert.limit
        if self.alert.spec.comparison is Comparison.EQUALS:
            return limit
        if given is not None and (given > limit if self._upward else given < limit):
            return given
        if not self._upward:
            return limit / 2
        return (
            (limit + 1) / 2 if limit < 1 and given is not None and given <= 1 else max(11 * limit, limit + 1)
        )

    def standard(self) -> Iterator[Case]:
        makers = {
            "fires": self._fires,
            "healthy": self._healthy,
            "just past": self._just_past,
            "just short": self._just_short,
            "no traffic": self._no_traffic,
            "blip": self._blip,
            "absent": self._absent,
            "recreated": self._recreated,
        }
        for name in STANDARD:
            if name not in self.alert.spec.tests.skip and self._applies(name):
                series, checks = makers[name]()
                yield self._case(name, series, checks)

    def _applies(self, name: str) -> bool:
        """Return whether a case says anything about this alert: the rest is in `skip`, with a reason each."""
        if name in ("just past", "just short"):
            return self.alert.spec.comparison is not Comparison.EQUALS
        if name == "no traffic":
            return any(given.counter for given in self.inputs)
        if name == "blip" and self._every_event_counts:
            return False
        if name == "blip":
            return self.hold > 2 * max(self.clock.test_evaluation, self.clock.scrape)
        if name == "recreated":
            return any(given.on_pod for given in self.inputs)
        return True

    @property
    def _every_event_counts(self) -> bool:
        """Return whether a single event keeps the expression past its limit for longer than `for`."""
        counting = any(given.counter for given in self.inputs)
        return counting and self.alert.limit == 0 and self.alert.window + self.slack >= self.hold

    def _case(self, name: str, series: Iterable[tuple[str, str]], checks: Iterable[Check]) -> Case:
        return Case(self.alert.rule.name, name, self.clock.scrape, tuple(series), tuple(checks))

    def _steady(self, v: float, end: float) -> Iterator[tuple[str, str]]:
        return self._phases(((math.inf, v),), end)

    def _phases(self, phases: Iterable[tuple[float, float]], end: float) -> Iterator[tuple[str, str]]:
        phases = tuple(phases)
        for given in self.inputs:
            stretches = [Stretch(length, given.form.at(v)) for length, v in phases]
            yield self._series(given.labels, given, stretches, end)

    def _series(
        self, labels: Mapping[str, str], given: _Input, stretches: Iterable[Stretch], end: float
    ) -> tuple[str, str]:
        values = notation(stretches, counter=given.counter, step=self.clock.scrape, end=end)
        return selector(given.name, equal(labels)), values

    def _alerting(self, v: float, changed: Mapping[str, str] | None = None) -> Expected:
        identity = {**self.identity, **(changed or {})}
        labels = {label: identity[label] for label in sorted(self.alert.labels) if label in identity}
        return self._expected(labels, self.value.at(v))

    def _expected(self, labels: Mapping[str, str], value: float) -> Expected:
        rule = self.alert.rule
        value = float(
            f"{value:.9g}"
        )  # what the sums and quotients of the server come to, without its last bits
        annotations = {key: render(text, labels, value) for key, text in rule.annotations.items()}
        return Expected({"alertname": rule.name, **labels, **rule.labels}, annotations)

    @property
    def _fired(self) -> float:
        """Return how long after the start of a fault the alert has fired for certain."""
        return self._up(self.settle + self.hold + self.slack)

    def _fires(self) -> tuple[Iterator[tuple[str, str]], list[Check]]:
        over = self.lead + self._fired
        end = over + self.clock.scrape + self._up(self.clear + self.keep + self.slack)
        checks = []
        if self.lead:
            checks.append(Check(self.lead - 1, None))
        if self.hold > self.clock.test_evaluation:
            checks.append(Check(self.lead + self.hold - 1, None))
        checks += [Check(over, self._alerting(self.faulty)), Check(end, None)]
        phases = (
            (self.lead, self.healthy),
            (self._fired + self.clock.scrape, self.faulty),
            (math.inf, self.healthy),
        )
        return self._phases(phases, end), checks

    def _healthy(self) -> tuple[Iterator[tuple[str, str]], list[Check]]:
        return self._steady(self.healthy, self._fired), [Check(self._fired, None)]

    def _just_past(self) -> tuple[Iterator[tuple[str, str]], list[Check]]:
        v = self._beside(1)
        return self._steady(v, self._fired), [Check(self._fired, self._alerting(v))]

    def _just_short(self) -> tuple[Iterator[tuple[str, str]], list[Check]]:
        return self._steady(self._beside(-1), self._fired), [Check(self._fired, None)]

    def _beside(self, direction: int) -> float:
        """Return a value just past the limit (1) or just short of it (-1); at a limit of 0 that is 0.01 and 0."""
        limit = self.alert.limit
        if limit == 0:
            return 0.01 if direction > 0 else 0
        beside = float(f"{limit * (1 + direction * NEAR * (1 if self._upward else -1)):.4g}")
        # whole seconds are printed without their fraction: keep away from where a last bit decides
        return math.floor(beside) + 0.5 if beside >= 60 and "humanizeDuration" in self._words else beside

    @property
    def _words(self) -> str:
        return self.alert.rule.annotations["description"]

    def _no_traffic(self) -> tuple[Iterator[tuple[str, str]], list[Check]]:
        series = (
            self._series(
                given.labels,
                given,
                [Stretch(math.inf, 0 if given.counter else given.form.at(self.healthy))],
                self._fired,
            )
            for given in self.inputs
        )
        return series, [Check(self._fired, None)]

    def _blip(self) -> tuple[Iterator[tuple[str, str]], list[Check]]:
        length = math.ceil(self.clock.test_evaluation / self.clock.scrape) * self.clock.scrape
        lead = max(self.lead, self._up(min(self.alert.window, 3600)))
        end = lead + length + self._fired
        high = self.faulty
        if any(given.counter for given in self.inputs) and self._upward and self.alert.limit:
            high = min(self.faulty, 2 * self.alert.limit)
        phases = ((lead, self.healthy), (length, high), (math.inf, self.healthy))
        looks = 6
        after = lead + length
        checks = [Check(after + (end - after) * n // looks, None) for n in range(looks + 1)]
        return self._phases(phases, end), checks

    def _absent(self) -> tuple[Iterator[tuple[str, str]], list[Check]]:
        return iter([('up{job="something-else"}', "1")]), [Check(self._fired, None)]

    def _recreated(self) -> tuple[Iterator[tuple[str, str]], list[Check]]:
        """The fault outlives its pod: the successor overlaps by two scrapes, as during a rolling update."""
        moment = self._up(self.lead + self.hold / 2)
        own = bool(self.alert.labels & set(SUCCESSOR))
        at: float = moment + self._up(max(self.settle + self.hold, self.clear + self.keep) + self.slack)
        if not own:
            at = max(self.lead + self._fired, moment + self._up(self.settle + self.slack))
        checks = [Check(at, self._alerting(self.faulty, self.successor if own else None))]
        return self._replaced(moment, at), checks

    def _replaced(self, moment: float, end: float) -> Iterator[tuple[str, str]]:
        overlap = 2 * self.clock.scrape
        for given in self.inputs:
            before, after = given.form.at(self.healthy), given.form.at(self.faulty)
            if not given.on_pod:
                yield self._series(
                    given.labels, given, [Stretch(self.lead, before), Stretch(math.inf, after)], end
                )
                continue
            gone = [
                Stretch(self.lead, before),
                Stretch(moment + overlap - self.lead, after),
                Stretch(math.inf, None),
            ]
            yield self._series(given.labels, given, gone, end)
            successor = {**given.labels, **{k: v for k, v in self.successor.items() if k in given.labels}}
            yield self._series(successor, given, [Stretch(moment, None), Stretch(math.inf, after)], end)

    def written_out(self, case: ExtraCase) -> Case:
        """Return a case that the author wrote out."""
        now = Scale(self.clock, {**self.scale.numbers, "hold": self.hold})
        at = parse_form(case.at, now).offset
        at = self._up(at) if case.fires else at
        end = at + self.clock.scrape
        series = {
            selector(given.name, equal(given.labels)): self._series(
                given.labels, given, parse_timeline(spec.form, now), end
            )
            for spec in case.series
            for given in self._known([spec], timeline=True)
        }
        expected = None
        if case.fires:
            identity = {**self.identity, **case.labels}
            labels = {label: identity[label] for label in sorted(self.alert.labels) if label in identity}
            now = Scale(self.clock, {**self.scale.numbers, "at": at})
            expected = self._expected(labels, parse_form(case.value, now).offset)
        return self._case(case.name, series.values(), [Check(at, expected)])


def parse_selector(text: str) -> tuple[str, dict[str, str]]:
    """Return name and labels of a selector with nothing but equality matchers; raise FormError on another text."""
    try:
        node = parse(text)
    except ValueError as error:
        raise FormError(f"`{text}` is not a selector: {error}") from error
    if not isinstance(node, promql.VectorSelector) or not node.name:
        raise FormError(f"`{text}` is not the selector of a series")
    return node.name, {matcher.name: matcher.value for matcher in node.matchers.matchers}
