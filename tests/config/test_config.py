"""obs.yaml: closed, explained, complete."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from obs.documents.load import load_yaml
from obs.errors import ConfigInvalidError, InvalidInputError
from obs.model.config import Delivery, Mode
from obs.specs.config import read_config
from tests.home import REPO

SCHEMA = json.loads((REPO / "registry" / "obs.schema.json").read_text())
EXAMPLE = (REPO / "examples" / "obs.yaml").read_text()


def read(text):
    """The configuration in `text`."""
    return read_config(load_yaml(text, "obs.yaml"), SCHEMA)


def problems(text):
    """What is wrong with `text`, a line each."""
    with pytest.raises(ConfigInvalidError) as caught:
        read(text)
    return [str(problem) for problem in caught.value.problems]


def test_the_example_shows_the_defaults():
    """Every value shown in examples/obs.yaml is what an empty file means, fleets apart."""
    shown, empty = read(EXAMPLE), read("")
    assert shown.prometheus == empty.prometheus
    assert shown.grafana == empty.grafana
    assert shown.kubernetes == empty.kubernetes
    assert shown.alerting == empty.alerting
    assert [fleet.mode for fleet in shown.fleets] == [Mode.CLAIM, Mode.REACTIVE]


def test_sections_left_empty_keep_their_defaults():
    """`prometheus:` with everything under it commented out is no error."""
    assert read("prometheus:\ngrafana:\nfleets:\nthresholds:\nalerts:\nsuppressions:\n") == read("")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("promethues: {}\n", "obs.yaml:1:1: unknown key `promethues`; did you mean `prometheus`?"),
        (
            "grafana:\n  delivry: files\n",
            "obs.yaml:2:3: unknown key `delivry` in `$.grafana`; did you mean `delivery`?",
        ),
        ("grafana: {delivery: file}\n", "did you mean `files`?"),
        ("fleets:\n  - {name: a, mode: clam}\n", "obs.yaml:2:15: `$.fleets[0].mode`: `clam` is not one of"),
        ("fleets:\n  - mode: claim\n", "obs.yaml:2:5: `$.fleets[0]`: key `name` is missing"),
        ("fleets:\n  - {name: Inbox, mode: claim}\n", "lower-case letters, digits and dashes"),
        ("kubernetes: {keda_version: 2.17}\n", 'put it in quotes: "2.17"'),
        ("prometheus: {scrape_interval: 15}\n", "put it in quotes"),
        ("prometheus: {scrape_interval: 15 s}\n", "a whole number and a unit"),
        ("prometheus: {address: prometheus:9090}\n", "an address such as http://prometheus:9090"),
        ("fleets:\n  - {name: a, mode: claim, replicas: {min: 5, max: 2}}\n", "`min` 5 is above `max` 2"),
        (
            "fleets:\n  - {name: a, mode: claim}\n  - {name: a, mode: shard}\n",
            "obs.yaml:3:6: fleet `a` is named twice",
        ),
        ("suppressions:\n  - {code: OBS201, reason: x, until: soon}\n", "`soon` is not a day"),
        ("fleets:\n  - {name: a, mode: claim, scaler: external-push}\n", "needs to know the scaler"),
        ("alerts: {off: [{alert: X}]}\n", "key `reason` is missing"),
        ("[]\n", "is not a mapping"),
        ("kubernetes: {keda_version: 2.10}\n", '`2.10` is not text; put it in quotes: "2.10"'),
        ("fleets:\n  - {name: yes, mode: loop}\n", '`yes` is not text; put it in quotes: "yes"'),
        ("prometheus: {rule_labels: {my key: x}}\n", "a label key as Kubernetes wants it"),
        ('grafana: {folder: "a\\nb"}\n', "`a\\nb` does not have the right form"),
    ],
)
def test_a_mistake_is_named_at_its_place_with_a_remedy(text, said):
    """The key or the value, its line and column, and what to write instead."""
    assert any(said in line for line in problems(text)), problems(text)


def test_all_mistakes_come_at_once():
    """Three typos in three sections are three lines, in the order of the file."""
    found = problems("promethues: {}\ngrafana: {x: 1}\nfleets: [{name: a, mode: b}]\n")
    assert [line.split(":")[1] for line in found] == ["1", "2", "3"]


def test_words_become_values():
    """Durations are seconds, words are enums, defaults depend on the mode."""
    config = read(
        "grafana: {delivery: operator}\nfleets:\n"
        "  - {name: a, mode: claim, drain_timeout: 2m}\n  - {name: b, mode: shard}\n  - {name: c, mode: schedule}\n"
    )
    assert config.grafana.delivery is Delivery.OPERATOR
    first, second, third = config.fleets
    assert (first.drain_timeout, first.min_replicas, first.max_replicas) == (120, 0, None)
    assert (second.workload.kind, third.workload.kind, third.workload.api_version) == (
        "StatefulSet", "CronJob", "batch/v1",
    )  # fmt: skip


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_a_mutilated_configuration_is_read_or_refused(data):
    """Dropping, doubling or swapping lines of the example never makes a traceback."""
    lines = EXAMPLE.splitlines(keepends=True)
    for _ in range(data.draw(st.integers(1, 3))):
        spot = data.draw(st.integers(0, len(lines) - 1))
        lines[spot : spot + 1] = data.draw(
            st.sampled_from(
                [[], [lines[spot]] * 2, ["  " + lines[spot]], [lines[spot][:20] + "\n"], ["x: y\n"]]
            )
        )
    try:
        read("".join(lines))
    except InvalidInputError as error:
        assert all(problem.where.startswith("obs.yaml") for problem in error.problems)
