"""The checks of anybody's rules: their examples, the project's own rules, and what people reported."""

from __future__ import annotations

import json
import os
import re
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from obs.checks.rules import CHECKS, check_rules
from obs.checks.rules.rule import Facts
from obs.cli.known import all_docs
from obs.cli.main import app
from obs.documents.load import load_all_yaml
from obs.errors import InvalidInputError
from obs.model.finding import Severity
from tests.home import sources
from tests.rules.trees import deploy

EVERY = pytest.mark.parametrize("doc", CHECKS, ids=lambda doc: f"{doc.code}-{doc.slug}")
TOO_LARGE = "OBS641"

OFFLINE = {
    "R04": {"OBS603"},
    "R05": {"OBS603"},
    "R06": {"OBS602"},
    "R08": {"OBS604"},
    "R10": {"OBS620"},
    "R11": {"OBS621"},
    "R12": {"OBS621"},
    "R15": {"OBS630"},
    "R16": {"OBS631"},
    "R17": {"OBS632"},
    "R19": {"OBS635"},
    "R23": {"OBS640"},
}
"""Reported faults by what must be found in them."""

NOT_YAML = {"R01", "R03", "R07"}
"""Reported faults that are not YAML at all: refused with a line and a column."""

ELSEWHERE = {
    "R20": "the input is right: keep_firing_for stands on an alert",
    "R21": "obs writes no Helm charts",
    "R22": "about the generator's own templates, see test_annotation.py",
    "R24": "described in words; test_an_object_that_is_too_large builds it",
}


def facts(**changed) -> Facts:
    """What is known with the packaged registry."""
    return Facts(sources().catalog, **changed)


def findings(text, known=None):
    """What is found in one file."""
    return check_rules(load_all_yaml(text, "rules.yaml"), known or facts())


def codes(text, known=None):
    """The codes of what is found."""
    return {finding.code for finding in findings(text, known)}


@EVERY
def test_the_examples_are_tests(doc):
    """The bad example trips its own check and no other, the good one trips none."""
    assert codes(doc.good) == set()
    if doc.code != TOO_LARGE:
        assert codes(doc.bad) == {doc.code}


@EVERY
def test_a_check_documents_itself(doc):
    """Summary, reason and remedy are sentences, and the examples differ."""
    for text in (doc.summary, doc.why, doc.remedy):
        assert text[0].isupper()
        assert text.rstrip(" `").endswith((".", '".'))
    assert doc.bad != doc.good


def test_no_code_or_slug_is_used_twice():
    """Codes and slugs name one check each, over all categories."""
    words = [word for doc in all_docs() for word in (doc.code, doc.slug)]
    assert sorted(words) == sorted(set(words))


def object_with(rules: int) -> str:
    """A PrometheusRule with so many rules."""
    head = "apiVersion: monitoring.coreos.com/v1\nkind: PrometheusRule\nmetadata:\n  name: big\n"
    lines = "".join(
        f"    - alert: AgentPending{number}\n      expr: agent_pending_events > {number}\n"
        for number in range(rules)
    )
    labels = "  labels:\n    release: prometheus\n"
    return f"{head}{labels}spec:\n  groups:\n  - name: g\n    rules:\n{lines}"


@pytest.mark.parametrize(("rules", "severity"), [(5000, Severity.WARNING), (10000, Severity.ERROR)])
def test_an_object_that_is_too_large(rules, severity):
    """Above what kubectl keeps it is a warning, above what the operator writes an error."""
    found = [finding for finding in findings(object_with(rules)) if finding.code == TOO_LARGE]
    assert [finding.severity for finding in found] == [severity]


def test_own_rules_are_clean(tmp_path):
    """Nothing is found in the generated rules, not even a hint."""
    out = deploy(tmp_path)
    files = [str(out / "rules" / f"{name}.yaml") for name in ("recording", "alerts", "prometheusrule")]
    found = CliRunner().invoke(
        app, ["lint", *files, "--config", "examples/obs.yaml", "--fail-on", "info", "--format", "json"]
    )
    assert found.exit_code == 0, found.stdout
    assert all(target["findings"] == [] for target in json.loads(found.stdout)["targets"])


def test_a_finding_names_its_line(tmp_path):
    """The command line shows file, line and column of the key, and exits 1."""
    path = tmp_path / "r.yaml"
    path.write_text("groups:\n- name: g\n  rules:\n  - alert: A\n    for: 5m\n    expr: agent_redy == 0\n")
    found = CliRunner().invoke(app, ["lint", str(path)])
    assert found.exit_code == 1
    assert f"{path}:6:5" in found.stdout
    assert "did you mean `agent_ready`?" in found.stdout


@pytest.mark.parametrize(
    ("expr", "said"),
    [
        ("sum(rate(agent_runs_total[$__rate_interval]))", "`$__rate_interval` is a variable of Grafana"),
        ("sum(rate(agent_runs_total[${window:raw}]))", "`${window:raw}` is a variable of Grafana"),
        ('{__name__="agent_up"}', "YAML reads what begins with a brace as a mapping; quote the expression"),
    ],
)
def test_what_was_copied_or_not_quoted_is_named(expr, said):
    """A board's variable, and an expression that YAML takes for a mapping."""
    (found,) = findings(f"groups:\n- name: g\n  rules:\n  - record: a:b\n    expr: {expr}\n")
    assert said in f"{found.message}; {found.remedy}"
    assert (found.severity, found.location.line, found.location.column) == (Severity.ERROR, 5, 5)


@cache
def reported():
    """The reported faults about rules by id."""
    shared = os.environ.get("OBS_SHARED")
    if not shared:
        return {}
    lines = (Path(shared) / "cases" / "faults.jsonl").read_text().splitlines()
    cases = [json.loads(line) for line in lines]
    return {case["id"]: case for case in cases if case["area"].startswith("rules")}


@pytest.mark.parametrize("name", sorted({*OFFLINE, *NOT_YAML}))
def test_reported_faults_are_found(name):
    """Each planted fault that can be seen offline is found."""
    if not reported():
        pytest.skip("OBS_SHARED does not name the folder of shared cases")
    case = reported()[name]
    if name in NOT_YAML:
        with pytest.raises(InvalidInputError, match=r":\d+:\d+: not YAML"):
            findings(case["input"])
        return
    told = re.search(r"scrape_interval: (\d+)s", case["input"])
    selected = {"release": "kps"} if name == "R23" else None
    assert OFFLINE[name] <= codes(
        case["input"], facts(scrape_interval=int(told[1]) if told else 15, rule_labels=selected)
    )


def test_every_reported_fault_is_accounted_for():
    """A new reported fault fails here until somebody says where it is found."""
    if not reported():
        pytest.skip("OBS_SHARED does not name the folder of shared cases")
    assert set(reported()) == {*OFFLINE, *NOT_YAML, *ELSEWHERE}


def alert(expr, **more):
    """A rule file with one alert."""
    rule = {"alert": "A", "expr": expr, **more}
    return json.dumps({"groups": [{"name": "g", "rules": [rule]}]})


@pytest.mark.parametrize(
    "expr",
    [
        "up == 0",
        "absent(up) and agent_ready == 0",
        "agent_ready == 0 or agent_paused == 1",
        "count(agent_ready == 0)",
        "agent_ready unless agent_paused",
        "label_replace(agent_ready == 0, 'a', 'b', '', '')",
    ],
)
def test_what_counts_as_a_comparison(expr):
    """Whatever can leave the result empty."""
    assert "OBS617" not in codes(alert(expr))


@pytest.mark.parametrize(
    "expr",
    ["agent_ready", "agent_ready == bool 0", "agent_ready == 0 or agent_paused", "sum(agent_ready) + 1"],
)
def test_what_does_not_count_as_a_comparison(expr):
    """A result that is never empty fires for ever."""
    assert "OBS617" in codes(alert(expr))


@pytest.mark.parametrize(
    ("text", "valid"),
    [
        ("1h30m", True),
        ("5m", True),
        ("0s", True),
        ("1h30", False),
        ("1.5h", False),
        (300, False),
        ("5 m", False),
    ],
)
def test_durations(text, valid):
    """Whole numbers with units, largest first; bare numbers are not durations."""
    assert ("OBS601" not in codes(alert("up == 0", **{"for": text}))) is valid


@pytest.mark.parametrize(
    ("window", "interval", "severity"),
    [(60, 15, None), (59, 15, Severity.WARNING), (29, 15, Severity.ERROR), (120, 30, None)],
)
def test_windows_are_judged_by_the_scrape_interval(window, interval, severity):
    """Four scrapes are enough, fewer are a warning, fewer than two never work."""
    found = findings(alert(f"rate(agent_runs_total[{window}s]) > 0"), facts(scrape_interval=interval))
    assert [finding.severity for finding in found] == ([severity] if severity else [])


def test_a_series_of_another_system_is_only_a_hint():
    """Rules about something else than agents may stand in the file."""
    (found,) = findings(alert("nginx_connections_active > 5"))
    assert (found.code, found.severity) == ("OBS611", Severity.INFO)


def test_series_recorded_in_a_file_that_is_not_at_hand_are_let_pass(tmp_path):
    """Alerts may be judged without the recording rules they read."""
    assert findings((deploy(tmp_path) / "rules/alerts.yaml").read_text()) == ()


def test_a_misspelt_recorded_series_is_told_where_its_rule_is_at_hand():
    """With the recording rule in view, a near miss is a mistake."""
    record = json.dumps(
        {"groups": [{"name": "r", "rules": [{"record": "fleet:a:b", "expr": "sum(agent_up)"}]}]}
    )
    documents = [*load_all_yaml(alert("fleet:a:c > 0"), "a.yaml"), *load_all_yaml(record, "r.yaml")]
    assert [finding.code for finding in check_rules(documents, facts())] == ["OBS611"]


def test_recorded_series_are_known_in_other_files():
    """A rule of one file may read what another records, with the labels that it has."""
    record = json.dumps(
        {"groups": [{"name": "r", "rules": [{"record": "fleet:a:b", "expr": "sum by (fleet) (agent_up)"}]}]}
    )
    reading = alert("sum by (pod) (fleet:a:b) > 0")
    documents = [*load_all_yaml(reading, "a.yaml"), *load_all_yaml(record, "r.yaml")]
    assert {finding.code for finding in check_rules(documents, facts())} == {"OBS616"}


words = st.sampled_from(
    ["groups", "rules", "alert", "record", "expr", "for", "labels", "up == 0", "5m", "kind"]
)
values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-5, 5), words),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(words, inner, max_size=4)),
    max_leaves=12,
)


@given(values)
def test_any_document_is_judged_or_left_alone(data):
    """Whatever shape stands where groups and rules should be, there are findings and no traceback."""
    check_rules(
        load_all_yaml(json.dumps({"groups": [data, {"name": "g", "rules": [data]}]}), "r.yaml"), facts()
    )
    check_rules(load_all_yaml(json.dumps({"kind": "PrometheusRule", "spec": data}), "r.yaml"), facts())
