"""Who else writes about a scaled fleet takes its names from one place."""

from __future__ import annotations

from obs.specs.scaling import scaled_fleets
from tests.scalers.fleets import CLAIM, REACTIVE, generate, scaled_object, sources


def test_the_names_are_those_of_the_objects() -> None:
    """ScaledObject, HPA, namespace and workload agree with what is generated."""
    (scaled,) = scaled_fleets(sources(CLAIM).config)
    written = scaled_object(CLAIM)
    assert scaled.scaled_object == written["metadata"]["name"]
    assert scaled.hpa == f"keda-hpa-{scaled.scaled_object}"
    assert scaled.namespace == written["metadata"]["namespace"]
    assert scaled.workload.name == written["spec"]["scaleTargetRef"]["name"]
    query = written["spec"]["triggers"][0]["metadata"]["query"]
    assert all(f'{label}{operator}"{value}"' in query for label, operator, value in scaled.backlog)


def test_only_claim_and_reactive_fleets_are_scaled() -> None:
    """In the order of the file; a reactive fleet has no backlog."""
    rest = "".join(
        f"  - {{name: f-{mode}, mode: {mode}}}\n" for mode in ("shard", "once", "schedule", "loop")
    )
    text = CLAIM + rest + REACTIVE.removeprefix("fleets:\n")
    found = scaled_fleets(sources(text).config)
    assert [one.fleet.name for one in found] == ["workers", "reactors"]
    assert found[1].backlog == ()
    assert len(generate(text)) == 4
