"""The registry of the sidecar's own metrics agrees with the code and with the files beside it."""

from __future__ import annotations

import json

import yaml

from obs.adapters.sidecar.client import Outcome
from obs.checks.audit import CHECKS as AUDIT
from obs.checks.catalogue import ALL_CHECKS, LIVE_CHECKS
from obs.checks.manifest import CHECKS as MANIFEST
from obs.model.finding import Severity
from tests.home import REPO, parsed, sources

DATA = json.loads((REPO / "registry" / "obs.registry.json").read_text())
DOMAINS = DATA["closed_label_domains"]


def test_it_is_a_registry_like_any_other() -> None:
    """It loads with the code that loads the frozen one."""
    assert parsed(DATA).prefix == "obs_"


def test_every_value_of_a_label_is_declared() -> None:
    """Codes, severities, outcomes and metrics: what the code can say is what the file lists."""
    codes = [entry.code for entry in (*ALL_CHECKS, *LIVE_CHECKS)] + [doc.code for doc in MANIFEST]
    assert set(codes) <= set(DOMAINS["finding_code"])
    assert set(DOMAINS["finding_code"]) <= {*codes, *(doc.code for doc in AUDIT), "other"}
    assert {outcome.value for outcome in Outcome} == set(DOMAINS["outcome"])
    assert {severity.word for severity in Severity} | {"other"} == set(DOMAINS["severity"])
    assert {metric.name for metric in sources().registry.metrics} | {"other"} == set(
        DOMAINS["registry_metric"]
    )


def test_what_boards_and_rules_may_name_is_declared() -> None:
    """The sidecar's series in registry/platform.yaml have the labels that the registry gives them."""
    platform = yaml.safe_load((REPO / "registry" / "platform.yaml").read_text())
    declared = parsed(DATA).by_name
    own = {name: facts for name, facts in platform.items() if name.startswith("obs_")}
    assert own
    for name, facts in own.items():
        assert sorted(facts["labels"]) == list(declared[name].label_keys)
        assert facts["kind"] == declared[name].kind
