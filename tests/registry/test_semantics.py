"""The semantics table and the registry name the same metrics."""

from __future__ import annotations

import json

import pytest

from obs.adapters.registries import Inputs, load_home_registry, load_semantics
from obs.documents.load import load_yaml
from obs.errors import RegistryInvalidError
from obs.model.metric import Aggregation, Presence, ValueRule
from obs.registry.parse import parse_registry
from obs.registry.semantics import read_semantics
from tests.home import REPO, registry_data, sources


def table(change):
    """The packaged table with its text changed."""
    text = (REPO / "registry" / "semantics.yaml").read_text()
    changed = change(text)
    assert changed != text
    return read_semantics(load_yaml(changed, "semantics.yaml"))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda t: t.replace("  agent_up:", "  agent_upp:"), "did you mean `agent_up`?"),
        (lambda t: t.replace("  agent_tree_depth:", "  agent_tree_deep:"), "`agent_tree_depth` of the registry has no entry"),  # noqa: E501
        (lambda t: t.replace("group: Cost\n", "group: Costs\n", 1), "did you mean `Cost`?"),
        (lambda t: t.replace("{status: completed}", "{status: complete}"), "did you mean `completed`?"),
        (lambda t: t.replace("replaced_by: agent_tokens_total", "replaced_by: agent_token_total", 1), "is not a metric"),  # noqa: E501
        (
            lambda t: t.replace(", replaced_by: agent_limit_exceeded_total", ""),
            "legacy `agent_restarts_tripped_total` names no replacement",
        ),
    ],
)  # fmt: skip
def test_table_and_registry_must_agree_in_both_directions(change, said):
    """A name on one side only, or a reference to nothing, is an error at its line."""
    changed = table(change)
    registry = parse_registry(json.dumps(registry_data()), "r.json", changed)
    with pytest.raises(RegistryInvalidError) as caught:
        changed.check(registry)
    found = [str(problem) for problem in caught.value.problems if said in str(problem)]
    assert found
    assert all(line.startswith("semantics.yaml:") for line in found)


def test_the_packaged_files_agree_and_pass_their_schema():
    """What ships passes the checks that a start-up leaves out."""
    checked = Inputs(folder=REPO)
    load_home_registry(checked, load_semantics(checked))


def test_facts_a_generator_must_know():
    """What adds up, what is a maximum, what drifts; what is lazy or conditional; what may be a float."""
    by_name = sources().registry.by_name
    assert by_name["agent_saturation"].semantics.aggregation is Aggregation.MAX
    assert by_name["agent_pending_events"].semantics.aggregation is Aggregation.SUM
    assert by_name["agent_config_generation"].semantics.aggregation is Aggregation.DRIFT
    assert by_name["agent_mcp_connect_failures_total"].semantics.presence is Presence.LAZY
    assert by_name["agent_memory_max_bytes"].semantics.presence is Presence.CONDITIONAL
    assert by_name["agent_runs_total"].semantics.presence is Presence.ALWAYS
    floats = [m.name for m in by_name.values() if m.emitted and m.semantics.values is ValueRule.RATIO]
    assert floats == ["agent_saturation"]
