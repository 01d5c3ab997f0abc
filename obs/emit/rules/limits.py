"""The numbers that alerts compare with, and what an operator's obs.yaml gets wrong about alerts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from obs.documents.suggest import did_you_mean
from obs.errors import Problem
from obs.specs.alerts import AlertSpec, Comparison, GroupSpec
from obs.specs.sources import Sources
from obs.specs.thresholds import Threshold, burn_limit

_KEYS = ("above", "at_least", "below", "equals")


def limit_of(spec: AlertSpec, known: Mapping[str, Threshold]) -> float | Problem:
    """Return the number an alert compares with, or what is wrong with the name its spec gives for one."""
    limit = spec.limit
    if limit.number is not None:
        return limit.number
    for name in filter(None, (limit.name, limit.burn)):
        if name not in known:
            key = next(key for key in _KEYS if spec.place.has(key))
            return Problem(spec.place.where(key), f"unknown threshold `{name}`", did_you_mean(name, known))
    if limit.burn:
        return burn_limit(known[limit.name], known[limit.burn])
    return known[limit.name].value


def config_problems(groups: tuple[GroupSpec, ...], sources: Sources) -> Iterator[Problem]:
    """Yield what obs.yaml says of alerts that cannot be: one that does not exist, or one that could never fire."""
    alerts = [alert for group in groups for alert in group.alerts]
    yield from _not_there([alert.name for alert in alerts], sources)
    yield from _never(alerts, sources)


def _not_there(names: list[str], sources: Sources) -> Iterator[Problem]:
    for index, off in enumerate(sources.config.alerting.switched_off):
        if off.alert not in names:
            where = sources.config_document.where(("alerts", "off", index, "alert"))
            yield Problem(where, f"there is no alert `{off.alert}`", did_you_mean(off.alert, names))


def _never(alerts: Iterable[AlertSpec], sources: Sources) -> Iterator[Problem]:
    for alert in alerts:
        name = alert.limit.name
        threshold = sources.thresholds.get(name)
        if threshold is None or alert.limit.burn or threshold.unit != "ratio":
            continue
        if alert.comparison is Comparison.ABOVE and threshold.value >= 1:
            where = sources.config_document.where(("thresholds", name))
            message = f"`{name}: {threshold.value:g}` is never exceeded, so that {alert.name} could not fire"
            yield Problem(where, message, "use a number under 1, or switch the alert off with a reason")
