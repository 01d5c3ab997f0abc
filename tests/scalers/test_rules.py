"""Every rule by the examples of its own page, and codes that never change."""

from __future__ import annotations

from pathlib import Path

import pytest

from obs.checks.scaling import CHECKS, check_scaled_objects
from obs.documents.load import load_all_yaml
from obs.model.check import CheckDoc
from tests.scalers.fleets import facts

each_check = pytest.mark.parametrize("doc", CHECKS, ids=lambda doc: doc.code)
OLD_KEDA = {"K028": (2, 13)}

FROZEN = {
    "K001": "cannot-wake",
    "K002": "running-work-unseen",
    "K003": "activation-strands",
    "K004": "no-maximum",
    "K005": "external-mixed",
    "K006": "fallback-never-starts",
    "K007": "fallback-replicas",
    "K008": "metric-type",
    "K009": "average-of-averages",
    "K010": "counter-as-signal",
    "K011": "backlog-shared",
    "K012": "not-one-element",
    "K013": "metadata-not-text",
    "K014": "name-too-long",
    "K015": "replicas-owned-twice",
    "K016": "shard-scaled",
    "K017": "grace-too-short",
    "K018": "backlog-counted-twice",
    "K019": "empty-is-zero",
    "K020": "no-fallback",
    "K021": "cooldown-jumps",
    "K022": "two-autoscalers",
    "K023": "behaviour-limits",
    "K024": "behaviour-implicit",
    "K025": "impossible-bounds",
    "K026": "secret-in-metadata",
    "K027": "certificate-unchecked",
    "K028": "keda-too-old",
    "K029": "division-by-zero",
    "K030": "query-syntax",
    "K031": "unknown-series",
    "K032": "setting-without-effect",
    "K033": "fresh-fleet-zeroed",
    "K034": "fallback-shrinks",
    "K035": "window-too-short",
    "K036": "target-unclear",
    "K037": "malformed",
    "K038": "trigger-names",
    "K039": "lag-as-signal",
    "K040": "backlog-of-everyone",
    "K041": "paused",
    "K042": "several-sources",
    "K043": "metadata-missing",
    "K044": "authentication-missing",
    "K045": "target-not-scalable",
}


def codes(text: str, code: str) -> set[str]:
    """Return the codes that a YAML stream trips."""
    documents = load_all_yaml(text, "scaler.yaml")
    return {finding.code for finding in check_scaled_objects(documents, facts(OLD_KEDA.get(code)))}


def test_codes_are_frozen() -> None:
    """Append; never renumber, never reuse: people suppress and search by code."""
    assert {doc.code: doc.slug for doc in CHECKS} == FROZEN


@each_check
def test_the_bad_example_trips_its_own_rule_alone(doc: CheckDoc) -> None:
    """What a page shows as bad is reported under its code, and nothing else in it is."""
    assert codes(doc.bad, doc.code) == {doc.code}


@each_check
def test_the_good_example_trips_nothing(doc: CheckDoc) -> None:
    """What a page shows as good is free of findings."""
    assert codes(doc.good, doc.code) == set()


@each_check
def test_findings_name_line_path_value_and_fix(doc: CheckDoc) -> None:
    """Each finding has a place in the file, a JSON path, a message and a remedy."""
    documents = load_all_yaml(doc.bad, "scaler.yaml")
    for finding in check_scaled_objects(documents, facts(OLD_KEDA.get(doc.code))):
        assert finding.location.line > 1
        assert finding.location.path.startswith("$.")
        assert len(finding.message) > 20
        assert finding.remedy
        assert finding.severity >= doc.severity or doc.code == "K003"


@each_check
def test_a_page_explains_itself(doc: CheckDoc) -> None:
    """Summary and remedy are one sentence, the why is longer."""
    assert doc.summary.endswith(".")
    assert doc.remedy.endswith(".")
    assert len(doc.why) > 60


def test_the_guide_lists_every_rule_as_it_is() -> None:
    """The table of docs/scaling.md is that of the rules; `pytest -k guide` prints what is missing."""
    guide = (Path(__file__).parents[2] / "docs" / "scaling.md").read_text()
    rows = [f"| `{doc.code}` {doc.slug} | {doc.severity.word} | {doc.summary} |" for doc in CHECKS]
    assert [line for line in guide.splitlines() if line.startswith("| `K")] == rows
