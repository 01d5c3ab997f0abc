"""From the specs of alerts/ to finished rules for one registry and configuration, and what was left out and why."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from obs.documents.suggest import did_you_mean
from obs.emit.rules.annotation import labels_in, problems_of
from obs.emit.rules.limits import config_problems, limit_of
from obs.errors import ConfigInvalidError, Problem, SpecInvalidError
from obs.model.config import Fleet
from obs.model.rule import AlertRule, RecordingRule
from obs.promql.build import quote
from obs.promql.catalog import SeriesFacts
from obs.promql.check import output_labels, series_in
from obs.specs.alerts import AlertSpec, Comparison, Diagnosis, GroupSpec, Place, RecordingSpec
from obs.specs.durations import seconds
from obs.specs.expressions import Settled, clock_of, promql_number, settle, with_budgets
from obs.specs.perfleet import filled
from obs.specs.resolve import LeftOutError, Resolver
from obs.specs.sources import Sources
from obs.specs.template import TemplateError

FLEETS_A_RULE = 25
"""Fleets that one rule is about at the most: an expression of hundreds of them fits no object."""

_WINDOW = re.compile(r"\[(\d+(?:ms|[smhd]))")


@dataclass(frozen=True, slots=True)
class Alert:
    """An alert ready to be written: its spec, its rule, and what tests and runbooks need to know of it.

    `rules` are the rule as it is written, in several where it is about many fleets; `limit` is what its expression is
    compared with; `labels` are those of the result; `window` is how far back the expression and the recording rules
    under it look, in seconds; `records` are the recording rules it reads, directly or not; `diagnose` are the steps
    of the runbook.
    """

    spec: AlertSpec
    rule: AlertRule
    rules: tuple[AlertRule, ...]
    limit: float
    labels: frozenset[str]
    window: int
    records: frozenset[str]
    diagnose: tuple[Diagnosis, ...]


@dataclass(frozen=True, slots=True)
class Group:
    """A group with what is left of it."""

    name: str
    title: str
    records: tuple[RecordingRule, ...]
    alerts: tuple[Alert, ...]


@dataclass(frozen=True, slots=True)
class RuleSet:
    """All groups; `left_out` are (alert or record, reason); `resolver` knows the recorded series too."""

    groups: tuple[Group, ...]
    left_out: tuple[tuple[str, str], ...]
    resolver: Resolver

    @property
    def alerts(self) -> tuple[Alert, ...]:
        """Return every alert, in order."""
        return tuple(alert for group in self.groups for alert in group.alerts)

    @property
    def records(self) -> tuple[RecordingRule, ...]:
        """Return every recording rule, in order."""
        return tuple(rule for group in self.groups for rule in group.records)


def rule_set(groups: tuple[GroupSpec, ...], sources: Sources) -> RuleSet:
    """Return the finished rules.

    Raise ConfigInvalidError when obs.yaml switches off an alert that does not exist or keeps one from ever firing,
    SpecInvalidError with every mistake found in alerts/.
    """
    wrong = tuple(config_problems(groups, sources))
    if wrong:
        raise ConfigInvalidError(wrong)
    work = _Work(sources)
    made = work.groups(groups)
    if work.problems:
        raise SpecInvalidError(work.problems)
    return RuleSet(_without_unused(made, sources), tuple(work.left_out), work.resolver)


def _texts(groups: Iterable[GroupSpec]) -> Iterator[tuple[Place, str, str]]:
    """Yield (place, key, template) of everything that is a template, in the order it is settled."""
    for group in groups:
        for record in group.recordings:
            yield record.place, "record", record.name
            yield record.place, "expr", record.expr
        for alert in group.alerts:
            yield alert.place, "expr", alert.expr
            yield alert.place, "tail", alert.tail
            yield alert.place, "summary", alert.summary
            yield alert.place, "description", alert.description
            for step in alert.diagnose:
                yield alert.place, "diagnose", step.query


class _Work:
    """The mutable part of settling: problems and left-outs gather, the catalogue grows with each recording rule."""

    def __init__(self, sources: Sources) -> None:
        self.sources = sources
        self.resolver = sources.resolver
        self.problems: list[Problem] = []
        self.left_out: list[tuple[str, str]] = []
        self.windows: dict[str, int] = {}
        self.reads: dict[str, frozenset[str]] = {}
        self.thresholds = with_budgets(sources.thresholds, sources.registry)
        self.off = {off.alert: off.reason for off in sources.config.alerting.switched_off}

    def groups(self, specs: tuple[GroupSpec, ...]) -> tuple[Group, ...]:
        texts = list(_texts(specs))
        try:
            settled = iter(
                settle([text for _, _, text in texts], self.resolver, self.sources.config, self.thresholds)
            )
        except TemplateError as error:
            place, key, _ = texts[error.index]
            self.problems.append(Problem(place.where(key), f"not a template: {error}", "see docs/alerts.md"))
            return ()
        drafts = [(spec, *_drafts(spec, settled)) for spec in specs]
        records = {spec.name: self._records(recordings) for spec, recordings, _ in drafts}
        return tuple(
            Group(spec.name, spec.title, records[spec.name], self._alerts(alerts))
            for spec, _, alerts in drafts
        )

    def _records(self, drafts: Iterable[tuple[RecordingSpec, Settled, Settled]]) -> tuple[RecordingRule, ...]:
        done = []
        for spec, name, expr in drafts:
            if name.text in self.reads:
                continue  # two windows that the scrape interval makes equal are recorded once
            if self._usable(spec.place, spec.name, {"record": name, "expr": expr}) and self._checked(
                spec.place, name.text, expr.text
            ):
                self._learn(name.text, expr.text)
                done.append(RecordingRule(name.text, expr.text))
        return tuple(done)

    def _learn(self, name: str, expr: str) -> None:
        labels = output_labels(expr, self.resolver.catalog) or frozenset()
        read = [facts for series in series_in(expr) if (facts := self.resolver.catalog.find(series))]
        domains = {key: values for facts in read for key, values in facts.domains.items() if key in labels}
        facts = SeriesFacts(name, "gauge", labels, domains)
        self.resolver = replace(self.resolver, catalog=self.resolver.catalog.with_recorded([facts]))
        self.windows[name] = self._window(expr)
        self.reads[name] = self._reads(expr)

    def _window(self, expr: str) -> int:
        """Return how far back an expression looks: its own longest range and that of what it reads."""
        own = max((_whole(found) for found in _WINDOW.findall(expr)), default=0)
        return own + max((self.windows[name] for name in series_in(expr) if name in self.windows), default=0)

    def _reads(self, expr: str) -> frozenset[str]:
        direct = frozenset(name for name in series_in(expr) if name in self.reads)
        return direct.union(*(self.reads[name] for name in direct))

    def _alerts(self, drafts: Iterable[_Draft]) -> tuple[Alert, ...]:
        return tuple(alert for draft in drafts if (alert := self._alert(draft)) is not None)

    def _alert(self, draft: _Draft) -> Alert | None:
        spec = draft.spec
        if spec.since > self.sources.registry.version:
            self.left_out.append((spec.name, f"needs metrics_schema {spec.since[0]}.{spec.since[1]}"))
            return None
        if spec.name in self.off:
            self.left_out.append((spec.name, f"switched off: {self.off[spec.name]}"))
            return None
        parts = {
            "expr": draft.expr,
            "tail": draft.tail,
            "summary": draft.summary,
            "description": draft.description,
        }
        if not self._usable(spec.place, spec.name, parts):
            return None
        limit = self._limit(spec)
        fleets = spec.each.fleets(self.sources.config) if spec.each else ()
        if spec.each and not fleets:
            self.left_out.append((spec.name, "obs.yaml names no fleet it is about"))
            return None
        expr = self._expression(draft, limit, fleets)
        if not self._checked(spec.place, spec.name, expr):
            return None
        labels = output_labels(expr, self.resolver.catalog) or frozenset()
        rule = self._rule(draft, expr, labels)
        self._check_words(spec, rule, labels)
        steps = tuple(self._steps(draft, fleets))
        chunks = [
            self._expression(draft, limit, fleets[start : start + FLEETS_A_RULE])
            for start in range(0, len(fleets), FLEETS_A_RULE)
        ]
        rules = tuple(_part(rule, chunk, number) for number, chunk in enumerate(chunks, 1)) or (rule,)
        return Alert(spec, rule, rules, limit, labels, self._window(expr), self._reads(expr), steps)

    def _expression(self, draft: _Draft, limit: float, fleets: tuple[Fleet, ...]) -> str:
        whole = _compared(draft.expr.text, draft.spec.comparison, limit)
        if draft.tail.text:
            whole += "\n" + draft.tail.text.replace("$limit", promql_number(limit))
        if not fleets:
            return whole
        labels = output_labels(filled(whole, fleets[0]), self.resolver.catalog) or frozenset()
        return "\nor\n".join(_tagged(filled(whole, fleet), fleet, labels) for fleet in fleets)

    def _steps(self, draft: _Draft, fleets: tuple[Fleet, ...]) -> Iterator[Diagnosis]:
        """Yield the steps of the runbook; of a query that this registry cannot answer only the words."""
        for index, (step, query) in enumerate(zip(draft.spec.diagnose, draft.queries, strict=True)):
            where = draft.spec.place.where("diagnose", index, "query")
            if query.mistake is not None:
                self.problems.append(Problem(where, *query.mistake))
            text = filled(query.text, fleets[0]) if fleets else query.text
            yield Diagnosis(step.say, text if text and self._answers(text, where) else "")

    def _answers(self, query: str, where: str) -> bool:
        try:
            problems = self.resolver.check(query)
        except LeftOutError:
            return False
        self.problems += [Problem(where, problem.message, problem.remedy) for problem in problems]
        return not problems

    def _usable(self, place: Place, name: str, parts: Mapping[str, Settled]) -> bool:
        """Note mistakes and left-outs of the settled parts; return whether there are none."""
        usable = True
        for key, part in parts.items():
            if part.mistake is not None:
                self.problems.append(Problem(place.where(key), *part.mistake))
                usable = False
            elif part.left_out and not self.resolver.foreign:
                self.problems.append(Problem(place.where(key), part.left_out, "name a stable metric"))
                usable = False
            elif part.left_out and usable:
                self.left_out.append((name, part.left_out))
                usable = False
        return usable

    def _checked(self, place: Place, name: str, expr: str) -> bool:
        try:
            problems = self.resolver.check(expr)
        except LeftOutError as error:
            self.left_out.append((name, str(error)))
            return False
        self.problems += [
            Problem(place.where("expr"), problem.message, problem.remedy) for problem in problems
        ]
        return not problems

    def _limit(self, spec: AlertSpec) -> float:
        found = limit_of(spec, self.thresholds)
        if isinstance(found, Problem):
            self.problems.append(found)
            return 0
        return found

    def _rule(self, draft: _Draft, expr: str, labels: frozenset[str]) -> AlertRule:
        spec, clock = draft.spec, clock_of(self.sources.config)
        alerting, grafana = self.sources.config.alerting, self.sources.config.grafana
        return AlertRule(
            name=spec.name,
            expr=expr,
            hold=clock.shortened(spec.hold),
            keep=clock.shortened(spec.keep),
            labels={"severity": str(spec.severity), "owner": spec.owner},
            annotations={
                "summary": draft.summary.text,
                "description": " ".join(draft.description.text.split()),
                "runbook_url": f"{alerting.runbook_base_url}/{spec.name}",
                "dashboard_url": f"{grafana.base_url}/d/{spec.board}{_variables(labels)}",
            },
        )

    def _check_words(self, spec: AlertSpec, rule: AlertRule, labels: frozenset[str]) -> None:
        for label in sorted(labels & set(rule.labels)):
            self.problems.append(
                Problem(spec.place.where("expr"), f"label `{label}` of the rule hides one of its series")
            )
        for key in ("summary", "description"):
            text = rule.annotations[key]
            for action in problems_of(text):
                self.problems.append(
                    Problem(
                        spec.place.where(key),
                        f"`{{{{ {action} }}}}` is not an action the unit tests can check",
                        "use {{ $labels.NAME }} or {{ $value | humanize }}",
                    )
                )
            for label in sorted(labels_in(text) - labels):
                self.problems.append(
                    Problem(
                        spec.place.where(key),
                        f"the expression's result has no label `{label}`",
                        did_you_mean(label, labels),
                    )
                )


@dataclass(frozen=True, slots=True)
class _Draft:
    spec: AlertSpec
    expr: Settled
    tail: Settled
    summary: Settled
    description: Settled
    queries: tuple[Settled, ...]


def _drafts(
    spec: GroupSpec, settled: Iterator[Settled]
) -> tuple[list[tuple[RecordingSpec, Settled, Settled]], list[_Draft]]:
    """Return the settled parts of one group, taken from `settled` in the order of `_texts`."""
    records = [(record, next(settled), next(settled)) for record in spec.recordings]
    alerts = [
        _Draft(
            alert,
            next(settled),
            next(settled),
            next(settled),
            next(settled),
            tuple(next(settled) for _ in alert.diagnose),
        )
        for alert in spec.alerts
    ]
    return records, alerts


def _compared(left: str, comparison: Comparison, limit: float) -> str:
    if "\n" in left:
        left = f"(\n{left}\n)"
    return f"{left} {comparison} {promql_number(limit)}"


def _part(rule: AlertRule, expr: str, number: int) -> AlertRule:
    """Return a rule for some of the fleets; a label tells the later parts apart, as promtool refuses equal rules."""
    labels = {**rule.labels, "part": str(number)} if number > 1 else rule.labels
    return replace(rule, expr=expr, labels=labels)


def _tagged(expr: str, fleet: Fleet, labels: frozenset[str]) -> str:
    """Return an expression about one fleet whose result names it, if it does not do so by itself."""
    missing = [name for name in ("namespace", "fleet") if name not in labels]
    names = {"namespace": fleet.namespace, "fleet": fleet.name}
    if not missing:
        return f"(\n{expr}\n)" if "\n" in expr else expr
    for name in missing:
        expr = f'label_replace(\n{expr},\n"{name}", {quote(names[name])}, "", "")'
    return expr


def _variables(labels: frozenset[str]) -> str:
    """Return the query of a board's address: its variables, set to the labels of the alert."""
    parts = [f"var-{name}={{{{ $labels.{name} }}}}" for name in ("namespace", "instance") if name in labels]
    return "?" + "&".join(parts) if parts else ""


def _whole(text: str) -> int:
    return 1 if text.endswith("ms") else seconds(text)


def _without_unused(groups: tuple[Group, ...], sources: Sources) -> tuple[Group, ...]:
    """Return the groups without recording rules that no alert and no board reads any more, and without empty groups."""
    needed = {name for group in groups for alert in group.alerts for name in alert.records}
    needed |= _named_on_boards(groups, sources)
    kept = [
        replace(group, records=tuple(rule for rule in group.records if rule.name in needed))
        for group in groups
    ]
    return tuple(group for group in kept if group.records or group.alerts)


def _named_on_boards(groups: Iterable[Group], sources: Sources) -> set[str]:
    """Return the recording rules whose names stand in a file of dashboards/."""
    names = {rule.name for group in groups for rule in group.records}
    return {
        name for document in sources.folder("dashboards") for name in names if _mentions(document.data, name)
    }


def _mentions(data: object, name: str) -> bool:
    if isinstance(data, dict):
        return any(_mentions(value, name) for value in data.values())
    if isinstance(data, list):
        return any(_mentions(value, name) for value in data)
    return isinstance(data, str) and name in data
