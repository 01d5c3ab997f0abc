"""Who is in the synthetic fleet: fleets of the operator's configuration, and the agents spread over them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType

from obs.documents.suggest import did_you_mean
from obs.errors import Problem, UsageError
from obs.model.config import Config, Fleet, Mode, TaskLength

RUN_SECONDS: Mapping[TaskLength, float] = MappingProxyType(
    {
        TaskLength.SHORT: 4.0,
        TaskLength.MEDIUM: 12.0,
        TaskLength.LONG: 45.0,
    }
)
"""Mean length of a run in model seconds: shorter than in life, so that a demonstration has something to show."""

MAX_AGENTS = 10_000
MAX_FLEETS = 100


@dataclass(frozen=True, slots=True)
class AgentPlan:
    """One agent: its number over all fleets, its fleet's number, and its place in the fleet."""

    index: int
    fleet_index: int
    place: int
    pod: str


@dataclass(frozen=True)
class Plan:
    """What does not change while the model runs.

    `tick` is the length of a step in model seconds.
    """

    seed: int
    fleets: tuple[Fleet, ...]
    agents: tuple[AgentPlan, ...]
    tick: float = 1.0

    @cached_property
    def members(self) -> tuple[tuple[AgentPlan, ...], ...]:
        """Return the agents of each fleet."""
        return tuple(
            tuple(agent for agent in self.agents if agent.fleet_index == index)
            for index in range(len(self.fleets))
        )

    def fleet_of(self, agent: int) -> Fleet:
        """Return the fleet of the agent with this number."""
        return self.fleets[self.agents[agent].fleet_index]

    def fleet_index(self, name: str) -> int:
        """Return the number of the fleet called `name`; raise UsageError when there is none."""
        names = [fleet.name for fleet in self.fleets]
        if name not in names:
            raise UsageError([Problem("", f"no fleet `{name}`", did_you_mean(name, names))])
        return names.index(name)


def make_plan(config: Config, agents: int, fleets: int | None, seed: int, tick: float = 1.0) -> Plan:
    """Return a plan of `agents` agents in `fleets` fleets (default: as many as `config` has).

    More fleets than the configuration has are made up, in turns like those it has. Raises UsageError when the numbers
    make no sense.
    """
    wanted = fleets if fleets is not None else min(len(config.fleets), max(agents, 1))
    problems = []
    if not 1 <= agents <= MAX_AGENTS:
        problems.append(Problem("--agents", f"{agents} agents", f"choose 1 to {MAX_AGENTS}"))
    if not 1 <= wanted <= MAX_FLEETS or wanted > max(agents, 1):
        problems.append(
            Problem("--fleets", f"{wanted} fleets of {agents} agents", "a fleet needs at least one agent")
        )
    if not config.fleets:
        problems.append(Problem(config.source, "has no fleet", "add one under `fleets:`"))
    if problems:
        raise UsageError(problems)
    chosen = tuple(_fleet(config, index) for index in range(wanted))
    return Plan(seed, chosen, tuple(_agent(chosen, index, seed) for index in range(agents)), tick)


def _fleet(config: Config, index: int) -> Fleet:
    if index < len(config.fleets):
        return config.fleets[index]
    like = config.fleets[index % len(config.fleets)]
    name = f"{like.name}-{index // len(config.fleets) + 1}"
    backlog = like.backlog
    if backlog is not None:
        matchers = {**backlog.matchers, "service": f"{name}-coord"}
        backlog = replace(backlog, matchers=matchers)
    return replace(like, name=name, workload=replace(like.workload, name=name), backlog=backlog)


def _agent(fleets: tuple[Fleet, ...], index: int, seed: int) -> AgentPlan:
    fleet_index, place = index % len(fleets), index // len(fleets)
    fleet = fleets[fleet_index]
    return AgentPlan(index, fleet_index, place, f"{fleet.workload.name}-{_pod_suffix(fleet, place, seed)}")


def _pod_suffix(fleet: Fleet, place: int, seed: int) -> str:
    """A StatefulSet numbers its pods; other pods get five letters, here drawn from the seed."""
    if fleet.mode is Mode.SHARD:
        return str(place)
    number = (place * 7_919 + seed * 104_729 + 31) % (27**4)
    letters = ""
    for _ in range(4):
        number, rest = divmod(number, 27)
        letters += "bcdfghjklmnpqrstvwxz2456789"[rest]
    return f"{letters}{place}"
