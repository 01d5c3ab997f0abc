"""The files of alerts/: intent, expression, limits, words for people and test cases, as typed values.

Expressions stay templates here; `obs.specs.expressions` settles them for one registry and one configuration.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from obs.documents import schema
from obs.documents.load import Document, Path
from obs.documents.suggest import did_you_mean
from obs.errors import Problem, SpecInvalidError
from obs.model.config import Mode
from obs.model.rule import Urgency
from obs.specs.durations import seconds
from obs.specs.perfleet import Each

THRESHOLDS = "alerts/thresholds.yaml"
"""The one file of the folder that holds numbers, not rules."""


class Comparison(StrEnum):
    """How the value of an expression is compared with its limit."""

    ABOVE = ">"
    AT_LEAST = ">="
    BELOW = "<"
    EQUALS = "=="


_COMPARISONS = {
    "above": Comparison.ABOVE,
    "at_least": Comparison.AT_LEAST,
    "below": Comparison.BELOW,
    "equals": Comparison.EQUALS,
}


@dataclass(frozen=True, slots=True)
class Place:
    """Where a spec stands: its document and the path to it."""

    document: Document
    path: Path

    def where(self, *steps: str | int) -> str:
        """Return `file:line:column` of the spec, or of what `steps` lead to inside it."""
        return self.document.where((*self.path, *steps))

    def has(self, key: str) -> bool:
        """Return whether the spec has a key."""
        return (*self.path, key) in self.document.marks


@dataclass(frozen=True, slots=True)
class Limit:
    """A number that an expression is compared with.

    Either `number`, or the threshold called `name`, or a burn rate: the threshold `burn` times the error budget that
    the objective `name` leaves.
    """

    number: float | None = None
    name: str = ""
    burn: str = ""


@dataclass(frozen=True, slots=True)
class SeriesSpec:
    """An input of a test: a selector without regular expressions, and its level (or rate) as text in terms of `v`."""

    selector: str
    form: str


@dataclass(frozen=True, slots=True)
class ExtraCase:
    """A test case written out: series with explicit timelines, when to look, and whether the alert then fires."""

    name: str
    series: tuple[SeriesSpec, ...]
    at: str
    fires: bool
    value: str = "0"
    labels: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TestSpec:
    """What the test cases of an alert are derived from.

    `v` is the value of the alert's expression. `series` say what inputs give that value; `healthy` and `faulty` are
    two such values (None: derived from the limit); `labels` are those of the result that do not name the agent.
    Times are in seconds: the fault begins after `lead`, shows in full after `settle`, is forgotten `clear` after its
    end (None: the longest window of the expression). `skip` says which cases do not apply, and why.
    """

    series: tuple[SeriesSpec, ...]
    healthy: float | None = None
    faulty: float | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    value: str = "v"
    lead: int | None = None
    settle: int | None = None
    clear: int | None = None
    skip: Mapping[str, str] = field(default_factory=dict)
    extra: tuple[ExtraCase, ...] = ()


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """A step of a runbook: what to look at, and a query (a template) to paste."""

    say: str
    query: str = ""


@dataclass(frozen=True, slots=True)
class AlertSpec:
    """One alert as its author wrote it.

    `hold` and `keep` are in seconds before `for_factor`; `each` says for which fleets the expression is written out;
    `since` is the metrics_schema (major, minor) it needs.
    """

    name: str
    severity: Urgency
    owner: str
    expr: str
    comparison: Comparison
    limit: Limit
    tail: str
    hold: int
    keep: int
    summary: str
    description: str
    board: str
    meaning: str
    impact: str
    diagnose: tuple[Diagnosis, ...]
    mitigate: tuple[str, ...]
    related: tuple[str, ...]
    inhibited_by: tuple[str, ...]
    each: Each | None
    since: tuple[int, int]
    tests: TestSpec
    place: Place


@dataclass(frozen=True, slots=True)
class RecordingSpec:
    """One recording rule as its author wrote it; name and expression are templates."""

    name: str
    expr: str
    about: str
    place: Place


@dataclass(frozen=True, slots=True)
class GroupSpec:
    """One file of alerts/: recording rules and alerts that belong together."""

    name: str
    title: str
    place: Place
    recordings: tuple[RecordingSpec, ...]
    alerts: tuple[AlertSpec, ...]


def read_groups(documents: Iterable[Document], json_schema: dict[str, Any]) -> tuple[GroupSpec, ...]:
    """Return the groups of documents, in the order of their files.

    Raise SpecInvalidError with everything that breaks the schema (registry/alerts.schema.json), or when two alerts,
    two recording rules or two groups have one name.
    """
    documents = sorted(documents, key=lambda document: document.source)
    problems = [problem for document in documents for problem in schema.problems(document, json_schema)]
    if problems:
        raise SpecInvalidError(problems)
    groups = tuple(_group(document) for document in documents)
    problems = [
        *_repeated("group", ((group.name, group.place) for group in groups)),
        *_repeated("alert", ((alert.name, alert.place) for group in groups for alert in group.alerts)),
        *_repeated("record", ((rule.name, rule.place) for group in groups for rule in group.recordings)),
    ]
    problems += _dangling(groups)
    if problems:
        raise SpecInvalidError(problems)
    return groups


def _dangling(groups: Iterable[GroupSpec]) -> Iterator[Problem]:
    """Yield a problem for each alert that is named and does not exist."""
    alerts = [alert for group in groups for alert in group.alerts]
    names = [alert.name for alert in alerts]
    for alert in alerts:
        for key, given in (("related", alert.related), ("inhibited_by", alert.inhibited_by)):
            for index, name in enumerate(given):
                if name not in names:
                    where = alert.place.where(key, index)
                    yield Problem(where, f"there is no alert `{name}`", did_you_mean(name, names))


def _repeated(kind: str, named: Iterable[tuple[str, Place]]) -> Iterator[Problem]:
    seen: dict[str, Place] = {}
    for name, place in named:
        if name in seen:
            yield Problem(
                place.where(kind), f"`{name}` stands here again", f"first at {seen[name].where(kind)}"
            )
        seen.setdefault(name, place)


def _group(document: Document) -> GroupSpec:
    data = document.data
    return GroupSpec(
        name=data["group"],
        title=data["title"],
        place=Place(document, ()),
        recordings=tuple(
            RecordingSpec(item["record"], item["expr"], item["about"], Place(document, ("recording", index)))
            for index, item in enumerate(data.get("recording", ()))
        ),
        alerts=tuple(
            _alert(item, Place(document, ("alerts", index)))
            for index, item in enumerate(data.get("alerts", ()))
        ),
    )


def _alert(data: Mapping[str, Any], place: Place) -> AlertSpec:
    word = next(word for word in _COMPARISONS if word in data)
    return AlertSpec(
        name=data["alert"],
        severity=Urgency(data["severity"]),
        owner=data["owner"],
        expr=data["expr"],
        comparison=_COMPARISONS[word],
        limit=_limit(data[word]),
        tail=data.get("tail", ""),
        hold=seconds(data["for"]) if "for" in data else 0,
        keep=seconds(data["keep_firing_for"]) if "keep_firing_for" in data else 0,
        summary=data["summary"],
        description=data["description"],
        board=data["board"],
        meaning=data["meaning"],
        impact=data["impact"],
        diagnose=tuple(Diagnosis(step["say"], step.get("query", "")) for step in data["diagnose"]),
        mitigate=tuple(data["mitigate"]),
        related=tuple(data.get("related", ())),
        inhibited_by=tuple(data.get("inhibited_by", ())),
        each=_each(data["each"]) if "each" in data else None,
        since=_version(data.get("since", "1.0")),
        tests=_tests(data["tests"]),
        place=place,
    )


def _each(data: Mapping[str, Any]) -> Each:
    return Each(
        modes=tuple(Mode(mode) for mode in data.get("modes", ())),
        from_zero=data.get("from_zero"),
        backlog=data.get("backlog", False),
        counted=data.get("counted", False),
    )


def _version(text: str) -> tuple[int, int]:
    major, minor = text.split(".")
    return int(major), int(minor)


def _limit(data: object) -> Limit:
    if isinstance(data, dict):
        return Limit(name=data["objective"], burn=data["burn"])
    return Limit(name=data) if isinstance(data, str) else Limit(number=float(str(data)))


def _tests(data: Mapping[str, Any]) -> TestSpec:
    def time(key: str) -> int | None:
        return _time(data[key]) if key in data else None

    return TestSpec(
        series=_series(data["series"]),
        healthy=data.get("healthy"),
        faulty=data.get("faulty"),
        labels=data.get("labels", {}),
        value=str(data.get("value", "v")),
        lead=time("lead"),
        settle=time("settle"),
        clear=time("clear"),
        skip=data.get("skip", {}),
        extra=tuple(_extra(item) for item in data.get("extra", ())),
    )


def _extra(data: Mapping[str, Any]) -> ExtraCase:
    return ExtraCase(
        name=data["case"],
        series=_series(data["series"]),
        at=data["at"],
        fires=data["expect"] == "fires",
        value=str(data.get("value", 0)),
        labels=data.get("labels", {}),
    )


def _time(text: str) -> int:
    return 0 if text == "0s" else seconds(text)


def _series(data: Mapping[str, Any]) -> tuple[SeriesSpec, ...]:
    return tuple(SeriesSpec(selector, str(form)) for selector, form in data.items())
