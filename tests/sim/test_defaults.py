"""The numbers that obs ships, simulated: they lose no task and strand no item, and the evidence beside them is true."""

from __future__ import annotations

import csv
from dataclasses import asdict
from functools import cache

import pytest

from benchmarks.scaling_defaults import AS_SHIPPED, EVIDENCE, LENGTHS, Case, measure, shipped_cases
from obs.documents.load import load_all_yaml
from obs.emit.tree import render
from obs.model.artifact import ArtifactKind
from obs.model.config import Mode
from obs.sim.loads import Shape, named
from obs.sim.run import Clocks, Scenario, simulate
from obs.sim.scaled_object import read
from obs.sim.workload import Workload
from tests.home import sources
from tests.scalers.fleets import CLAIM, PUSH, REACTIVE, scaled_object

# A sleeping fleet is woken within a scrape and a poll, and a few seconds of phase.
WAKES_WITHIN = 45


@cache
def evidence() -> dict[tuple[str, str, str], dict[str, str]]:
    """Return the committed evidence by profile, task length and change."""
    rows = csv.DictReader(EVIDENCE.read_text().splitlines())
    return {(row["profile"], row["tasks"], row["change"]): row for row in rows}


@pytest.mark.slow
@pytest.mark.parametrize("case", shipped_cases(), ids=lambda case: f"{case.profile}-{case.tasks}")
def test_the_evidence_is_reproduced(case: Case) -> None:
    """Measured again, every shipped row gives the numbers that stand beside it, and none of them is a loss."""
    row = measure(case)
    found = {name: str(value) for name, value in asdict(row).items()}
    assert found == evidence()[case.profile, case.tasks, AS_SHIPPED], (
        "python -m benchmarks.scaling_defaults --write"
    )
    assert (row.interrupted, row.left) == (0, 0)
    assert row.longest_stranded_s <= WAKES_WITHIN


@pytest.mark.parametrize("tasks", LENGTHS)
def test_what_the_evidence_says(tasks: str) -> None:
    """A drain of one median task loses work, and what waits alone is no signal: both stand in the evidence."""
    shipped = evidence()["claim", tasks, AS_SHIPPED]
    drain = f"drain {LENGTHS[tasks].work}s"
    assert int(evidence()["claim", tasks, drain]["interrupted"]) > 0
    assert int(evidence()["claim", tasks, "pending alone"]["flaps"]) > int(shipped["flaps"])


def examples() -> list[str]:
    """Return the fleets of the example configuration that are scaled."""
    return [fleet.name for fleet in sources().config.fleets_of(Mode.CLAIM, Mode.REACTIVE)]


@cache
def scaled_objects() -> dict[str, dict[str, object]]:
    """Return the ScaledObjects that the example configuration makes."""
    return {
        document.data["metadata"]["name"]: document.data
        for artifact in render(sources())
        if artifact.kind is ArtifactKind.SCALERS and artifact.path.endswith(".yaml")
        for document in load_all_yaml(artifact.content.decode(), artifact.path)
        if document.data["kind"] == "ScaledObject"
    }


@pytest.mark.parametrize("shape", Shape)
@pytest.mark.parametrize("name", examples())
def test_an_example_loses_nothing(name: str, shape: Shape) -> None:
    """On every named load the example fleets interrupt no task, leave none, and are awake within a minute."""
    fleet = next(fleet for fleet in sources().config.fleets if fleet.name == name)
    work, _, peak = LENGTHS[str(fleet.task_length)]
    workload = Workload(work, fleet.capacity, drain=fleet.drain_timeout, grace=fleet.grace_period or 0)
    scaled = read(scaled_objects()[name])
    for seed in (1, 2):
        load = named(shape, peak * fleet.capacity / workload.mean, seed)
        summary = simulate(
            scaled, Scenario(load, workload, clocks=Clocks.seeded(seed), seed=seed), record=False
        ).summary
        assert (summary.interrupted, summary.left, summary.in_flight) == (0, 0, 0)
        assert summary.stranded <= WAKES_WITHIN


@pytest.mark.parametrize("text", [CLAIM, REACTIVE, PUSH])
def test_every_kind_of_scaler_is_understood(text: str) -> None:
    """What the generator can make, the simulator can read: backlog, in-pod work and ratios, and a push."""
    scaled = read(scaled_object(text))
    load = Scenario(named(Shape.BURST, 0.1, 1), Workload(60, 4, drain=240))
    assert simulate(scaled, load, record=False).summary.left == 0
