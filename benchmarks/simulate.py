"""What a simulation costs: against Python's own heap, as items grow, and what a search costs against its runs."""

from __future__ import annotations

import heapq
import io
import random
import time
from typing import TYPE_CHECKING, Any

from benchmarks.measure import Row
from obs.adapters.search import search
from obs.sim.loads import Load, Shape, named
from obs.sim.run import Clocks, Scenario, simulate
from obs.sim.scaled_object import read
from obs.sim.tune import Trial, default_budget
from obs.sim.workload import Workload

if TYPE_CHECKING:
    from collections.abc import Callable

WEEK = 604_800
ITEMS = 50_000
POINTS, SEEDS = 200, 5

YARDSTICK = "a million heapq pushes and pops"

FLEET: dict[str, Any] = {
    "kind": "ScaledObject",
    "metadata": {"name": "inbox"},
    "spec": {
        "pollingInterval": 15,
        "minReplicaCount": 0,
        "maxReplicaCount": 50,
        "fallback": {"failureThreshold": 3, "replicas": 2, "behavior": "currentReplicasIfHigher"},
        "advanced": {
            "horizontalPodAutoscalerConfig": {
                "behavior": {
                    "scaleDown": {
                        "stabilizationWindowSeconds": 600,
                        "policies": [{"type": "Percent", "value": 25, "periodSeconds": 60}],
                    }
                }
            }
        },
        "triggers": [
            {
                "type": "prometheus",
                "name": "backlog",
                "metadata": {
                    "query": "max(agentctl_coordination_pending) + max(agentctl_coordination_claimed)",
                    "threshold": "4",
                    "ignoreNullValues": "false",
                },
            }
        ],
    },
}


def rows() -> list[Row]:
    """Return the week, its growth with the items, and the search."""
    heap = least(heap_yardstick)
    week, more = (least(lambda n=n: simulate_week(n)) for n in (ITEMS, 10 * ITEMS))
    wall, runs, single = tuned()
    return [
        Row(
            f"simulate, a week at 15 s, {ITEMS:,} items",
            week / heap,
            0.9,
            YARDSTICK,
            f"{week:.2f} s of CPU on one core against {heap:.2f} s; 3 s is the most",
        ),
        Row(
            "simulate, ten times the items",
            more / week,
            11,
            f"simulate, {ITEMS:,} items",
            f"{more:.2f} s against {week:.2f} s",
        ),
        Row(
            f"simulate --tune, {POINTS} points, {SEEDS} seeds, four hours each",
            wall / (runs * single),
            3,
            f"its {runs} runs one after the other",
            f"{wall:.1f} s on two processes against {runs * single:.1f} s; 60 s is the most",
        ),
    ]


def least(job: Callable[[], object], runs: int = 3) -> float:
    """Return the least CPU seconds of several runs."""
    costs = []
    for _ in range(runs):
        start = time.process_time()
        job()
        costs.append(time.process_time() - start)
    return min(costs)


def heap_yardstick() -> None:
    """Push a million events in random order and pop them again."""
    draw = random.Random(1).random
    heap: list[tuple[float, int]] = []
    for number in range(1_000_000):
        heapq.heappush(heap, (draw(), number))
    while heap:
        heapq.heappop(heap)


def simulate_week(items: int) -> None:
    """Simulate a week with `items` four-minute tasks at random times; pods grow with the items."""
    draw = random.Random(1).randrange
    arrivals = tuple(sorted(draw(WEEK) for _ in range(items)))
    workload = Workload(240, capacity=4 * max(1, items // ITEMS), drain=960)
    simulate(read(FLEET), Scenario(Load("week", WEEK, arrivals), workload, settle=0), record=False)


def tuned() -> tuple[float, int, float]:
    """Return (wall seconds of a search on two processes, its runs, CPU seconds of one run)."""
    workload = Workload(240, capacity=4, drain=960)
    scenarios = tuple(
        Scenario(
            named(Shape.BURST, 10 * 4 / workload.mean, seed), workload, clocks=Clocks.seeded(seed), seed=seed
        )
        for seed in range(SEEDS)
    )
    trial = Trial(FLEET, read(FLEET), scenarios, default_budget(60))
    start = time.perf_counter()
    tuning = search(trial, POINTS, jobs=2, stream=io.StringIO())
    wall = time.perf_counter() - start
    single = least(lambda: simulate(trial.scaled, scenarios[0], record=False))
    return wall, tuning.runs, single
