"""What surrounds the agents: its names and labels are declared, its figures follow from the same world."""

from __future__ import annotations

from hypothesis import given, settings

from obs.adapters.files import read_text
from obs.adapters.resources import data_folder
from obs.documents.load import load_yaml
from obs.exposition import Format
from obs.synth.body import Body
from obs.synth.scenario import Scenario
from obs.synth.surroundings import coordination_body, keda_body, kubernetes_body, scaler_body, scaling
from obs.synth.world import World, advance
from tests.synth.worlds import formats, parsed, scenarios, seeds, values, world

_OBJECT_LABELS = {"namespace", "pod", "container"}
_FED = ("agentctl_", "keda_", "kube_horizontal", "kube_deployment", "kube_pod_")


def _declared() -> dict[str, dict]:
    path = data_folder() / "registry" / "platform.yaml"
    return load_yaml(read_text(path), "registry/platform.yaml").data


def _all(now: World) -> tuple[Body, ...]:
    return coordination_body(now, 0), scaler_body(now, 0), kubernetes_body(now), keda_body(now)


@settings(max_examples=20, deadline=None)
@given(scenario=scenarios, seed=seeds, form=formats)
def test_surroundings_are_read_without_a_complaint(scenario, seed, form):
    """Every scenario and format makes bodies in which the strict parser finds nothing wrong."""
    for body in _all(world(scenario, seed)):
        assert parsed(body, form).diagnoses == ()


def test_names_types_and_labels_are_the_declared_ones():
    """Every series is declared with its type and, besides the labels of its object, carries exactly its labels."""
    declared = _declared()
    for body in _all(world()):
        for family in body:
            assert str(family.kind) == declared[family.name]["kind"], family.name
            for one in family.samples:
                own = {key for key, _ in one.labels} - _OBJECT_LABELS
                assert own == set(declared[family.name]["labels"]), family.name


def test_everything_declared_is_fed():
    """No declared series around a fleet of Deployments is left without a value once a pod has restarted."""
    fed = {family.name for body in _all(advance(world(Scenario.CRASHLOOP), 300)) for family in body}
    assert {name for name in _declared() if name.startswith(_FED)} <= fed


@settings(max_examples=20, deadline=None)
@given(scenario=scenarios, seed=seeds)
def test_the_autoscaler_stays_within_its_bounds(scenario, seed):
    """Desired replicas lie between the fleet's minimum and maximum, and no more are ready than there are."""
    now = world(scenario, seed)
    for index in range(len(now.plan.fleets)):
        view = scaling(now, index)
        assert view.minimum <= view.desired <= view.maximum
        assert 0 <= view.ready <= view.current


def test_the_scaler_sees_the_backlog_of_the_coordination_server():
    """What KEDA and the external scaler read is what the coordination server exposes."""
    now = world()
    server = values(coordination_body(now, 0))
    waiting = server["agentctl_coordination_pending", ()] + server["agentctl_coordination_claimed", ()]
    assert values(scaler_body(now, 0))["agentctl_scaler_last_backlog", ()] == waiting
    assert waiting in values(keda_body(now)).values()


def test_counters_keep_their_suffix_in_openmetrics():
    """A counter's samples end in `_total` in both formats."""
    scrape = parsed(coordination_body(world(), 0), Format.OPENMETRICS)
    assert scrape.by_name["agentctl_coordination_acked_total"].sample_count == 1
