"""Settles the templates of alerts/ for one registry and one configuration.

What a template may say: `level("agent_saturation")`, `increase("agent_refusals_total", "15m", reason="trifecta")`,
`mean`, `newborn`, `raw`, `ratio(a, b)`, `w("5m")` for a window, `number.NAME` and `limit.NAME` for a threshold in
PromQL and for people. Functions speak of metrics by their neutral names; `obs.signals` writes the PromQL.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from obs import signals
from obs.model.config import Config
from obs.model.metric import OVERFLOW, RUNTIME_SERIES, Kind, Metric, Presence, Registry, Status
from obs.promql.build import Matcher, aggregate, quote, ratio, regex_any, selector
from obs.specs.durations import duration, seconds
from obs.specs.resolve import LeftOutError, Resolver, UnknownNameError
from obs.specs.template import render_all
from obs.specs.thresholds import Threshold

FLEET = ("cluster", "namespace", "fleet")
"""Labels that name a fleet. `cluster` is empty where nothing attaches it, and then it is simply not there."""

AGENT = ("cluster", "namespace", "fleet", "pod", "instance")
"""Labels that name one agent: its pod where there is Kubernetes, its address everywhere."""

POD = ("cluster", "namespace", "pod", "container")
"""Labels that name a container for kube-state-metrics."""

LEAST_SCRAPES = 4
"""Scrapes a window must hold: two for a rate, one that is late and one that fails (Prometheus's own advice)."""

_LEFT_OUT = "\x01"
_MISTAKE = "\x02"


@dataclass(frozen=True, slots=True)
class Settled:
    """A template filled in: its text, or why it is left out, or what its author got wrong (message, remedy)."""

    text: str = ""
    left_out: str = ""
    mistake: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Clock:
    """The times rules are made for, in seconds. `factor` shortens every `for` and every window (`for_factor`)."""

    scrape: int
    evaluation: int
    factor: float = 1.0

    @property
    def test_evaluation(self) -> int:
        """Return how often unit tests evaluate: once a minute is enough while no `for` is shortened, and quicker."""
        return max(self.evaluation, 60) if self.factor == 1 else self.evaluation

    def window(self, text: str) -> int:
        """Return the seconds of a window: as asked, shortened by the factor, and never under four scrapes."""
        return max(round(seconds(text) * self.factor), LEAST_SCRAPES * self.scrape)

    def shortened(self, total: float) -> float:
        """Return a `for` or `keep_firing_for` with the factor applied; at least a second where there is one."""
        return max(1, round(total * self.factor)) if total else 0


def clock_of(config: Config) -> Clock:
    """Return the clock of a configuration."""
    prometheus = config.prometheus
    return Clock(prometheus.scrape_interval, prometheus.evaluation_interval, config.alerting.for_factor)


def settle(
    texts: Sequence[str], resolver: Resolver, config: Config, thresholds: Mapping[str, Threshold]
) -> tuple[Settled, ...]:
    """Return each template filled in; raise TemplateError when one is not a template."""
    names = _Names(resolver, clock_of(config), thresholds)
    return tuple(_read(text) for text in render_all(texts, names.as_mapping()))


def _read(text: str) -> Settled:
    if _MISTAKE in text:
        message, remedy = text.split(_MISTAKE)[1:3]
        return Settled(mistake=(message, remedy))
    if _LEFT_OUT in text:
        return Settled(left_out=text.split(_LEFT_OUT)[1])
    return Settled(text.strip())


def promql_number(value: float) -> str:
    """Return a number as PromQL reads it, without needless digits."""
    return f"{value:.12g}"


@dataclass(frozen=True, slots=True)
class _Match:
    operator: str
    value: str


@dataclass(frozen=True, slots=True)
class _Thresholds:
    """Attribute access to thresholds for templates; an unknown name is a mistake of the template's author."""

    values: Mapping[str, str]

    def __getattr__(self, name: str) -> str:
        if name.startswith("__"):
            raise AttributeError(name)
        found = self.values.get(name)
        return (
            found
            if found is not None
            else _mistake(f"unknown threshold `{name}`", "see alerts/thresholds.yaml")
        )


@dataclass(frozen=True, slots=True)
class _Names:
    resolver: Resolver
    clock: Clock
    thresholds: Mapping[str, Threshold]

    def as_mapping(self) -> dict[str, object]:
        return {
            "FLEET": FLEET,
            "AGENT": AGENT,
            "level": self._asking(signals.level),
            "increase": self._asking(signals.total),
            "mean": self._asking(lambda metric, ask: signals.level(metric, replace(ask, combine="avg"))),
            "newborn": self._asking(signals.newborn),
            "raw": self.raw,
            "ratio": ratio,
            "always": self.always,
            "overflow": self.overflow,
            "w": self.window,
            "range": lambda text: f"[{self.window(text)}]",
            "seconds": lambda text: str(self.clock.window(text)),
            "series": lambda name, **matchers: selector(name, _matchers(matchers)),
            "total": self.total,
            "grown": self.grown,
            "over": self.over,
            "like": lambda pattern: _Match("=~", pattern),
            "POD": POD,
            "any_of": lambda *values: _Match("=~", regex_any(values)),
            "none_of": lambda *values: _Match("!~", regex_any(values)),
            "number": _Thresholds({n: promql_number(t.value) for n, t in self.thresholds.items()}),
            "limit": _Thresholds({n: humanise(t) for n, t in self.thresholds.items()}),
        }

    def window(self, text: str) -> str:
        return duration(self.clock.window(text))

    def _asking(self, signal: Callable[[Metric, signals.Ask], str]) -> Callable[..., str]:
        """Return the template function that asks for a metric through `signal`."""

        def ask(
            name: str,
            window: str = "5m",
            by: str | Iterable[str] = FLEET,
            offset: str = "",
            **matchers: str | _Match,
        ) -> str:
            try:
                metric = _usable(self.resolver.metric(name))
            except (LeftOutError, UnknownNameError) as error:
                return _marked(error)
            shift = self.window(offset) if offset else ""
            return signal(
                metric, signals.Ask(_labels(by), _matchers(matchers), self.window(window), offset=shift)
            )

        return ask

    def grown(
        self, name: str, window: str, by: Iterable[str] = POD, using: str = "max", **matchers: str | _Match
    ) -> str:
        """Return how much a counter of the platform grew.

        Of pods the highest, so that two kube-state-metrics do not count twice.
        """
        return aggregate(using, f"increase({selector(name, _matchers(matchers), self.window(window))})", by)

    def total(self, name: str, by: str | Iterable[str] = FLEET, **matchers: str | _Match) -> str:
        """Return a recorded series summed over what `by` does not keep."""
        return aggregate("sum", selector(name, _matchers(matchers)), _labels(by))

    def over(
        self,
        name: str,
        window: str,
        offset: str = "",
        by: str | Iterable[str] = (),
        **matchers: str | _Match,
    ) -> str:
        """Return the average of a recorded series over a window, summed over what `by` does not keep."""
        shift = self.window(offset) if offset else ""
        average = f"avg_over_time({selector(name, _matchers(matchers), self.window(window), shift)})"
        return aggregate("sum", average, _labels(by)) if by else average

    def raw(self, name: str, **matchers: str | _Match) -> str:
        try:
            metric = _usable(self.resolver.metric(name))
        except (LeftOutError, UnknownNameError) as error:
            return _marked(error)
        return selector(metric.name, _matchers(matchers))

    def always(self) -> str:
        names = always_present(self.resolver.registry)
        if len(names) < 2:  # a single one that is missing leaves nothing to count
            return _marked(LeftOutError("fewer than two stable metrics without labels are always present"))
        return f"{{__name__=~{quote(regex_any(names))}}}"

    def overflow(self, window: str) -> str:
        parts = [
            f'label_replace({signals.total(metric, ask)}, "metric", {quote(metric.name)}, "", "")'
            for metric, key in overflowing(self.resolver.registry)
            for ask in [signals.Ask(FLEET, ((key, "=", OVERFLOW),), self.window(window))]
        ]
        return "\nor\n".join(parts) or _marked(LeftOutError("no counter has a label that can overflow"))


MOST_NAMES = 60
"""Metrics that one expression watches by name at the most: a registry may have ten thousand."""


def always_present(registry: Registry) -> tuple[str, ...]:
    """Return the stable metrics of which every warm agent shows exactly one series, at most `MOST_NAMES`."""
    names = [
        metric.name
        for metric in registry.with_status(Status.STABLE)
        if metric.semantics.presence is Presence.ALWAYS
        and not metric.labels
        and metric.kind is not Kind.HISTOGRAM
    ]
    return tuple(names[:MOST_NAMES])


def overflowing(registry: Registry) -> tuple[tuple[Metric, str], ...]:
    """Return (stable counter, label) for labels that end in an overflow value, at most `MOST_NAMES`.

    Counters whose series appear with their first event are not among them: a growth over those misses that event.
    """
    found = [
        (metric, label.key)
        for metric in registry.with_status(Status.STABLE)
        if metric.kind is Kind.COUNTER and metric.semantics.presence is Presence.ALWAYS
        for label in metric.labels
        if OVERFLOW in label.domain.values
    ]
    return tuple(found[:MOST_NAMES])


def with_budgets(thresholds: Mapping[str, Threshold], registry: Registry) -> dict[str, Threshold]:
    """Return the thresholds with two that follow from the registry: series of one agent, and always present metrics."""
    return {
        **thresholds,
        "series_budget": Threshold(
            "series_budget",
            registry.series_per_instance + RUNTIME_SERIES,
            "series",
            "Series one agent may show: its registry's budget and room for its runtime.",
        ),
        "always_present": Threshold(
            "always_present",
            len(always_present(registry)),
            "metrics",
            "Stable metrics without labels that every warm agent shows.",
        ),
    }


def _usable(metric: Metric) -> Metric:
    """Return the metric if a rule may stand on it: provisional ones are not emitted, legacy ones have a successor."""
    if metric.status is not Status.STABLE:
        raise LeftOutError(f"`{metric.name}` is {metric.status}; rules stand on stable metrics")
    return metric


def _labels(by: str | Iterable[str]) -> tuple[str, ...]:
    """Return the labels that survive: those of a tuple, or of a fleet and the words of a text."""
    return (*FLEET, *by.split()) if isinstance(by, str) else tuple(by)


def _matchers(given: Mapping[str, str | _Match]) -> tuple[Matcher, ...]:
    return tuple(
        (label, match.operator, match.value) if isinstance(match, _Match) else (label, "=", str(match))
        for label, match in given.items()
    )


def _marked(error: LeftOutError | UnknownNameError) -> str:
    if isinstance(error, UnknownNameError):
        return _mistake(str(error), error.remedy)
    return f"{_LEFT_OUT}{error}{_LEFT_OUT}"


def _mistake(message: str, remedy: str) -> str:
    return f"{_MISTAKE}{message}{_MISTAKE}{remedy}{_MISTAKE}"


def humanise(threshold: Threshold) -> str:
    """Return a threshold for people, in the unit it counts."""
    value = threshold.value
    match threshold.unit:
        case "ratio":
            return f"{value * 100:g}%"
        case "seconds":
            return duration(value)
        case "milliseconds":
            return duration(value / 1000)
        case "bytes":
            return f"{value / 2**20:g} MiB"
        case _:
            return f"{value:g}"
