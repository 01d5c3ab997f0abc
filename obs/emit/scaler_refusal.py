"""Judges scalers before they are written: what a rule finds becomes a problem at the line of obs.yaml behind it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from typing import NamedTuple

from obs.checks.scaling import Judged, judge
from obs.checks.scaling.drain import DRAIN_MARGIN
from obs.checks.scaling.rule import Facts
from obs.documents.load import Document, Path, json_path
from obs.emit.scaled_object import Built, origin
from obs.emit.scaler_settings import without_effect
from obs.errors import Problem
from obs.model.config import Fleet, Mode, Suppression
from obs.model.finding import Severity
from obs.specs.sources import Sources

NEVER_WAIVED = frozenset(
    {"K004", "K013", "K014", "K023", "K025", "K028", "K030", "K037", "K038", "K043", "K045"}
)
"""What the API server, KEDA or the HPA refuse anyway, and the price nobody named: a reason does not help."""


class Verdict(NamedTuple):
    """What is wrong with the scalers of a configuration, and what an operator has accepted, by fleet."""

    problems: tuple[Problem, ...]
    waived: tuple[tuple[str, str, str], ...]  # fleet's name, code, reason


def verdict(sources: Sources, built: Sequence[Built]) -> Verdict:
    """Return everything that the rules and the configuration say against these scalers."""
    problems = list(_unscalable(sources))
    for one in built:
        problems += without_effect(sources, one.fleet)
    waived: list[tuple[str, str, str]] = []
    by_source = {_source(one): one for one in built}
    for judged in judge(tuple(_documents(built)), facts_of(sources)):
        one = by_source[judged.document.source]
        if judged.severity is Severity.INFO:
            continue
        accepted = _waiver(sources, one.fleet, judged.doc.code)
        if accepted is not None:
            waived.append((one.fleet.name, judged.doc.code, accepted.reason))
        else:
            problems.append(_problem(sources, one, judged))
    return Verdict(tuple(dict.fromkeys(problems)), tuple(dict.fromkeys(waived)))


def unfit_signal(sources: Sources, built: Built) -> str:
    """Return why a foreign registry's own signals cannot scale a fleet, or an empty string.

    It is the registry that lacks something then, not obs.yaml, so the fleet is left out and nobody is refused.
    """
    if not sources.resolver.foreign or {"signals", "query", "pending_only"} & set(built.fleet.overrides):
        return ""
    for judged in judge(tuple(_documents((built,))), facts_of(sources)):
        if judged.severity > Severity.INFO and judged.flaw.path[-1:] == ("query",):
            return judged.flaw.message
    return ""


def facts_of(sources: Sources) -> Facts:
    """Return what the rules may know of a configuration."""
    return Facts(
        catalog=sources.catalog,
        prefix=sources.registry.prefix,
        keda=sources.config.kubernetes.keda_version,
        scrape_interval=sources.config.prometheus.scrape_interval,
    )


def _source(built: Built) -> str:
    return json_path(built.fleet.path)


def _documents(built: Sequence[Built]) -> Iterator[Document]:
    """Yield the ScaledObjects and, of a fleet whose grace period is known, the workload as far as it is."""
    for one in built:
        yield Document(_source(one), one.objects[0])
        if one.fleet.grace_period is not None:
            grace = {"terminationGracePeriodSeconds": one.fleet.grace_period}
            workload = {
                "apiVersion": one.fleet.workload.api_version,
                "kind": one.fleet.workload.kind,
                "metadata": {"name": one.fleet.workload.name, "namespace": one.fleet.namespace},
                "spec": {"template": {"spec": grace}},
            }
            yield Document(_source(one), workload)


def _waiver(sources: Sources, fleet: Fleet, code: str) -> Suppression | None:
    if code in NEVER_WAIVED:
        return None
    return next(
        (
            one
            for one in sources.config.suppressions
            if one.code == code and fnmatchcase(fleet.name, one.scope)
        ),
        None,
    )


def _problem(sources: Sources, built: Built, judged: Judged) -> Problem:
    path = _path(built, judged)
    return Problem(
        sources.config_document.where(path),
        f"{judged.doc.code}: fleet `{built.fleet.name}`, `{json_path(judged.flaw.path)}`: {judged.flaw.message}",
        f"{judged.flaw.remedy} (decided by `{json_path(path)[2:]}`)",
    )


def _path(built: Built, judged: Judged) -> Path:
    if judged.doc.code == "K028":
        return ("kubernetes", "keda_version")
    if judged.document.data is not built.objects[0]:
        return (*built.fleet.path, "grace_period")
    if judged.doc.code == "K004":
        return (*built.fleet.path, "replicas")
    return origin(built, judged.flaw.path)


def _unscalable(sources: Sources) -> Iterator[Problem]:
    """Yield what is asked for fleets that are never scaled."""
    for fleet in sources.config.fleets:
        asked = next((key for key, there in _asked(fleet) if there), "")
        where = sources.config_document.where((*fleet.path, asked))
        if fleet.mode is Mode.SHARD and asked:
            yield Problem(
                where,
                f"K016: fleet `{fleet.name}`, `{asked}`: a shard fleet is never scaled, each of its"
                " replicas owns a fixed"
                " share of the work",
                "drop it; change the number of shards by hand",
            )
        elif fleet.mode not in (Mode.CLAIM, Mode.REACTIVE, Mode.SHARD) and asked:
            yield Problem(
                where,
                f"K045: fleet `{fleet.name}`, `{asked}`: a fleet of mode {fleet.mode} has no number of"
                " replicas to scale",
                "drop it, or say `mode: claim` or `mode: reactive`",
            )
        if fleet.mode is Mode.SHARD and fleet.grace_period is not None:
            yield from _short_grace(sources, fleet, fleet.grace_period)


def _asked(fleet: Fleet) -> tuple[tuple[str, bool], ...]:
    """Return the keys of obs.yaml that only an autoscaler reads, and whether they are there to be obeyed."""
    fixed = fleet.max_replicas in (None, fleet.min_replicas) or fleet.min_replicas <= 1
    return (
        ("scaling", bool(fleet.overrides)),
        ("external", fleet.external is not None),
        ("replicas", fleet.mode is Mode.SHARD and not fixed),
    )


def _short_grace(sources: Sources, fleet: Fleet, grace: int) -> Iterator[Problem]:
    least = fleet.drain_timeout + DRAIN_MARGIN
    if grace < least:
        yield Problem(
            sources.config_document.where((*fleet.path, "grace_period")),
            f"K017: fleet `{fleet.name}`, `grace_period`: {grace} s is less than the {fleet.drain_timeout}"
            " s an agent drains"
            f" and {DRAIN_MARGIN} s",
            f"set it to {least}s or more",
        )
