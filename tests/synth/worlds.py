"""What the tests of the synthetic fleet start from: the frozen registry, the example fleets, and a few strategies."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from hypothesis import strategies as st

from obs.adapters.registries import Inputs, load_registry, load_semantics
from obs.adapters.sources import load_config
from obs.exposition import Format, Scrape, parse
from obs.model.config import Config
from obs.model.metric import Registry
from obs.registry.parse import parse_registry
from obs.synth.body import Body, write
from obs.synth.plan import make_plan
from obs.synth.scenario import Scenario
from obs.synth.series import Options, agent_body
from obs.synth.world import World, make_world

scenarios = st.sampled_from(list(Scenario))
formats = st.sampled_from(list(Format))
seeds = st.integers(0, 10_000)


@cache
def registry() -> Registry:
    """Return the frozen registry."""
    inputs = Inputs()
    return load_registry(inputs, load_semantics(inputs))


@cache
def config() -> Config:
    """Return the example configuration: a claim fleet and a reactive one."""
    return load_config(Inputs())[0]


def private(text: str) -> Registry:
    """Return a registry of somebody else's, read as `--registry` reads it."""
    return parse_registry(text, "private.json", load_semantics(Inputs()))


def world(
    scenario: Scenario = Scenario.STEADY, seed: int = 1, agents: int = 4, warm_up: float = 120.0
) -> World:
    """Return a warm world."""
    return make_world(make_plan(config(), agents, None, seed), scenario, warm_up)


def bodies(
    of: World, known: Registry | None = None, options: Options | None = None
) -> Iterator[tuple[int, Body]]:
    """Yield the body of each agent that is up, with its number."""
    for index, state in enumerate(of.agents):
        if state.up:
            yield index, agent_body(of, index, known or registry(), options or Options())


def parsed(body: Body, form: Format = Format.TEXT) -> Scrape:
    """Return a body as the strict parser reads it."""
    return parse(write(body, form), content_type=f"{form}; charset=utf-8")


def values(body: Body) -> dict[tuple[str, tuple[tuple[str, str], ...]], float]:
    """Return every sample by name and labels."""
    return {(one.name, one.labels): one.value for family in body for one in family.samples}
