"""ScaledObjects and scenarios that the tests of the simulator start from."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any

from obs.sim.faults import Weather, parse
from obs.sim.loads import Load
from obs.sim.run import Clocks, Scenario
from obs.sim.scaled_object import read
from obs.sim.workload import Workload

if TYPE_CHECKING:
    from obs.sim.keda import ScaledObject

PENDING = "max(agentctl_coordination_pending)"
BOTH = f"{PENDING} + max(agentctl_coordination_claimed)"

SLOW_DOWN: dict[str, Any] = {
    "scaleUp": {"policies": [{"type": "Percent", "value": 100, "periodSeconds": 15}]},
    "scaleDown": {
        "stabilizationWindowSeconds": 300,
        "policies": [{"type": "Percent", "value": 10, "periodSeconds": 60}],
    },
}


def trigger(query: str = BOTH, threshold: str = "4", **metadata: str) -> dict[str, Any]:
    """Return a Prometheus trigger; an empty result is an error."""
    return {
        "type": "prometheus",
        "name": "backlog",
        "metadata": {"query": query, "threshold": threshold, "ignoreNullValues": "false", **metadata},
    }


def external(signal: str = "pending+claimed", threshold: str = "4") -> dict[str, Any]:
    """Return a trigger of an external scaler."""
    return {"type": "external", "name": "backlog", "metadata": {"signal": signal, "threshold": threshold}}


def document(
    *triggers: dict[str, Any], behavior: dict[str, Any] | None = None, **spec: Any
) -> dict[str, Any]:
    """Return a ScaledObject that scales from zero to fifty."""
    fields: dict[str, Any] = {
        "pollingInterval": 15,
        "minReplicaCount": 0,
        "maxReplicaCount": 50,
        "triggers": list(triggers) or [trigger()],
        **spec,
    }
    if behavior is not None:
        fields["advanced"] = {"horizontalPodAutoscalerConfig": {"behavior": deepcopy(behavior)}}
    return {
        "apiVersion": "keda.sh/v1alpha1",
        "kind": "ScaledObject",
        "metadata": {"name": "fleet"},
        "spec": fields,
    }


def fleet(*triggers: dict[str, Any], behavior: dict[str, Any] | None = None, **spec: Any) -> ScaledObject:
    """Return the same, read."""
    return read(document(*triggers, behavior=behavior, **spec))


def scenario(
    arrivals: tuple[int, ...], work: int, duration: int = 3600, faults: str = "", **fields: Any
) -> Scenario:
    """Return a scenario; fields of the workload and of the scenario are told apart by their names."""
    of_workload = {key: fields.pop(key) for key in tuple(fields) if key in Workload.__dataclass_fields__}
    return Scenario(
        Load("test", duration, arrivals),
        Workload(work, **of_workload),
        weather=Weather(parse(faults)),
        clocks=fields.pop("clocks", Clocks()),
        **fields,
    )


def bursts(*starts: int, each: int = 150, over: int = 300) -> tuple[int, ...]:
    """Return `each` arrivals over `over` seconds from each of `starts`."""
    return tuple(sorted(start + i * over // each for start in starts for i in range(each)))
