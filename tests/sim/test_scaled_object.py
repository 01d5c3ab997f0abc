"""From the document that is applied to what is simulated."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from obs.errors import InvalidInputError
from obs.sim.hpa import DEFAULT_DOWN, DEFAULT_UP, Behavior, MetricKind, Select
from obs.sim.keda import Fallback, Hold, Pause, Source
from obs.sim.scaled_object import read
from tests.sim.fleets import document, external, trigger


def problems(found: object) -> list[str]:
    """Return the problems of a document that is refused."""
    with pytest.raises(InvalidInputError) as caught:
        read(found)
    return [str(problem) for problem in caught.value.problems]


def test_defaults_are_those_of_keda() -> None:
    """What a ScaledObject leaves out has KEDA's defaults, and no behavior."""
    scaled = read({"kind": "ScaledObject", "metadata": {}, "spec": {"triggers": [trigger()]}})
    assert (scaled.minimum, scaled.maximum, scaled.polling, scaled.cooldown) == (0, 100, 30, 300)
    assert (scaled.initial_cooldown, scaled.idle, scaled.fallback, scaled.behavior) == (0, None, None, None)
    assert scaled.triggers[0].activation == 0
    assert scaled.triggers[0].kind is MetricKind.AVERAGE_VALUE


def test_half_a_behavior_is_completed() -> None:
    """A behavior that says only one thing has the API server's defaults for the rest."""
    assert read(document(behavior={})).behavior == Behavior()
    behavior = read(document(behavior={"scaleDown": {"selectPolicy": "Min"}})).behavior
    assert behavior is not None
    assert behavior.up == DEFAULT_UP
    assert behavior.down.policies == DEFAULT_DOWN.policies
    assert (behavior.down.select, behavior.down.window) == (Select.MIN, 300)


def test_everything_that_matters_is_read() -> None:
    """Fallback, idle replicas, annotations, metric types and external triggers arrive in the model."""
    found = document(
        {**trigger(), "metricType": "Value", "useCachedMetrics": True},
        {**external("pending"), "type": "external-push"},
        idleReplicaCount=0,
        minReplicaCount=2,
        fallback={"failureThreshold": 3, "replicas": 2, "behavior": "currentReplicasIfHigher"},
    )
    found["metadata"]["annotations"] = {
        "autoscaling.keda.sh/paused-replicas": "4",
        "autoscaling.keda.sh/paused-scale-in": "yes",
        "autoscaling.keda.sh/paused": "false",
    }
    scaled = read(found)
    assert scaled.idle == 0
    assert scaled.fallback == Fallback(3, 2, Hold.IF_HIGHER)
    assert scaled.pause == Pause(replicas=4, scale_in=True)
    assert scaled.triggers[0].kind is MetricKind.VALUE
    assert scaled.triggers[0].cached
    assert scaled.triggers[1].source is Source.EXTERNAL_PUSH


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"minReplicaCount": 60}, "minReplicaCount 60 is more than maxReplicaCount 50"),
        ({"minReplicaCount": -1}, "`-1` is not a whole number"),
        ({"maxReplicaCount": "many"}, "`many` is not a whole number"),
        ({"pollingInterval": 0}, "0 is out of range; write a whole number from 1 up"),
        ({"idleReplicaCount": 1, "minReplicaCount": 1}, "idleReplicaCount 1 is not below minReplicaCount 1"),
        ({"triggers": []}, "there is no trigger"),
        ({"triggers": [{"type": "cpu"}]}, "`cpu` is not modelled"),
        ({"triggers": [{**trigger(), "metricType": "Utilization"}]}, "`Utilization` is not modelled"),
        ({"triggers": [trigger(threshold="0.0001")]}, "is 0 in thousandths"),
        ({"triggers": [trigger(threshold="four")]}, "`four` is not a number"),
        ({"triggers": [{"type": "prometheus", "metadata": {"query": "1"}}]}, "`threshold` is missing"),
        ({"triggers": [trigger(query="max(up)")]}, "the model has no metric `up`"),
        (
            {"fallback": {"replicas": 1, "failureThreshold": 1, "behavior": "never"}},
            "`never` is not modelled",
        ),
        ({"advanced": {"scalingModifiers": {"formula": "a + b"}}}, "a formula over the triggers"),
    ],
)
def test_refusals(change: dict[str, Any], expected: str) -> None:
    """What the API server would refuse, or the model cannot follow, is a problem with its place."""
    found = document()
    found["spec"].update(change)
    said = problems(found)
    assert len(said) == 1
    assert said[0].startswith("$.spec.")
    assert expected in said[0]


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        ({"type": "Pods", "value": 1, "periodSeconds": 1801}, "from 1 to 1800"),
        ({"type": "Pods", "value": 0, "periodSeconds": 60}, "from 1 up"),
        ({"type": "pods", "value": 1, "periodSeconds": 60}, "did you mean `Pods`?"),
        ({"value": 1, "periodSeconds": 60}, "`None` is not modelled"),
        ({"type": "Pods", "periodSeconds": 60}, "`value` is missing"),
    ],
)
def test_a_policy_that_the_hpa_would_refuse(policy: dict[str, Any], expected: str) -> None:
    """KEDA accepts such a policy and then fails to create the HPA: here it is said at once."""
    said = problems(document(behavior={"scaleUp": {"policies": [policy]}}))
    assert len(said) == 1
    assert "scaleUp.policies[0]" in said[0]
    assert expected in said[0]


def test_all_problems_come_at_once() -> None:
    """Three mistakes are three problems."""
    found = document(
        trigger(threshold="x"), pollingInterval="y", fallback={"failureThreshold": "z", "replicas": 1}
    )
    assert len(problems(found)) == 3


@pytest.mark.parametrize("found", [None, [], "text", {}, {"kind": "Deployment"}])
def test_not_a_scaled_object(found: object) -> None:
    """Anything else is refused in one line."""
    assert problems(found) == [
        "$: this is not a ScaledObject; give the file that is applied: kind: ScaledObject"
    ]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
FIELDS = st.sampled_from(
    [
        "triggers",
        "fallback",
        "advanced",
        "minReplicaCount",
        "maxReplicaCount",
        "idleReplicaCount",
        "cooldownPeriod",
    ]
)


@given(st.dictionaries(FIELDS, JSON, max_size=4), JSON)
def test_any_document_is_read_or_refused(fields: dict[str, Any], metadata: object) -> None:
    """Whatever stands in a ScaledObject, the reader returns one or names its problems; it never fails otherwise."""
    try:
        read({"kind": "ScaledObject", "metadata": metadata, "spec": fields})
    except InvalidInputError as error:
        assert error.problems
