"""How the replicas of each fleet are governed: a ScaledObject, a PodDisruptionBudget, or a reason why neither."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, NamedTuple

from obs.documents.dump import to_yaml
from obs.documents.load import Path
from obs.emit.base import header, object_metadata
from obs.emit.scaled_object import Built, build, origin, profile_of
from obs.emit.scaler_refusal import unfit_signal, verdict
from obs.emit.scaler_signals import signals_of
from obs.emit.scalers_page import Row, scalers_page
from obs.errors import ConfigInvalidError, Problem
from obs.model.artifact import Artifact, ArtifactKind
from obs.model.config import Fleet, Mode
from obs.promql.shape import shape_of
from obs.specs.resolve import LeftOutError, UnknownNameError
from obs.specs.scaling import SCALED_MODES, read_scaling
from obs.specs.sources import Sources

WHY_NONE = {
    Mode.ONCE: "runs once, as a Job: there is no number of replicas to choose",
    Mode.SCHEDULE: "runs on a schedule, as a CronJob: there is no number of replicas to choose",
    Mode.LOOP: "is one process that repeats: a second one would do the same work again",
}


class _Plan(NamedTuple):
    built: tuple[Built, ...]
    left_out: tuple[tuple[Path, str], ...]


class ScalersEmitter:
    """`scalers/<fleet>.yaml` and the page that says what every fleet got and why."""

    kind: ClassVar[ArtifactKind] = ArtifactKind.SCALERS

    def emit(self, sources: Sources) -> Iterator[Artifact]:
        """Yield one file a scaled or shard fleet and the page; raise ConfigInvalidError with every refusal."""
        if not sources.config.fleets:
            return
        plan = _plan(sources)
        judged = verdict(sources, plan.built)
        if judged.problems:
            raise ConfigInvalidError(judged.problems)
        built = {one.fleet.path: one for one in plan.built}
        rows = tuple(_rows(sources, built, dict(plan.left_out)))
        for row in rows:
            if row.fleet.path in built:
                yield _scaled(sources, built[row.fleet.path], row.path)
            elif row.path:
                yield _budget(sources, row.fleet, row.path)
        yield scalers_page(sources, rows, judged.waived)


def _plan(sources: Sources) -> _Plan:
    table = read_scaling(sources.documents["registry/scaling.yaml"])
    built: list[Built] = []
    left_out: list[tuple[Path, str]] = []
    problems: list[Problem] = []
    for fleet in sources.config.fleets_of(*SCALED_MODES):
        knobs = table.of(fleet)
        try:
            one = build(sources, fleet, knobs, signals_of(sources, fleet, knobs))
            problems += _check_queries(sources, one)
            unfit = unfit_signal(sources, one) if fleet.mode is Mode.REACTIVE else ""
            if unfit:
                left_out.append((fleet.path, unfit))
            else:
                built.append(one)
        except LeftOutError as reason:
            left_out.append((fleet.path, str(reason)))
        except UnknownNameError as error:
            where = sources.config_document.where((*fleet.path, "scaling", "signals"))
            problems.append(Problem(where, f"K031: fleet `{fleet.name}`: {error}", error.remedy))
    if problems:
        problems += verdict(sources, built).problems
        raise ConfigInvalidError(tuple(dict.fromkeys(problems)))
    return _Plan(tuple(built), tuple(left_out))


def _check_queries(sources: Sources, built: Built) -> Iterator[Problem]:
    """Yield labels and series that nothing exposes; an operator's own query is judged by the rules alone."""
    for index, signal in enumerate(built.signals):
        if signal.external or "query" in built.fleet.overrides:
            continue
        for problem in sources.resolver.check(signal.expression):
            if problem.kind == "unknown-label":
                path = origin(built, ("spec", "triggers", index, "metadata", "query"))
                where = sources.config_document.where(path)
                yield Problem(where, f"K031: fleet `{built.fleet.name}`: {problem.message}", problem.remedy)


def _rows(sources: Sources, built: Mapping[Path, Built], left_out: Mapping[Path, str]) -> Iterator[Row]:
    """Yield what each fleet gets; where two namespaces use one name, the namespace comes first in the file's."""
    named = Counter(fleet.name for fleet in sources.config.fleets)
    for fleet in sources.config.fleets:
        stem = fleet.name if named[fleet.name] == 1 else f"{fleet.namespace}.{fleet.name}"
        path = f"scalers/{stem}.yaml"
        if fleet.path in built:
            yield Row(fleet, path, "a ScaledObject", profile_of(fleet))
        elif fleet.mode is Mode.SHARD:
            why = "each replica owns a fixed share and is its only writer, so their number is never scaled"
            yield Row(fleet, path, "a PodDisruptionBudget", why)
        else:
            yield Row(fleet, "", "nothing", left_out.get(fleet.path, "") or WHY_NONE[fleet.mode])


def _scaled(sources: Sources, built: Built, path: str) -> Artifact:
    place = f"scaler `{built.fleet.name}`"
    series = sorted(
        {
            name
            for signal in built.signals
            if not signal.external
            for name in shape_of(signal.expression).series
        }
    )
    return Artifact(
        ArtifactKind.SCALERS,
        path,
        to_yaml(*built.objects, header=header(sources)),
        kubernetes=True,
        summary=f"ScaledObject of fleet `{built.fleet.name}` ({built.fleet.mode}), for KEDA",
        uses=tuple((name, place) for name in series),
    )


def _budget(sources: Sources, fleet: Fleet, path: str) -> Artifact:
    budget: dict[str, Any] = {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": object_metadata(sources, fleet.name, fleet.namespace),
        "spec": {
            "maxUnavailable": 1,
            "selector": {
                "matchLabels": {"app.kubernetes.io/name": "agent", "agentctl.dev/agent": fleet.name}
            },
        },
    }
    return Artifact(
        ArtifactKind.SCALERS,
        path,
        to_yaml(budget, header=header(sources)),
        kubernetes=True,
        summary=f"PodDisruptionBudget of shard fleet `{fleet.name}`, one shard at a time",
    )
