"""A namespace in which a third of the targets hang: the others are scraped on time and nothing leaks."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from obs.adapters.sidecar.client import Outcome
from obs.adapters.sidecar.targets import named, read_groups
from tests.sidecar.hostile import HostileServer, hangs, resets, response, says
from tests.sidecar.watched import configured, watching

BODY = b"# HELP agent_up Up.\n# TYPE agent_up gauge\nagent_up 1\n"
TARGETS, HANGING, ROUNDS = 1000, 300, 3


def descriptors() -> int:
    """How many files and sockets this process has open."""
    return len(list(Path("/proc/self/fd").iterdir()))


@pytest.mark.slow
def test_hanging_targets_delay_nobody() -> None:
    """Of 1,000 targets 300 hang and 100 reset: the other 600 are scraped in each interval, nothing leaks."""
    config = configured("x:1", interval="5s", timeout="2s", warmup="0s", concurrency=200)
    behaviours = {"good": says(response(BODY)), "hang": hangs, "reset": resets}
    with HostileServer(behaviours) as server:
        groups = [
            {
                "targets": [f"127.0.0.1:{server.port}"],
                "labels": {"__metrics_path__": f"/{_kind(number)}{number}"},
            }
            for number in range(TARGETS)
        ]
        targets = named(read_groups(groups, config.access, "test"))

        async def go() -> tuple[int, int, int]:
            loop = watching(config)
            before = descriptors()
            loop.watch(targets)
            await _until(lambda: all(state.last_scrape for state in loop.states.values()), 60)
            late = loop.totals.late
            wanted = {
                state.target.name: state.outcomes[Outcome.OK] + ROUNDS for state in loop.states.values()
            }
            good = [state for name, state in loop.states.items() if "/good" in name]
            await _until(
                lambda: all(state.outcomes[Outcome.OK] >= wanted[state.target.name] for state in good), 60
            )
            lateness = loop.totals.late - late
            outcomes = {state.target.name: dict(state.outcomes) for state in loop.states.values()}
            await loop.stop()
            await asyncio.sleep(0.1)
            for name, counts in outcomes.items():
                assert counts[_expected(name)] > 0, name
            assert _expected(name) is Outcome.OK or not counts[Outcome.OK]
            return before, descriptors(), lateness

        threads = threading.active_count()
        before, after, late = asyncio.run(go())
    assert after <= before + 2
    assert threading.active_count() <= threads
    # Late means begun a tenth of the interval after it was due; a busy machine may do that to a few.
    assert late <= TARGETS * ROUNDS * 0.05


async def _until(seen: Callable[[], bool], patience: float) -> None:
    end = asyncio.get_running_loop().time() + patience
    while not seen():
        await asyncio.sleep(0.05)
        assert asyncio.get_running_loop().time() < end, f"not within {patience}s"


def _kind(number: int) -> str:
    return "hang" if number % 10 < 3 else "reset" if number % 10 == 3 else "good"


def _expected(name: str) -> Outcome:
    if "/hang" in name:
        return Outcome.TIMEOUT
    return Outcome.REFUSED if "/reset" in name else Outcome.OK


def test_at_most_so_many_at_once() -> None:
    """The limit holds whatever the targets do, and those that time out use half of it at the most."""
    config = configured("x:1", interval="1s", timeout="200ms", concurrency=4)
    with HostileServer({"hang": hangs}) as server:
        groups = [
            {"targets": [f"127.0.0.1:{server.port}"], "labels": {"__metrics_path__": f"/hang{n}"}}
            for n in range(12)
        ]
        targets = named(read_groups(groups, config.access, "test"))

        async def go() -> tuple[int, int]:
            loop = watching(config)
            loop.watch(targets)
            most_first = most_later = 0
            for turn in range(60):
                await asyncio.sleep(0.02)
                busy = 4 - loop._places._value
                if all(state.outcome for state in loop.states.values()):
                    most_later = max(most_later, busy)
                else:
                    most_first = max(most_first, busy)
                assert turn < 60
            await loop.stop()
            return most_first, most_later

        first, later = asyncio.run(go())
    assert first <= 4
    assert later <= 2
