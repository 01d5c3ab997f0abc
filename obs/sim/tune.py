"""A search for better numbers: which ScaledObject keeps the budget at the least cost, and which knobs matter.

Coarse sample, then steps around the best, then one knob at a time around the chosen point. Every point
meets the same arrivals and the same tasks (common random numbers), drawn from several seeds. The finalists
are replayed with their source away for half an hour at the busiest time, and with everything arriving
twice.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from obs.sim.budget import Condition
from obs.sim.faults import Fault, FaultKind, Weather
from obs.sim.knobs import NAMES, Knobs, Space, space_of, turned
from obs.sim.loads import Load, doubled
from obs.sim.query import PREFIX
from obs.sim.run import Scenario, simulate
from obs.sim.scaled_object import read

if TYPE_CHECKING:
    from obs.sim.keda import ScaledObject

OUTAGE = 1800
COARSE_SHARE = 0.5
FINALISTS = 5

# Below these differences of mean cost (a share) and of the worst p95 (seconds) a knob makes no difference.
FLAT_COST, FLAT_WAIT = 0.03, 5


@dataclass(frozen=True, slots=True)
class Trial:
    """What every point is put through: the document and its scenarios, one a seed.

    `prefix` is that of the registry's metrics in the document's queries.
    """

    document: Mapping[str, Any]
    scaled: ScaledObject
    scenarios: tuple[Scenario, ...]
    budget: tuple[Condition, ...]
    prefix: str = PREFIX


class Score(NamedTuple):
    """How a point did over all seeds: conditions broken, mean cost, worst p95 wait, interrupted and left items."""

    broken: int
    cost: float
    p95_wait: int
    interrupted: int
    left: int


class Scored(NamedTuple):
    """A point with its score."""

    knobs: Knobs
    score: Score


@dataclass(frozen=True, slots=True)
class Replay:
    """The chosen point under stress: how it did, by name of the stress."""

    name: str
    score: Score


@dataclass(frozen=True, slots=True)
class Tuning:
    """What a search found. `flat` names the knobs whose every value does as well as the chosen one."""

    given: Score
    chosen: Scored
    front: tuple[Scored, ...]
    flat: tuple[str, ...]
    replays: tuple[Replay, ...]
    points: int
    runs: int
    document: dict[str, Any]

    @property
    def kept(self) -> bool:
        """Say whether the chosen point keeps the whole budget with every seed."""
        return self.chosen.score.broken == 0


Evaluate = Callable[[Trial, Sequence[Knobs]], Sequence[Score]]


def evaluate(trial: Trial, knobs: Knobs) -> Score:
    """Return the score of one point."""
    capacity = trial.scenarios[0].workload.capacity
    document = turned(trial.document, trial.scaled, knobs, capacity)
    return score(trial, read(document, prefix=trial.prefix))


def score(trial: Trial, scaled: ScaledObject) -> Score:
    """Return the score of one ScaledObject over the trial's scenarios."""
    runs = [simulate(scaled, scenario, record=False).summary for scenario in trial.scenarios]
    return Score(
        broken=sum(not condition.holds(run) for run in runs for condition in trial.budget),
        cost=round(sum(run.cost for run in runs) / len(runs), 4),
        p95_wait=max(run.p95_wait for run in runs),
        interrupted=sum(run.interrupted for run in runs),
        left=sum(run.left for run in runs),
    )


def default_budget(slo: int) -> tuple[Condition, ...]:
    """Return what is asked of a point where nothing else is: serve everything in time and lose no task."""
    return (
        Condition("left", "==", 0, "left==0"),
        Condition("interrupted", "==", 0, "interrupted==0"),
        Condition("p95_wait", "<=", slo, f"p95_wait<={slo}s"),
    )


def tune(trial: Trial, points: int, evaluate_all: Evaluate) -> Tuning:
    """Search with `points` evaluations at most (some more go into replays).

    `evaluate_all` scores points in order; it is where the work is spread over processes.
    """
    space = space_of(trial.scaled)
    search = _Search(space, trial, evaluate_all)
    reserve = sum(len(values) - 1 for values in space.values.values())
    free = max(1, points - reserve)
    search.visit(coarse(space, max(1, int(free * COARSE_SHARE))))
    search.refine(free)
    search.visit([near for name in NAMES for near in space.along(search.best().knobs, name)])
    chosen, replays = search.finalists()
    search.visit([near for name in NAMES for near in space.along(chosen.knobs, name)])
    flat = tuple(name for name in NAMES if _is_flat(search, chosen, name))
    return Tuning(
        given=score(trial, trial.scaled),
        chosen=chosen,
        front=pareto(search.scored()),
        flat=flat,
        replays=replays,
        points=len(search.seen),
        runs=search.runs + len(trial.scenarios),
        document=turned(trial.document, trial.scaled, chosen.knobs, trial.scenarios[0].workload.capacity),
    )


def coarse(space: Space, count: int) -> list[Knobs]:
    """Return `count` different points in which every value of a knob comes about equally often."""
    draw = random.Random("coarse")  # noqa: S311 - a sample, not a secret
    wanted = min(count, space.size())
    found: dict[Knobs, None] = {}
    while len(found) < wanted:
        columns = {}
        for name in NAMES:
            values = space.values[name]
            column = [values[index % len(values)] for index in range(wanted)]
            draw.shuffle(column)
            columns[name] = column
        for index in range(wanted):
            found.setdefault(Knobs(**{name: columns[name][index] for name in NAMES}))
    return list(found)[:wanted]


def pareto(scored: Sequence[Scored]) -> tuple[Scored, ...]:
    """Return the points that no other one beats in cost, worst p95 wait and lost work at once, cheapest first."""
    front: list[Scored] = []
    seen: set[tuple[float, int, int]] = set()
    for one in sorted(scored, key=lambda one: _merits(one.score)):
        merits = _merits(one.score)
        if merits in seen or any(_dominates(_merits(other.score), merits) for other in front):
            continue
        seen.add(merits)
        front.append(one)
    return tuple(front)


def _merits(score: Score) -> tuple[float, int, int]:
    return score.cost, score.p95_wait, score.interrupted + score.left


def _dominates(one: tuple[float, int, int], other: tuple[float, int, int]) -> bool:
    return one != other and all(a <= b for a, b in zip(one, other, strict=True))


def stressed(scenario: Scenario, name: str) -> Scenario:
    """Return a scenario with its source away at the busiest time, or with every item twice."""
    if name == "twice the load":
        return replace(scenario, load=doubled(scenario.load))
    start = busiest(scenario.load, OUTAGE)
    outage = Fault(FaultKind.OUTAGE, start, start + OUTAGE)
    return replace(scenario, weather=Weather((*scenario.weather.faults, outage)))


STRESSES = ("source away for 30m at the busiest time", "twice the load")


def busiest(load: Load, width: int) -> int:
    """Return the second from which the most items arrive within `width` seconds."""
    arrivals, first, best, start = load.arrivals, 0, 0, 0
    for last, time in enumerate(arrivals):
        while arrivals[first] <= time - width:
            first += 1
        if last - first + 1 > best:
            best, start = last - first + 1, arrivals[first]
    return start


class _Search:
    """What has been tried so far."""

    def __init__(self, space: Space, trial: Trial, evaluate_all: Evaluate) -> None:
        self.space = space
        self.trial = trial
        self.evaluate_all = evaluate_all
        self.seen: dict[Knobs, Score] = {}
        self.runs = 0

    def visit(self, points: Sequence[Knobs]) -> None:
        """Score those of `points` that are new."""
        new = list(dict.fromkeys(point for point in points if point not in self.seen))
        self.seen.update(zip(new, self.evaluate_all(self.trial, new), strict=True))
        self.runs += len(new) * len(self.trial.scenarios)

    def refine(self, limit: int) -> None:
        """Step around the best points until `limit` points are known or there is nothing near that is new."""
        expanded: set[Knobs] = set()
        while len(self.seen) < limit:
            centres = [one.knobs for one in self.ranked()[:FINALISTS] if one.knobs not in expanded]
            near = [point for centre in centres for point in self.space.neighbours(centre)]
            new = [point for point in dict.fromkeys(near) if point not in self.seen]
            expanded.update(centres)
            if not centres:
                return
            self.visit(new[: limit - len(self.seen)])

    def scored(self) -> list[Scored]:
        """Return all points with their scores, in the order of the search."""
        return [Scored(*entry) for entry in self.seen.items()]

    def ranked(self) -> list[Scored]:
        """Return all points, best first: the budget, then what is lost, then the cost, then the waits."""
        return sorted(
            self.scored(),
            key=lambda one: (one.score.broken, one.score.interrupted + one.score.left, one.score[1:3]),
        )

    def best(self) -> Scored:
        """Return the best point so far."""
        return self.ranked()[0]

    def finalists(self) -> tuple[Scored, tuple[Replay, ...]]:
        """Replay the best points under stress; return the first that loses nothing then, or the best one."""
        best = self.ranked()[:FINALISTS]
        results: list[Sequence[Score]] = []
        for name in STRESSES:
            scenarios = tuple(stressed(scenario, name) for scenario in self.trial.scenarios)
            trial = replace(self.trial, scenarios=scenarios)
            results.append(self.evaluate_all(trial, [one.knobs for one in best]))
            self.runs += len(best) * len(scenarios)
        lost = [
            sum(scores[index].interrupted + scores[index].left for scores in results)
            for index in range(len(best))
        ]
        chosen = min(range(len(best)), key=lambda index: (best[index].score.broken, lost[index] > 0, index))
        replays = tuple(Replay(name, scores[chosen]) for name, scores in zip(STRESSES, results, strict=True))
        return best[chosen], replays


def _is_flat(search: _Search, chosen: Scored, name: str) -> bool:
    """Say whether no value of a knob, all else as chosen, changes the score by more than a trifle."""
    scores = [search.seen[point] for point in search.space.along(chosen.knobs, name) if point in search.seen]
    here = chosen.score
    return len(scores) == len(search.space.values[name]) and all(
        one.broken == here.broken
        and one.interrupted + one.left == here.interrupted + here.left
        and abs(one.cost - here.cost) <= FLAT_COST * here.cost
        and abs(one.p95_wait - here.p95_wait) <= FLAT_WAIT
        for one in scores
    )


def report(trial: Trial, tuning: Tuning) -> str:
    """Return what the search found as text, without the document."""
    lines = [
        f"{tuning.points} points, {len(trial.scenarios)} seeds, {tuning.runs} runs of {trial.scaled.name} "
        f"on {trial.scenarios[0].load.name}",
        f"budget: {', '.join(condition.text for condition in trial.budget)}",
        f"as given:  {_told(tuning.given)}",
        f"chosen:    {_told(tuning.chosen.score)}",
        f"           {described(tuning.chosen.knobs)}",
    ]
    if not tuning.kept:
        lines.append("no point keeps the whole budget with every seed; this one breaks the least of it")
    lines += [f"replayed with {replay.name}: {_told(replay.score)}" for replay in tuning.replays]
    flat = ", ".join(tuning.flat)
    lines.append(f"no difference here: {flat}" if flat else "every knob makes a difference here")
    lines.append("Pareto front (cost, worst p95 wait, lost work):")
    lines += [f"  {_told(one.score)}  {described(one.knobs)}" for one in tuning.front]
    return "\n".join(lines) + "\n"


def described(knobs: Knobs) -> str:
    """Return a point in one line."""
    return " ".join(f"{name}={getattr(knobs, name)}" for name in NAMES)


def _told(score: Score) -> str:
    lost = f"{score.interrupted} interrupted, {score.left} left"
    return f"cost {score.cost:.2f}, p95 wait {score.p95_wait}s, {lost}"
