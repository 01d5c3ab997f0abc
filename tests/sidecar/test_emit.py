"""A synthetic fleet, served live: whatever is broken changes the verdict at once, whatever is not does not."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from obs.adapters.emit_server import EmitServer, open_server
from obs.adapters.live_fleet import LiveFleet, Settings
from obs.adapters.mutants import find_mutant
from obs.adapters.sidecar.client import Fetched, Outcome
from obs.adapters.sidecar.state import TargetState
from obs.adapters.sidecar.verdict import Judge, Past
from obs.adapters.sidecar.watching import Watching
from obs.checks.catalogue import ALL_CHECKS, LIVE_CHECKS
from obs.exposition import Format
from obs.model.finding import Severity
from obs.synth.mutant import Mutant
from obs.synth.mutants import MUTANTS
from obs.synth.scenario import Scenario
from tests.sidecar.watched import configured, watching
from tests.synth.worlds import registry, world

INTERVAL = 15.0
CODES = {entry.slug: entry.code for entry in (*ALL_CHECKS, *LIVE_CHECKS)}

LOOKS = {
    "counter-decrease": 2,
    "generation-decrease": 2,
    "label-churn": 4,
    "several-processes": 8,
    "vanished-series": 2,
    "growing-label": 4,
    "drifting-twins": 4,
    "label-growth": 4,
    "frozen-body": 21,
}
"""How many scrapes show a defect that one does not: a fall needs the second, a habit four, a standstill 21."""

ALSO = {"label-growth": "OBS505", "frozen-body": "OBS506"}
"""What stands for a check of two bodies where bodies are followed for ever."""


@dataclass
class Stage:
    """A served fleet whose clock the test moves."""

    fleet: LiveFleet
    server: EmitServer
    clock: list[float]

    def url(self, agent: int = 0) -> str:
        """The URL of an agent."""
        return f"http://{self.server.address}/agents/{agent}/metrics"


def stage(form: Format) -> Iterator[Stage]:
    """A fleet of two agents in one format."""
    clock = [0.0]
    fleet = LiveFleet(world(agents=2), Settings(registry(), form), lambda: clock[0])
    server = open_server(fleet, "127.0.0.1:0", find_mutant)
    thread = threading.Thread(target=server.serve, daemon=True)
    thread.start()
    yield Stage(fleet, server, clock)
    server.stop()
    thread.join()


@pytest.fixture(scope="module")
def text() -> Iterator[Stage]:
    """The fleet in the text format."""
    yield from stage(Format.TEXT)


@pytest.fixture(scope="module")
def openmetrics() -> Iterator[Stage]:
    """The fleet in OpenMetrics."""
    yield from stage(Format.OPENMETRICS)


async def look(stage: Stage, loop: Watching, state: TargetState) -> None:
    """Scrape once, an interval later."""
    stage.clock[0] += INTERVAL
    await loop.look(state, asyncio.get_running_loop().time())


@pytest.mark.slow
@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.slug)
def test_a_mutant_changes_the_verdict(
    text: Stage, openmetrics: Stage, mutant: Mutant, tmp_path: Path
) -> None:
    """The scrape that can show the defect finds its code, and the next sound one clears it."""
    on = text if Format.TEXT in mutant.forms else openmetrics
    plain = {"warmup": "0s", "interval": "15s"}
    strict: dict[str, object] = {**plain, "max_series": mutant.max_series or 100_000}
    if mutant.rules is not None:
        (tmp_path / "rules.json").write_text(json.dumps(mutant.rules(registry())))
        strict["rules"] = tmp_path / "rules.json"

    async def go() -> None:
        loop, strict_loop = watching(configured(on.url(), **plain)), watching(configured(on.url(), **strict))
        state = TargetState(loop.config.targets[0])
        on.fleet.mutate(None)
        for _ in range(4):
            await look(on, loop, state)
        while mutant.slug == "frozen-body" and not working(on):
            await look(on, loop, state)
        assert state.verdict is not None
        assert (state.verdict.conformant, dict(state.verdict.counts)) == (True, {})
        on.fleet.mutate(mutant)
        for _ in range(LOOKS.get(mutant.slug, 1)):
            await look(on, strict_loop if mutant.max_series or mutant.rules else loop, state)
        found = {code for code, _ in state.verdict.counts}
        assert ALSO.get(mutant.slug, CODES[mutant.slug]) in found
        worst = max(finding.severity for finding in state.verdict.findings)
        assert state.verdict.conformant == (worst < Severity.ERROR)
        on.fleet.mutate(None)
        if not mutant.over_time:
            await look(on, loop, state)
            assert state.verdict.conformant
            # The series of the defect are gone, and the process went on: that is worth a warning.
            assert {code for code, _ in state.verdict.counts} <= {"OBS503"}
        await loop.stop()

    asyncio.run(go())


def working(stage: Stage) -> bool:
    """Whether the next body says that the agent is at work, as far as one can tell before it is served."""
    reply = stage.fleet.scrape(0)
    return reply is not None and b"agent_inflight_reactions 0\n" not in reply.body


@pytest.mark.parametrize("scenario", Scenario)
def test_a_scenario_is_never_a_violation(scenario: Scenario) -> None:
    """Bursts, outages, drains, crash loops: an agent in trouble keeps the contract, restarts included."""
    clock = [0.0]
    fleet = LiveFleet(world(scenario, agents=4), Settings(registry()), lambda: clock[0])
    judge = Judge(watching(configured("x:1", warmup="0s")).rules)
    pasts = [Past() for _ in range(4)]
    ages = []
    for _ in range(300):
        clock[0] += INTERVAL
        for agent in range(4):
            reply = fleet.scrape(agent)
            if reply is None:
                pasts[agent] = Past()
                continue
            fetched = Fetched(Outcome.OK, reply.body, reply.content_type)
            _, verdict, pasts[agent] = judge.judge("t", fetched, pasts[agent], clock[0])
            assert dict(verdict.counts) == {}
            assert verdict.conformant
            trail = pasts[agent].trail
            ages.append(trail.age if trail else 0)
    assert len(ages) > 300


def test_a_restart_is_no_violation(text: Stage) -> None:
    """The process is away for a scrape, then starts from zero: the verdict is good before and after."""
    config = configured(text.url(1), warmup="0s", interval="15s")

    async def go() -> list[bool | None]:
        loop = watching(config)
        state = TargetState(config.targets[0])
        text.fleet.mutate(None)
        text.fleet.switch(Scenario.CRASHLOOP)
        verdicts = []
        for _ in range(60):
            await look(text, loop, state)
            verdicts.append(state.conformant(Severity.ERROR))
        text.fleet.switch(Scenario.STEADY)
        assert state.outcomes[Outcome.OK] < 60
        await loop.stop()
        return verdicts

    assert False not in asyncio.run(go())
