"""`obs simulate`: what a ScaledObject will do on a load, before it is applied."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from obs.errors import Problem, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from obs.documents.load import Document
    from obs.sim.budget import Condition
    from obs.sim.keda import ScaledObject
    from obs.sim.loads import Load
    from obs.sim.outcome import Outcome
    from obs.sim.run import Scenario
    from obs.sim.workload import Workload

DEFAULT_QUERY = "sum(rate(agentctl_coordination_submitted_total[5m]))"

DEFAULT_DRAIN = "45s"

_Value = TypeVar("_Value")


def simulate(
    file: Annotated[Path, typer.Argument(help="YAML with the ScaledObject that will be applied.")],
    work: Annotated[str, typer.Option(help="How long a task takes at the median, e.g. 240s.")],
    load: Annotated[
        str | None,
        typer.Option(
            help="A CSV (time,arrivals or time,work), or steady, burst, diurnal, on-off, spike-after-idle."
        ),
    ] = None,
    prometheus: Annotated[
        str | None, typer.Option(help="Take the load from this Prometheus instead.")
    ] = None,
    query: Annotated[
        str, typer.Option(help="With --prometheus: arrivals in items a second.")
    ] = DEFAULT_QUERY,
    range_: Annotated[str, typer.Option("--range", help="With --prometheus: how far back.")] = "7d",
    step: Annotated[str, typer.Option(help="With --prometheus: the resolution.")] = "60s",
    capacity: Annotated[
        int, typer.Option(min=1, max=10_000, help="Tasks that one pod works on at once.")
    ] = 1,
    spread: Annotated[
        float, typer.Option(min=0.0, max=3.0, help="Spread of the task times (log-normal sigma).")
    ] = 0.5,
    limit: Annotated[str, typer.Option(help="The longest a task may take; 0s: four times --work.")] = "0s",
    startup: Annotated[str, typer.Option(help="From a pod's creation until it is ready.")] = "25s",
    drain: Annotated[
        str | None,
        typer.Option(help="What a removed pod has to finish its tasks; obs notes it in what it generates."),
    ] = None,
    grace: Annotated[
        str, typer.Option(help="terminationGracePeriodSeconds; 0s: the drain and ten seconds.")
    ] = "0s",
    lease: Annotated[str, typer.Option(help="After a killed pod, when its tasks come back.")] = "60s",
    victims: Annotated[
        str, typer.Option(help="Pods removed first: newest, or idlest (pod-deletion-cost).")
    ] = "newest",
    room: Annotated[int, typer.Option(min=0, help="Pods that the nodes have room for; 0: for all.")] = 0,
    faults: Annotated[
        str, typer.Option(help="What goes wrong, e.g. outage:1h-1h30m,slow-start:0s-2h:60s,crash:20m:2.")
    ] = "",
    peak: Annotated[
        float, typer.Option(min=0.01, help="Peak of a named load, in pods' worth of work.")
    ] = 10.0,
    seed: Annotated[int, typer.Option(help="Draws arrivals, task times and the phases of the clocks.")] = 1,
    slo: Annotated[str, typer.Option(help="The longest acceptable wait.")] = "60s",
    price: Annotated[float, typer.Option(min=0.0, help="What a replica costs an hour.")] = 1.0,
    settle: Annotated[str, typer.Option(help="How long to go on after the load.")] = "1h",
    scrape: Annotated[str, typer.Option(help="Prometheus' scrape interval.")] = "15s",
    name: Annotated[str | None, typer.Option(help="Which ScaledObject of a file with several.")] = None,
    prefix: Annotated[str, typer.Option(help="What your registry puts before its metrics.")] = "agent_",
    compare: Annotated[Path | None, typer.Option(help="A second ScaledObject, shown side by side.")] = None,
    budget: Annotated[
        str | None,
        typer.Option(help="Conditions, e.g. 'p95_wait<60s,interrupted==0'; exit 1 when one is broken."),
    ] = None,
    why: Annotated[
        bool, typer.Option("--why", help="Tell every change of the replicas and its rule.")
    ] = False,
    timeline: Annotated[
        Path | None, typer.Option(help="Write a row an HPA sync to this .csv or .json.")
    ] = None,
    picture: Annotated[Path | None, typer.Option(help="Draw the run into this .html or .svg.")] = None,
    format_: Annotated[str, typer.Option("--format", help="text or json.")] = "text",
    tune: Annotated[
        bool, typer.Option("--tune", help="Search for better numbers; print the result.")
    ] = False,
    points: Annotated[int, typer.Option(min=30, help="With --tune: how many settings to try.")] = 200,
    seeds: Annotated[int, typer.Option(min=1, help="With --tune: how many draws each one meets.")] = 5,
    jobs: Annotated[int, typer.Option(min=0, help="With --tune: processes; 0: one a core.")] = 0,
) -> None:
    """Run a ScaledObject through a load: KEDA, the HPA, pods that start and drain, and a queue of work.

    Prints waits, cold starts, interrupted tasks and cost. With --tune, prints a ScaledObject with better
    numbers.

    Example: obs simulate deploy/scalers/inbox-workers.yaml --load burst --work 240s --capacity 4 --why
    """
    from obs.sim.advice import advice
    from obs.sim.budget import parse as parse_budget
    from obs.sim.faults import Weather
    from obs.sim.faults import parse as parse_faults
    from obs.sim.run import Clocks, Scenario

    document, scaled = _read(file, name, prefix)
    drain = drain or _noted_drain(document)
    flags = _Flags()
    workload = _workload(
        flags,
        {"work": work, "limit": limit, "startup": startup, "drain": drain, "grace": grace, "lease": lease},
        capacity=capacity,
        spread=spread,
        victims=victims,
        room=room,
    )
    objective, settling = flags.seconds("--slo", slo), flags.seconds("--settle", settle)
    scraping = max(1, flags.seconds("--scrape", scrape))
    weather = Weather(flags.read(parse_faults, faults, ()))
    conditions: tuple[Condition, ...] = flags.read(parse_budget, budget, ()) if budget is not None else ()
    flags.word("--format", format_, ("text", "json"))
    flags.suffix("--timeline", timeline, (".csv", ".json"))
    flags.suffix("--picture", picture, (".html", ".svg"))
    loads = _loads(flags, load, prometheus, (query, range_, step))
    flags.finish()
    source = loads(workload, peak)

    def scenario(draw: int) -> Scenario:
        clocks = Clocks.seeded(draw, scrape=scraping)
        return Scenario(source(draw), workload, weather, clocks, draw, objective, price, settling)

    if tune:
        _tune(
            (document, scaled, prefix),
            tuple(scenario(seed + draw) for draw in range(seeds)),
            conditions,
            (points, jobs),
        )
        return
    run_of: Callable[[ScaledObject], Outcome] = _runner(scenario(seed))
    runs = [(scaled, run_of(scaled))]
    if compare is not None:
        other = _read(compare, None, prefix)[1]
        runs.append((other, run_of(other)))
    _write(runs, scenario(seed), timeline, picture)
    hints = [advice(one, scenario(seed), outcome.summary) for one, outcome in runs]
    _show(runs, conditions, hints, why=why, as_json=format_ == "json")
    if not all(condition.holds(runs[0][1].summary) for condition in conditions):
        raise typer.Exit(1)


class _Flags:
    """Reads flags and keeps what is wrong with them, so that everything is said at once."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []

    def read(self, parse: Callable[[str], _Value], text: str, default: _Value) -> _Value:
        """Parse a flag that has a parser of its own."""
        try:
            return parse(text)
        except UsageError as error:
            self.problems += error.problems
            return default

    def seconds(self, flag: str, text: str, least: int = 0) -> int:
        """Read a duration of at least `least` seconds."""
        from obs.sim.durations import seconds

        try:
            found = seconds(text)
        except ValueError as error:
            self.problems.append(Problem(flag, str(error)))
            return least
        if found < least:
            self.problems.append(Problem(flag, f"`{text}` is too short", f"write at least {least}s"))
        return found

    def word(self, flag: str, text: str, words: tuple[str, ...]) -> None:
        """Check that a flag is one of a few words."""
        from obs.documents.suggest import did_you_mean

        if text not in words:
            self.problems.append(Problem(flag, f"`{text}` is not known", did_you_mean(text, words)))

    def suffix(self, flag: str, path: Path | None, suffixes: tuple[str, ...]) -> None:
        """Check that a file to write has a format that there is."""
        if path is not None and path.suffix not in suffixes:
            self.problems.append(
                Problem(flag, f"`{path}` has no known format", f"end it in {' or '.join(suffixes)}")
            )

    def finish(self) -> None:
        """Raise UsageError if anything was wrong."""
        if self.problems:
            raise UsageError(self.problems)


def _workload(
    flags: _Flags, times: dict[str, str], *, capacity: int, spread: float, victims: str, room: int
) -> Workload:
    from obs.sim.workload import Victims, Workload

    least = {"work": 1}
    read = {name: flags.seconds(f"--{name}", text, least.get(name, 0)) for name, text in times.items()}
    flags.word("--victims", victims, tuple(Victims))
    return Workload(
        capacity=capacity,
        spread=spread,
        room=room,
        victims=Victims(victims) if victims in set(Victims) else Victims.NEWEST,
        **read,
    )


def _loads(
    flags: _Flags, load: str | None, prometheus: str | None, recorded: tuple[str, str, str]
) -> Callable[[Workload, float], Callable[[int], Load]]:
    """Return what makes a load for a workload, a peak and a seed; nothing is fetched before that is called."""
    from obs.adapters.simulation import fetch_load, read_load
    from obs.sim.loads import Shape, named, shape_called

    if (load is None) == (prometheus is None):
        flags.problems.append(
            Problem("--load", "there must be one load", "give either --load or --prometheus")
        )
    query, span, step = recorded
    back, resolution = flags.seconds("--range", span, 60), flags.seconds("--step", step, 1)

    def source(workload: Workload, peak: float) -> Callable[[int], Load]:
        if prometheus is not None:
            fetched = fetch_load(prometheus, query, back, resolution)
            return lambda _seed: fetched
        word = load or ""
        if word not in set(Shape) and Path(word).exists():
            read = read_load(Path(word))
            return lambda _seed: read
        shape = shape_called(word)
        per_second = peak * workload.capacity / workload.mean
        return lambda seed: named(shape, per_second, seed)

    return source


def _read(path: Path, name: str | None, prefix: str) -> tuple[Document, ScaledObject]:
    from obs.adapters.simulation import read_scaled_object
    from obs.documents.load import json_path
    from obs.sim.scaled_object import read

    document = read_scaled_object(path, name)
    return document, read(document.data, lambda path: f"{document.where(path)} {json_path(path)}", prefix)


def _noted_drain(document: Document) -> str:
    """Return the drain that a generated ScaledObject notes, or the default of an agent."""
    from obs.checks.scaling.drain import DRAIN_ANNOTATION

    metadata = document.data.get("metadata")
    notes = metadata.get("annotations") if isinstance(metadata, dict) else None
    return str(notes.get(DRAIN_ANNOTATION, DEFAULT_DRAIN)) if isinstance(notes, dict) else DEFAULT_DRAIN


def _runner(scenario: Scenario) -> Callable[[ScaledObject], Outcome]:
    from obs.sim.run import simulate as run

    return lambda scaled: run(scaled, scenario)


def _write(
    runs: list[tuple[ScaledObject, Outcome]], scenario: Scenario, timeline: Path | None, picture: Path | None
) -> None:
    """Write the files that were asked for; the timeline and an SVG are of the first run."""
    from obs.adapters.simulation import write_text
    from obs.documents.dump import to_json
    from obs.sim.picture import page, svg
    from obs.sim.table import as_json, timeline_csv

    scaled, outcome = runs[0]
    if timeline is not None:
        if timeline.suffix == ".json":
            text = to_json(as_json(scaled, outcome, timeline=True)).decode()
        else:
            text = timeline_csv(scaled, outcome)
        write_text(timeline, text, "--timeline")
    if picture is not None:
        drawn = svg(scaled, scenario, outcome) if picture.suffix == ".svg" else page(scenario, runs)
        write_text(picture, drawn, "--picture")


def _show(
    runs: list[tuple[ScaledObject, Outcome]],
    conditions: tuple[Condition, ...],
    hints: list[tuple[str, ...]],
    *,
    why: bool,
    as_json: bool,
) -> None:
    from obs.documents.dump import to_json
    from obs.sim import table

    summary = runs[0][1].summary
    if as_json:
        found: dict[str, Any] = {
            "runs": [
                {**table.as_json(*run, timeline=False), "hints": list(told)}
                for run, told in zip(runs, hints, strict=True)
            ],
            "budget": [
                {"condition": condition.text, "holds": condition.holds(summary)} for condition in conditions
            ],
        }
        typer.echo(to_json(found).decode(), nl=False)
        return
    typer.echo(table.summary_table([(scaled.name, outcome.summary) for scaled, outcome in runs]), nl=False)
    for condition in conditions:
        typer.echo(condition.verdict(summary))
    for (scaled, _), told in zip(runs, hints, strict=True):
        for hint in told:
            typer.echo(f"hint: {scaled.name}: {hint}")
    if why:
        for scaled, outcome in runs:
            typer.echo(f"why the replicas of {scaled.name} changed:")
            typer.echo(table.why_log(outcome), nl=False)
    typer.echo(table.simplifications(), nl=False)


def _tune(
    read: tuple[Document, ScaledObject, str],
    scenarios: tuple[Scenario, ...],
    conditions: tuple[Condition, ...],
    effort: tuple[int, int],
) -> None:
    """Search, and print the chosen ScaledObject below what was found, as comments: the output can be applied."""
    from obs.adapters.search import search
    from obs.documents.dump import to_yaml
    from obs.sim.table import SIMPLIFICATIONS
    from obs.sim.tune import Trial, default_budget, report

    document, scaled, prefix = read
    points, jobs = effort
    trial = Trial(document.data, scaled, scenarios, conditions or default_budget(scenarios[0].slo), prefix)
    tuning = search(trial, points, jobs)
    notes = "".join(f"simplification: {line}\n" for line in SIMPLIFICATIONS)
    typer.echo(to_yaml(tuning.document, header=report(trial, tuning) + notes).decode(), nl=False)
    if not tuning.kept:
        raise typer.Exit(1)
