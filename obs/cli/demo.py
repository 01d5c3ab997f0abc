"""`obs demo`: everything at once on this machine, to see what obs makes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def demo(
    listen: Annotated[
        str, typer.Option("--listen", help="Where the boards are served; port 0 takes a free one.")
    ] = "127.0.0.1:8080",
    agents: Annotated[int, typer.Option("--agents", "-n", help="How many agents, over all fleets.")] = 12,
    fleets: Annotated[int, typer.Option("--fleets", help="How many fleets.")] = 3,
    scenario: Annotated[
        str | None, typer.Option("--scenario", help="Stay in this scenario instead of cycling.")
    ] = None,
    prometheus: Annotated[
        str | None, typer.Option("--prometheus", help="The Prometheus program to run.")
    ] = None,
    config: Annotated[
        Path | None, typer.Option("--config", "-c", help="An obs.yaml whose fleets to use.")
    ] = None,
    registry: Annotated[
        Path | None, typer.Option("--registry", help="A metrics.registry.json to use instead.")
    ] = None,
) -> None:
    """Run a synthetic fleet, its checker, a Prometheus with the generated rules, and the boards, until Ctrl-C.

    Example: obs demo, then open http://127.0.0.1:8080 in a browser
    """
    import signal
    import sys
    import threading

    from obs.adapters.addresses import parse_address
    from obs.adapters.demo import demo_sources, find_prometheus, running
    from obs.adapters.emit_server import read_scenario
    from obs.adapters.registries import Inputs
    from obs.synth.scenario import Scenario

    def say(line: str) -> None:
        typer.echo(line)
        sys.stdout.flush()

    address = parse_address(listen)
    first = read_scenario(scenario) if scenario else Scenario.STEADY
    program = find_prometheus(prometheus)
    sources, plan = demo_sources(Inputs(registry=registry, config=config), agents, fleets)
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    say(f"starting {len(plan.agents)} agents in {len(plan.fleets)} fleets and {program}")
    with running(sources, plan, program, address, first) as parts:
        say(f"boards      http://{parts.preview.address}/")
        say(f"prometheus  {parts.prometheus}/alerts")
        say(f"checker     {parts.sidecar}/metrics")
        say(f"fleet       http://{parts.fleet.address}/")
        say("Ctrl-C ends it and leaves nothing behind; the boards fill in a minute")
        parts.play(scenario is None, stop, say)
