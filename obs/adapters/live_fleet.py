"""A synthetic fleet in time: the world behind a lock, moved on by a clock, with its switches."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from obs.errors import Problem, UsageError
from obs.exposition import Format
from obs.model.metric import Registry
from obs.synth.body import Body, write
from obs.synth.mutant import Context, Mutant, NoVictimError
from obs.synth.scenario import Scenario
from obs.synth.series import Options, agent_body
from obs.synth.world import World, advance, switch

LONGEST_CATCH_UP = 600
"""Ticks made up for at once: after a machine slept, the model goes on where it was instead of hanging."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What a fleet exposes and how fast it lives: `speed` is model seconds for each second of the clock."""

    registry: Registry
    form: Format = Format.TEXT
    options: Options = field(default_factory=Options)
    speed: float = 1.0


@dataclass(slots=True)
class _Active:
    """A mutant at work on one agent, with the bodies it needs to remember."""

    mutant: Mutant
    turn: int = 0
    first: Body = ()


@dataclass(frozen=True, slots=True)
class Reply:
    """The bytes of one scrape and their Content-Type."""

    body: bytes
    content_type: str


@dataclass(slots=True)
class LiveFleet:
    """Serves bodies of a world that moves on. Safe to use from several threads."""

    world: World
    settings: Settings
    clock: Callable[[], float]
    _last: float = field(init=False)
    _lock: threading.RLock = field(init=False, default_factory=threading.RLock)
    _mutants: dict[int, _Active] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self._last = self.clock()

    def now(self) -> World:
        """Move the world on to the clock's time and return it."""
        with self._lock:
            now, tick = self.clock(), self.world.plan.tick
            due = int((now - self._last) * self.settings.speed / tick)
            if due > 0:
                self._last += due * tick / self.settings.speed
                self.world = advance(self.world, min(due, LONGEST_CATCH_UP) * tick)
            return self.world

    def switch(self, scenario: Scenario, agents: Iterable[int] | None = None) -> None:
        """Let agents (default: all) go through a scenario from now on."""
        with self._lock:
            self.world = switch(self.now(), scenario, agents)

    def mutate(self, mutant: Mutant | None, agents: Iterable[int] | None = None) -> None:
        """Let agents (default: all) break a rule from now on; None makes them sound again.

        Raise UsageError when the rule cannot be broken in this format or on this registry.
        """
        with self._lock:
            if mutant is not None:
                self._try(mutant)
            for agent in range(len(self.world.agents)) if agents is None else agents:
                self._mutants.pop(agent, None)
                if mutant is not None:
                    self._mutants[agent] = _Active(mutant)

    def _try(self, mutant: Mutant) -> None:
        """Break the rule once on a body that nobody sees."""
        if self.settings.form not in mutant.forms:
            problem = Problem("", f"`{mutant.slug}` does not exist in this format", "use the other --format")
            raise UsageError([problem])
        agent = next((index for index, state in enumerate(self.world.agents) if state.up), 0)
        body = agent_body(self.world, agent, self.settings.registry, self.settings.options)
        try:
            mutant.families(body, Context(self.settings.registry, self.settings.form, 0, body))
        except NoVictimError as error:
            raise UsageError([Problem("", f"`{mutant.slug}` cannot be broken: {error}")]) from error

    def mutants(self) -> Mapping[int, str]:
        """Return the slugs of the mutants at work, by agent."""
        with self._lock:
            return {agent: active.mutant.slug for agent, active in sorted(self._mutants.items())}

    def scrape(self, agent: int) -> Reply | None:
        """Return what an agent answers a scrape with; None when its process is away."""
        with self._lock:
            world = self.now()
            if not world.agents[agent].up:
                return None
            body = agent_body(world, agent, self.settings.registry, self.settings.options)
            active = self._mutants.get(agent)
            if active is None:
                return self.plain(body)
            if active.turn == 0:
                active.first = body
            reply = mutated(body, active.mutant, self.settings, active.turn, active.first)
            active.turn += 1
            return reply

    def plain(self, body: Body) -> Reply:
        """Return a body as it is."""
        return Reply(write(body, self.settings.form), content_type(self.settings.form))


def mutated(
    body: Body, mutant: Mutant, settings: Settings, turn: int = 0, first: Body | None = None
) -> Reply:
    """Return `body` as `mutant` makes it on its `turn`-th scrape."""
    context = Context(settings.registry, settings.form, turn, body if first is None else first)
    text = mutant.text(write(mutant.families(body, context), settings.form), context)
    return Reply(text, mutant.content_type or content_type(settings.form))


def content_type(form: Format) -> str:
    """Return the header of a format, as exporters send it."""
    return f"{form}; charset=utf-8"
