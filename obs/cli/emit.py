"""`obs emit`: a synthetic fleet whose exposition follows the registry, to look at and to test against."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from obs.errors import Problem, UsageError

if TYPE_CHECKING:
    from obs.adapters.live_fleet import LiveFleet
    from obs.synth.mutant import Mutant


LONGEST_TICK = 5.0
"""Model seconds a step may take: longer ones would hide what a scenario does within a minute."""


class FormatName(StrEnum):
    """What `--format` takes."""

    TEXT = "text"
    OPENMETRICS = "openmetrics"


def emit(
    agents: Annotated[int, typer.Option("--agents", "-n", help="How many agents, over all fleets.")] = 3,
    listen: Annotated[
        str | None, typer.Option("--listen", help="Serve at this address; port 0 takes a free one.")
    ] = None,
    once: Annotated[bool, typer.Option("--once", help="Print one body and exit.")] = False,
    agent: Annotated[int, typer.Option("--agent", help="With --once: whose body, from 0.")] = 0,
    scenario: Annotated[
        str, typer.Option("--scenario", help="What the fleet goes through; --list names them.")
    ] = "steady",
    fleets: Annotated[
        int | None, typer.Option("--fleets", help="How many fleets; as many as the configuration has.")
    ] = None,
    mutant: Annotated[
        str | None, typer.Option("--mutant", help="Break one rule: a code of obs lint; --list names them.")
    ] = None,
    form: Annotated[
        FormatName, typer.Option("--format", help="Prometheus text 0.0.4 or OpenMetrics 1.0.")
    ] = FormatName.TEXT,
    seed: Annotated[int, typer.Option("--seed", help="Another seed is another fleet.")] = 1,
    speed: Annotated[float, typer.Option("--speed", help="Model seconds for each second.")] = 1.0,
    registry: Annotated[
        Path | None, typer.Option("--registry", help="A metrics.registry.json to expose instead.")
    ] = None,
    config: Annotated[
        Path | None, typer.Option("--config", "-c", help="An obs.yaml whose fleets to use.")
    ] = None,
    memory: Annotated[
        bool, typer.Option("--memory/--no-memory", help="Expose conditional metrics (cgroup v2 memory).")
    ] = True,
    provisional: Annotated[
        bool, typer.Option("--provisional", help="Declare provisional metrics with HELP and TYPE lines.")
    ] = False,
    platform: Annotated[
        bool, typer.Option("--platform/--no-platform", help="Serve kube-state-metrics and KEDA series too.")
    ] = True,
    listing: Annotated[
        bool, typer.Option("--list", help="List the scenarios and mutants, and exit.")
    ] = False,
) -> None:
    """Expose a synthetic fleet that follows the registry, with values that move and agree with each other.

    Example: obs emit --agents 3 --listen 127.0.0.1:9400, then curl -X PUT http://127.0.0.1:9400/scenario/burst
    """
    if listing:
        _list()
        return
    if once == (listen is not None):
        wrong = "--once and --listen together" if once else "neither --once nor --listen"
        raise UsageError(
            [Problem("", wrong, "--once prints one body, --listen 127.0.0.1:9400 serves a fleet")]
        )
    if not 0.01 <= speed <= 1000:
        raise UsageError([Problem("--speed", f"{speed:g}", "choose 0.01 to 1000")])
    from obs.adapters.emit_server import read_scenario
    from obs.adapters.live_fleet import LiveFleet, Settings
    from obs.adapters.registries import Inputs, load_registry, load_semantics
    from obs.adapters.sources import load_config
    from obs.exposition import Format
    from obs.synth.plan import make_plan
    from obs.synth.series import Options
    from obs.synth.world import make_world

    chosen = None if mutant is None else _mutant(mutant)
    inputs = Inputs(registry=registry, config=config)
    loaded = load_registry(inputs, load_semantics(inputs))
    plan = make_plan(load_config(inputs)[0], agents, fleets, seed, tick=min(LONGEST_TICK, max(1.0, speed)))
    options = Options(conditional=memory, declare_provisional=provisional)
    format_ = Format.OPENMETRICS if form is FormatName.OPENMETRICS else Format.TEXT
    from time import monotonic

    world = make_world(plan, read_scenario(scenario))
    fleet = LiveFleet(world, Settings(loaded, format_, options, speed), (lambda: 0.0) if once else monotonic)
    fleet.mutate(chosen)
    if once:
        _print_once(fleet, agent)
    else:
        _serve(fleet, listen or "", platform)


def _mutant(code: str) -> Mutant:
    from obs.adapters.mutants import find_mutant

    return find_mutant(code)


def _list() -> None:
    from obs.adapters.mutants import listed
    from obs.synth.scenario import MEANING

    for scenario, meaning in MEANING.items():
        typer.echo(f"scenario\t{scenario}\t{meaning}")
    for code, name, about in listed():
        typer.echo(f"mutant\t{name}\t{code or '-'}\t{about}")


def _print_once(fleet: LiveFleet, agent: int) -> None:
    import sys

    many = len(fleet.world.agents)
    if not 0 <= agent < many:
        raise UsageError([Problem("--agent", f"no agent {agent}", f"there are {many}, numbered from 0")])
    reply = fleet.scrape(agent)
    if reply is None:
        from obs.errors import NothingObservedError

        raise NothingObservedError(
            [Problem("", f"agent {agent} is down at this moment", "choose another --agent or --seed")]
        )
    sys.stdout.buffer.write(reply.body)
    sys.stdout.buffer.flush()


def _serve(fleet: LiveFleet, listen: str, platform: bool) -> None:
    import signal

    from obs.adapters.emit_server import open_server

    server = open_server(fleet, listen, _mutant, platform=platform)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: server.stop())
    names = ", ".join(each.name for each in fleet.world.plan.fleets)
    typer.echo(f"listening on http://{server.address} ({len(fleet.world.agents)} agents: {names})")
    import sys

    sys.stdout.flush()
    server.serve()
