"""What the numbers of registry/scaling.yaml do: every profile and task length, on every named load.

`python -m benchmarks.scaling_defaults` prints a table: the shipped row of each profile first, then the same
row with one number changed, so that the choice can be argued with. `--write` puts it beside the numbers,
into registry/scaling.evidence.csv; a test recomputes the shipped rows and compares.
"""

from __future__ import annotations

import argparse
import csv
import io
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from benchmarks.measure import REPO
from obs.adapters.registries import Inputs
from obs.adapters.sources import load_sources
from obs.documents.dump import to_yaml
from obs.documents.load import load_all_yaml
from obs.emit.tree import render
from obs.model.artifact import ArtifactKind
from obs.sim.loads import Shape, named
from obs.sim.run import Clocks, Scenario, simulate
from obs.sim.scaled_object import read
from obs.sim.workload import TASK_LIMIT_FACTOR, Workload

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from obs.sim.outcome import Summary

EVIDENCE = REPO / "registry" / "scaling.evidence.csv"
SEEDS = (1, 2)
CAPACITY, MAXIMUM = 4, 50
PROFILES = ("claim", "reactive")


class Length(NamedTuple):
    """One task length: the median task and the acceptable wait in seconds, and the pods a load's peak keeps busy."""

    work: int
    slo: int
    peak: float


LENGTHS = {"short": Length(10, 60, 4), "medium": Length(240, 60, 10), "long": Length(1800, 120, 10)}

AS_SHIPPED = "as shipped"


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the evidence: sums over loads and seeds, the worst of them where the name says so."""

    profile: str
    tasks: str
    change: str
    drain_s: int
    items: int
    interrupted: int
    left: int
    longest_stranded_s: int
    worst_p95_wait_s: int
    slo_misses: int
    flaps: int
    replica_hours: float


class Case(NamedTuple):
    """What is measured: a ScaledObject, as shipped or with one change, and how long its pods may drain."""

    profile: str
    tasks: str
    change: str
    document: dict[str, Any]
    drain: int


def shipped() -> dict[tuple[str, str], dict[str, Any]]:
    """Return the ScaledObject that `obs generate` makes for each profile and task length."""
    config = {"fleets": [_fleet(profile, tasks) for profile in PROFILES for tasks in LENGTHS]}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "obs.yaml"
        path.write_bytes(to_yaml(config))
        artifacts = render(load_sources(Inputs(config=path)))
    documents = [
        document.data
        for artifact in artifacts
        if artifact.kind is ArtifactKind.SCALERS and artifact.path.endswith(".yaml")
        for document in load_all_yaml(artifact.content.decode(), artifact.path)
        if document.data.get("kind") == "ScaledObject"
    ]
    return {_key(document): document for document in documents}


def _key(document: Mapping[str, Any]) -> tuple[str, str]:
    profile, tasks = document["metadata"]["name"].split("-")
    return profile, tasks


def _fleet(profile: str, tasks: str) -> dict[str, Any]:
    name = f"{profile}-{tasks}"
    claim = profile == "claim"
    fleet: dict[str, Any] = {
        "name": name,
        "mode": profile,
        "workload": {"kind": "Deployment", "name": name},
        "replicas": {"min": 0 if claim else 2, "max": MAXIMUM},
        "capacity": CAPACITY,
        "tasks": tasks,
        "drain_timeout": "2h",
        "grace_period": "3h",
    }
    if claim:
        fleet["backlog"] = {"namespace": "agents", "service": name}
    return fleet


def shipped_cases() -> list[Case]:
    """Return a case for each row of registry/scaling.yaml, with a drain as long as the longest task."""
    return [
        Case(profile, tasks, AS_SHIPPED, document, TASK_LIMIT_FACTOR * LENGTHS[tasks].work)
        for (profile, tasks), document in sorted(shipped().items())
    ]


def cases() -> Iterator[Case]:
    """Yield each shipped row, then the changes to it."""
    for case in shipped_cases():
        yield case
        work = LENGTHS[case.tasks].work
        for drain in (work, 2 * work):
            yield case._replace(change=f"drain {drain}s", drain=drain)
        for factor in (0.5, 2):
            yield case._replace(change=f"target x{factor}", document=_target(case.document, factor))
        for window in (120, 300, 600, 1800):
            yield case._replace(
                change=f"scale-down window {window}s", document=_window(case.document, window)
            )
        for percent, pods in ((100, 10), (300, 20)):
            changed = _up(case.document, percent, pods)
            yield case._replace(change=f"scale-up {percent}% or {pods} pods in 30s", document=changed)
        if case.profile == "claim":
            for cooldown in (120, 300, 600):
                changed = _set(case.document, cooldownPeriod=cooldown)
                yield case._replace(change=f"cooldown {cooldown}s", document=changed)
            yield case._replace(change="poll 30s", document=_set(case.document, pollingInterval=30))
            yield case._replace(change="pending alone", document=_pending(case.document))


def _copy(document: dict[str, Any]) -> dict[str, Any]:
    loaded: dict[str, Any] = load_all_yaml(to_yaml(document).decode(), "copy")[0].data
    return loaded


def _set(document: dict[str, Any], **spec: Any) -> dict[str, Any]:
    copy = _copy(document)
    copy["spec"].update(spec)
    return copy


def _target(document: dict[str, Any], factor: float) -> dict[str, Any]:
    copy = _copy(document)
    metadata = copy["spec"]["triggers"][0]["metadata"]
    metadata["threshold"] = f"{float(metadata['threshold']) * factor:g}"
    return copy


def _behavior(document: dict[str, Any]) -> Any:
    return document["spec"]["advanced"]["horizontalPodAutoscalerConfig"]["behavior"]


def _window(document: dict[str, Any], window: int) -> dict[str, Any]:
    copy = _copy(document)
    _behavior(copy)["scaleDown"]["stabilizationWindowSeconds"] = window
    return copy


def _up(document: dict[str, Any], percent: int, pods: int) -> dict[str, Any]:
    copy = _copy(document)
    _behavior(copy)["scaleUp"]["policies"] = [
        {"type": "Percent", "value": percent, "periodSeconds": 30},
        {"type": "Pods", "value": pods, "periodSeconds": 30},
    ]
    return copy


def _pending(document: dict[str, Any]) -> dict[str, Any]:
    copy = _copy(document)
    copy["spec"]["triggers"][0]["metadata"]["query"] = "max(agentctl_coordination_pending)"
    return copy


def scenarios(tasks: str, drain: int) -> Iterator[Scenario]:
    """Yield every named load with every seed for tasks of one length."""
    work, slo, peak = LENGTHS[tasks]
    workload = Workload(work, CAPACITY, drain=drain)
    per_second = peak * CAPACITY / workload.mean
    for shape in Shape:
        for seed in SEEDS:
            yield Scenario(
                named(shape, per_second, seed),
                workload,
                clocks=Clocks.seeded(seed),
                seed=seed,
                slo=slo,
                settle=max(3600, 2 * workload.longest),
            )


def measure(case: Case) -> Row:
    """Return the evidence for one case."""
    scaled = read(case.document)
    runs: list[Summary] = [
        simulate(scaled, scenario, record=False).summary for scenario in scenarios(case.tasks, case.drain)
    ]
    return Row(
        case.profile,
        case.tasks,
        case.change,
        case.drain,
        sum(run.items for run in runs),
        sum(run.interrupted for run in runs),
        sum(run.left for run in runs),
        max(run.stranded for run in runs),
        max(run.p95_wait for run in runs),
        sum(run.slo_misses for run in runs),
        sum(run.flaps for run in runs),
        round(sum(run.replica_seconds for run in runs) / 3600, 1),
    )


def to_csv(rows: list[Row]) -> str:
    """Return the evidence as CSV."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    names = [field.name for field in fields(Row)]
    writer.writerow(names)
    writer.writerows([getattr(row, name) for name in names] for row in rows)
    return out.getvalue()


def main() -> int:
    """Measure everything; print it, and with `--write` keep it."""
    parser = argparse.ArgumentParser(description="evidence for registry/scaling.yaml")
    parser.add_argument("--write", action="store_true", help=f"write {EVIDENCE.relative_to(REPO)}")
    write = parser.parse_args().write
    with ProcessPoolExecutor() as pool:
        text = to_csv(list(pool.map(measure, cases())))
    sys.stdout.write(text)
    if write:
        EVIDENCE.write_text(text, encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
