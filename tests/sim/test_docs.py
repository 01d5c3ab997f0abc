"""The page about simulations says what there is, and its picture is what the command draws."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import typer.main

from obs.cli.main import app
from obs.documents.load import load_all_yaml
from obs.emit.tree import render
from obs.sim.budget import FIGURES
from obs.sim.faults import FaultKind
from obs.sim.loads import Shape, named
from obs.sim.picture import svg
from obs.sim.run import Clocks, Scenario, simulate
from obs.sim.scaled_object import read
from obs.sim.signal import GAUGES
from obs.sim.workload import Workload
from tests.home import REPO, sources

if TYPE_CHECKING:
    from tests.conftest import Golden

PAGE = (REPO / "docs" / "simulate.md").read_text()
COMMAND = typer.main.get_command(app).commands["simulate"]  # type: ignore[attr-defined]
OPTIONS = [
    name
    for parameter in COMMAND.params
    for name in parameter.opts
    if name.startswith("--") and name != "--help"
]


@pytest.mark.parametrize(
    "word", [*OPTIONS, *FaultKind, *Shape, *GAUGES, *sorted(set(FIGURES) - {"duration"})]
)
def test_the_page_names_everything(word: str) -> None:
    """Every option, fault, shape, metric and figure is on the page."""
    assert re.search(rf"[` ]{re.escape(word)}\b", PAGE)


def test_the_picture_is_current(golden: Golden) -> None:
    """The picture on the page is the example fleet on the burst, as the command above it draws it."""
    document = next(
        document.data
        for artifact in render(sources())
        if artifact.path.endswith("inbox-workers.yaml")
        for document in load_all_yaml(artifact.content.decode(), artifact.path)
        if document.data["kind"] == "ScaledObject"
    )
    workload = Workload(240, 4, drain=960)
    load = named(Shape.BURST, 10 * 4 / workload.mean, 1)
    scenario = Scenario(load, workload, clocks=Clocks.seeded(1), seed=1)
    scaled = read(document)
    golden(Path(REPO / "docs" / "simulate.svg"), svg(scaled, scenario, simulate(scaled, scenario)))
