"""Laws of the scalers over random fleets and foreign registries."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from obs.checks.scaling import CHECKS, check_scaled_objects
from obs.documents.load import load_all_yaml
from obs.emit.scaler_refusal import facts_of
from obs.emit.scalers import ScalersEmitter
from obs.errors import ConfigInvalidError
from obs.model.config import (
    Backlog,
    ExternalScaler,
    Fleet,
    Kubernetes,
    Mode,
    ScalerKind,
    TaskLength,
    Workload,
)
from obs.model.finding import Severity
from obs.model.metric import Kind, Status, Unit
from obs.promql.catalog import catalog
from obs.sim.scaled_object import read
from obs.specs.resolve import Resolver
from obs.specs.sources import Sources
from tests.scalers.fleets import packaged

CODES = {doc.code for doc in CHECKS}

OVERRIDES = st.fixed_dictionaries(
    {},
    optional={
        "target": st.floats(0.0001, 1000),
        "saturation_target": st.floats(0.01, 1),
        "activation": st.sampled_from([0, 0.5, 1, 7]),
        "polling_interval": st.sampled_from(["5s", "15s", "2m"]),
        "cooldown": st.sampled_from(["10s", "5m", "1h"]),
        "fallback_replicas": st.integers(0, 60),
        "scale_down_window": st.sampled_from(["10s", "2m", "1h", "2h"]),
        "scale_down_percent": st.integers(1, 100),
        "pending_only": st.booleans(),
        "metric_type": st.sampled_from(["AverageValue", "Value", "Utilization"]),
        "saturation_aggregation": st.sampled_from(["sum", "avg", "max"]),
        "query": st.sampled_from(["sum(x)", "x", "sum(x", "sum(a)/sum(b)"]),
        "signals": st.lists(
            st.sampled_from(
                ["agent_pending_events", "agent_saturation", "agent_claims_lost_total", "agent_nope"]
            ),
            min_size=1,
            max_size=2,
            unique=True,
        ),
    },
)


SOUND = st.fixed_dictionaries(
    {},
    optional={
        "target": st.floats(0.5, 1000),
        "saturation_target": st.floats(0.01, 1),
        "polling_interval": st.sampled_from(["5s", "15s", "1m"]),
        "fallback_failures": st.integers(1, 10),
        "scale_down_window": st.sampled_from(["4m", "1h"]),
        "scale_down_percent": st.integers(1, 100),
        "scale_up_pods": st.integers(1, 100),
    },
)


@st.composite
def sound_fleet(draw: st.DrawFn, index: int) -> Fleet:
    """Draw a fleet that nothing is wrong with."""
    name = f"fleet-{index}"
    mode = draw(st.sampled_from([*Mode, Mode.CLAIM, Mode.REACTIVE]))
    push = mode is Mode.CLAIM and draw(st.booleans())
    scaled = mode in (Mode.CLAIM, Mode.REACTIVE)
    drain = draw(st.integers(1, 600))
    least = draw(st.integers(0 if mode is Mode.CLAIM else 1, 3))
    unused = {"saturation_target"} if mode is Mode.CLAIM else {"saturation_aggregation"}
    unused |= {"fallback_failures"} if push else set()
    unused |= {"polling_interval"} if least else set()
    return Fleet(
        name=name,
        mode=mode,
        namespace=draw(st.sampled_from(["agents", "other"])),
        workload=Workload("apps/v1", "Deployment", name),
        min_replicas=least,
        max_replicas=draw(st.integers(3, 50)) if scaled else None,
        capacity=draw(st.integers(1, 20)),
        drain_timeout=drain,
        grace_period=draw(st.none() | st.just(drain + 10)),
        task_length=draw(st.sampled_from(TaskLength)),
        scaler=ScalerKind.EXTERNAL_PUSH if push else ScalerKind.PROMETHEUS,
        backlog=Backlog({"service": name}),
        external=ExternalScaler("scaler:9100", f"http://{name}/") if push else None,
        overrides={key: value for key, value in draw(SOUND).items() if key not in unused} if scaled else {},
        path=("fleets", index),
    )


@st.composite
def broken_fleet(draw: st.DrawFn, index: int) -> Fleet:
    """Draw a fleet with one or more mistakes."""
    fleet = draw(sound_fleet(index))
    mistakes: dict[str, object] = {
        "name": fleet.name + "x" * 50,
        "workload": Workload("apps/v1", draw(st.sampled_from(["Deployment", "Job"])), "shared"),
        "min_replicas": draw(st.integers(0, 60)),
        "max_replicas": None,
        "grace_period": 5,
        "backlog": draw(st.none() | st.just(Backlog({"service": "s"}))),
        "scaler": draw(st.sampled_from(ScalerKind)),
        "overrides": draw(OVERRIDES),
    }
    chosen = draw(st.lists(st.sampled_from(sorted(mistakes)), min_size=1, max_size=2, unique=True))
    external = ExternalScaler("scaler:9100", f"http://{fleet.name}/")
    changed = {"external": external, **{key: mistakes[key] for key in chosen}}
    return replace(fleet, **changed)  # type: ignore[arg-type]  # the fields of a Fleet, by name


@st.composite
def fleets(draw: st.DrawFn) -> tuple[Fleet, ...]:
    """Draw up to four fleets of any mode, a few of them broken."""
    count = draw(st.integers(1, 4))
    broken = draw(st.sets(st.integers(0, 3), max_size=1))
    return tuple(draw(broken_fleet(n) if n in broken else sound_fleet(n)) for n in range(count))


def with_fleets(base: Sources, found: tuple[Fleet, ...], keda: tuple[int, int] = (2, 17)) -> Sources:
    """Return sources with other fleets."""
    kubernetes = Kubernetes("agents", keda, "metrics")
    return replace(base, config=replace(base.config, fleets=found, kubernetes=kubernetes))


@given(fleets(), st.tuples(st.just(2), st.sampled_from([7, 8, 14, 17, 20])))
@settings(max_examples=150, deadline=None)
def test_a_fleet_is_scaled_as_the_rules_want_or_refused_with_their_codes(
    found: tuple[Fleet, ...], keda: tuple[int, int]
) -> None:
    """What is written passes every rule again, read back as a stranger's file; what is not names its code."""
    sources = with_fleets(packaged(), found, keda)
    try:
        artifacts = list(ScalersEmitter().emit(sources))
    except ConfigInvalidError as error:
        for problem in error.problems:
            assert problem.message.split(":")[0] in CODES
            assert problem.remedy or "agent_" in problem.message
        return
    documents = [
        document
        for artifact in artifacts
        if artifact.kubernetes
        for document in load_all_yaml(artifact.content.decode(), artifact.path)
    ]
    findings = check_scaled_objects(documents, facts_of(sources))
    assert [finding for finding in findings if finding.severity > Severity.INFO] == []
    for document in documents:
        if document.data["kind"] == "ScaledObject" and "sum(x)" not in str(document.data):
            assert (
                read(document.data).name == document.data["metadata"]["name"]
            )  # obs simulate understands it
    assert [artifact.path for artifact in artifacts][-1] == "scalers/README.md"
    assert artifacts == list(ScalersEmitter().emit(sources))


OURS = ("agent_pending_events", "agent_inflight_reactions", "agent_saturation")


@given(
    st.sets(st.sampled_from(OURS)),
    st.booleans(),
)
@settings(max_examples=30, deadline=None)
def test_a_registry_without_our_signals_never_ends_in_a_traceback(missing: set[str], marked: bool) -> None:
    """What such a registry lacks is left out; then its own signals are used, or the page says that there is none."""
    base = packaged()
    kept = tuple(
        replace(metric, autoscaling_signal=marked and metric.autoscaling_signal)
        for metric in base.registry.metrics
        if metric.name not in missing
    )
    registry = replace(base.registry, metrics=kept, sha256="0" * 64)
    known = catalog(registry, (one for one in base.catalog.series.values() if one.metric is None))
    foreign = replace(
        base, registry=registry, catalog=known, resolver=Resolver(registry, base.registry, known)
    )
    artifacts = {artifact.path: artifact for artifact in ScalersEmitter().emit(foreign)}
    assert "scalers/inbox-workers.yaml" in artifacts
    used = (
        {name for name, _ in artifacts["scalers/alert-reactors.yaml"].uses}
        if ("scalers/alert-reactors.yaml" in artifacts)
        else set()
    )
    assert not used & missing
    assert used or "| reactive | nothing |" in artifacts["scalers/README.md"].content.decode()
    gauges = {
        metric.name
        for metric in kept
        if metric.kind is Kind.GAUGE
        and metric.status is Status.STABLE
        and metric.unit in (Unit.ONE, Unit.RATIO)
    }
    assert used <= gauges
