"""The contract checks beyond their examples: formats, profiles, presence, and one finding for one defect."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from obs.checks.check import Profile
from obs.checks.engine import Options, run
from obs.emit.cardinality import CardinalityEmitter
from obs.exposition import parse
from obs.model.metric import DomainKind, Kind, Metric, Presence, Registry, Status
from tests.checks.judge import codes, home, judge, registry_of
from tests.home import sources

OPENMETRICS = "application/openmetrics-text; version=1.0.0"


def family(name: str, kind: str, *samples: str) -> str:
    """A family with HELP and TYPE; a sample is what follows the name."""
    lines = "".join(f"{name}{sample}\n" for sample in samples or (" 1",))
    return f"# HELP {name} Words.\n# TYPE {name} {kind}\n{lines}"


UP = family("agent_up", "gauge")
TOKENS = family("agent_tokens_total", "counter", '{type="in"} 5', '{type="out"} 2')


def whole_body(registry: Registry) -> str:
    """A body with every stable metric and every value of the closed domains, all 0."""
    return "".join(_whole_family(metric) for metric in registry.metrics if metric.emitted)


def _whole_family(metric: Metric) -> str:
    rows = [""]
    for label in metric.labels:
        values = label.domain.values or ("other",)
        rows = [
            f'{row},{label.key}="{value}"' if row else f'{label.key}="{value}"'
            for row in rows
            for value in values
        ]
    return family(metric.name, metric.kind.value, *(f"{{{row}}} 0" if row else " 0" for row in rows))


def test_a_conformant_body_is_clean() -> None:
    """A body with everything that the registry promises has no finding of any severity, in either profile."""
    for profile in Profile:
        assert judge(whole_body(home()), registry=home(), profile=profile) == ()


@pytest.mark.parametrize("metric", home().with_status(Status.STABLE), ids=lambda metric: metric.name)
def test_an_absent_metric_is_missed_by_presence(metric: Metric) -> None:
    """Each metric that is always present is missed; lazy and conditional ones are not."""
    names = [each for each in home().metrics if each.emitted and each.name != metric.name]
    found = judge(whole_body(replace(home(), metrics=tuple(names))), registry=home())
    always = metric.semantics.presence is Presence.ALWAYS
    subjects = [one.subject for one in found if one.code == "OBS210"]
    replaces = any(each.semantics.replaced_by == metric.name for each in home().metrics)
    assert subjects == ([metric.name] if always and not replaces else [])
    assert codes(found)[:1] == (["OBS213"] if replaces else ["OBS210"] if always else [])


@pytest.mark.parametrize(
    "metric", [each for each in home().metrics if each.emitted], ids=lambda metric: metric.name
)
def test_every_type_is_held_to(metric: Metric) -> None:
    """A wrong type is found on each metric, at the word that is wrong."""
    wrong = "gauge" if metric.kind is Kind.COUNTER else "counter"
    body = _whole_family(metric).replace(f"{metric.name} {metric.kind.value}", f"{metric.name} {wrong}")
    found = judge(body, "OBS201", registry=home())
    assert [(one.location.line, one.location.column) for one in found] == [
        (2, len(f"# TYPE {metric.name} ") + 1)
    ]


def test_openmetrics_names_are_the_registrys() -> None:
    """In OpenMetrics a counter's family has no `_total`, and `_created` belongs to it: neither is a finding."""
    body = (
        "# HELP agent_tokens T.\n# TYPE agent_tokens counter\n"
        'agent_tokens_total{type="in"} 5\nagent_tokens_created{type="in"} 1.5\n'
        'agent_tokens_total{type="out"} 2\nagent_tokens_created{type="out"} 1.5\n# EOF\n'
    )
    registry = registry_of("agent_tokens_total")
    assert run(parse(body.encode(), content_type=OPENMETRICS), registry) == ()


def test_created_gauges_of_text_belong_to_their_counter() -> None:
    """`agent_tokens_created` of an old client is no unknown metric, and its value is no count."""
    created = family("agent_tokens_created", "gauge", '{type="in"} 1.5e9', '{type="out"} 1.5e9')
    assert codes(judge(TOKENS + created)) == ["OBS310"]


def test_a_metric_without_a_type_is_told_so() -> None:
    """Samples without a TYPE line are untyped; the finding stands at the sample."""
    (one,) = judge("# HELP agent_up U.\nagent_up 1\n")
    assert (one.code, one.message) == ("OBS201", "`agent_up` has no TYPE, the registry says gauge")


@pytest.mark.parametrize(
    ("samples", "found"),
    [
        (['{type="in"} 5', '{type="out"} 2'], []),
        (['{type="in",model="a"} 5', '{type="out",model="a"} 2'], ["OBS204"]),
        (['{model="a"} 5'], ["OBS205"]),
        ([" 5"], ["OBS203"]),
        (['{type=""} 5'], ["OBS203"]),
        (['{type="in",model=""} 5', '{type="out"} 2'], []),
        (['{type="in",run_id="7"} 5', '{type="out",run_id="7"} 2'], ["OBS301"]),
        (['{type="in",version="1"} 5', '{type="out",version="1"} 2'], ["OBS216"]),
        (['{type="in"} 5', '{type="out"} 2', '{type="cached"} 2'], ["OBS206"]),
        (['{type="in"} 5'], ["OBS212"]),
    ],
)
def test_labels(samples: list[str], found: list[str]) -> None:
    """Each way to get labels wrong is one finding; an empty value is the same as no label."""
    registry = registry_of("agent_tokens_total")
    assert codes(judge(family("agent_tokens_total", "counter", *samples), registry=registry)) == found


def test_repeated_label_errors_are_one_finding_with_a_count() -> None:
    """A thousand samples with the same wrong label are one finding that counts them."""
    samples = [f'{{type="in",model="m{number}"}} 1' for number in range(1000)]
    (one,) = judge(family("agent_tokens_total", "counter", *samples), "OBS204")
    assert (one.count, one.location.line) == (1000, 3)


@pytest.mark.parametrize(
    ("name", "value", "found"),
    [
        ("agent_up", "0", []),
        ("agent_up", "0.5", ["OBS207"]),
        ("agent_up", "NaN", ["OBS207"]),
        ("agent_saturation", "0.4251", []),
        ("agent_saturation", "1.0001", ["OBS208"]),
        ("agent_saturation", "-0.1", ["OBS208"]),
        ("agent_saturation", "NaN", ["OBS208"]),
        ("agent_pending_events", "1e6", []),
        ("agent_pending_events", "1.5", ["OBS209"]),
        ("agent_pending_events", "-1", ["OBS209"]),
        ("agent_pending_events", "+Inf", ["OBS209"]),
        ("agent_reaction_lag_ms", "12", []),
        ("agent_reaction_lag_ms", "0.012", ["OBS209"]),
        ("agent_loop_steps_total", "3.5", ["OBS209"]),
        ("agent_loop_steps_total", "-1", ["OBS177"]),
        ("agent_loop_steps_total", "NaN", ["OBS176"]),
    ],
)
def test_values(name: str, value: str, found: list[str]) -> None:
    """Flags, ratios and whole numbers; a counter below zero is the format's to say."""
    kind = home().by_name[name].kind.value
    assert codes(judge(family(name, kind, f" {value}"))) == found


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("agent_claims_lost", "agent_claims_lost_total"),
        ("agent_claims_losts_total", "agent_claims_lost_total"),
        ("agent_reactive_backlog", "agent_pending_events"),
        ("agent_pressure_level", ""),
        ("agent_claims_expired_total", ""),
    ],
)
def test_near_misses(name: str, wanted: str) -> None:
    """A misspelt, renamed or aliased metric is one finding that names both; another name is an unknown metric."""
    registry = registry_of("agent_claims_lost_total", "agent_pending_events")
    kind = "counter" if name.endswith("_total") or "lost" in name else "gauge"
    found = judge(family(name, kind), "contract", registry=registry)
    mine = [one for one in found if one.code != "OBS210"]
    assert [(one.code, one.subject) for one in mine] == [("OBS217", wanted) if wanted else ("OBS202", name)]
    absent = {one.subject for one in found if one.code == "OBS210"}
    assert absent == {"agent_claims_lost_total", "agent_pending_events"} - {wanted}


def test_a_name_near_one_that_is_there_is_only_unknown() -> None:
    """When the near metric is exposed as well, the stranger is a stranger, with a hint."""
    body = family("agent_claims_lost_total", "counter") + family("agent_claims_losts_total", "counter")
    (one,) = judge(body)
    assert one.code == "OBS202"
    assert "`agent_claims_lost_total`" in one.remedy


def test_what_was_not_read_is_not_absent() -> None:
    """A metric on a broken line, or behind the end of a cut body, is not called absent or without samples."""
    broken = UP + "# HELP agent_ready R.\n# TYPE agent_ready gauge\nagent_ready 1,0\n"
    registry = registry_of("agent_up", "agent_ready")
    assert codes(judge(broken, registry=registry)) == ["OBS132"]
    cut = UP + "# HELP agent_ready R.\n# TYPE agent_rea"
    assert codes(judge(cut, registry=registry)) == ["OBS113"]


def test_a_body_of_something_else_is_one_finding() -> None:
    """Where nothing of the registry is there, that is said once, with the way to check other exporters."""
    (one,) = judge(family("acme_load", "gauge"), registry=home())
    assert one.code == "OBS210"
    assert "none of the 33 metrics" in one.message
    assert "--select" in one.remedy


@pytest.mark.parametrize(
    ("body", "severities"),
    [
        (family("agent_mood", "gauge"), ("error", "info")),
        (TOKENS + 'agent_tokens_total{type="cached"} 1\n', ("error", "info")),
        (family("agent_tokens_per_sec", "gauge"), ("warning", "info")),
        (family("agent_readys", "gauge") + "# agent_ready\n", ("error", "warning")),
        (family("agent_up", "counter"), ("error", "error")),
        (family("agent_up", "gauge", '{a="b"} 1'), ("error", "error")),
    ],
)
def test_drift_depends_on_the_profile(body: str, severities: tuple[str, str]) -> None:
    """Additive drift is an error for who makes it and tolerated by who reads it; breaking changes never are."""
    for profile, severity in zip((Profile.PRODUCER, Profile.CONSUMER), severities, strict=True):
        found = judge(body, "contract", profile=profile)
        assert {one.severity.word for one in found} == {severity}


def test_equalities_hold_in_one_scrape() -> None:
    """Legacy and stable series that count the same are compared by value; both lines are told."""
    body = family("agent_tokens_input_total", "counter", " 4") + TOKENS
    (one,) = judge(body)
    assert one.code == "OBS215"
    assert (one.location.line, [place.line for place in one.related]) == (3, [6])
    assert judge(family("agent_tokens_input_total", "counter", " 5") + TOKENS) == ()


@given(st.permutations(range(6)), st.sampled_from(list(Profile)))
def test_the_order_of_a_body_changes_no_finding(order: list[int], profile: Profile) -> None:
    """Families in another order have the same findings, but for their lines."""
    parts = [
        UP, TOKENS, family("agent_mood", "gauge"), family("agent_saturation", "gauge", " 7"),
        family("acme_jobs", "counter"), family("agent_ready", "gauge", '{pod="a"} 1'),
    ]  # fmt: skip
    registry = registry_of("agent_up", "agent_tokens_total", "agent_saturation", "agent_ready")
    straight = judge("".join(parts), registry=registry, profile=profile)
    mixed = judge("".join(parts[index] for index in order), registry=registry, profile=profile)
    assert sorted((one.code, one.message) for one in mixed) == sorted(
        (one.code, one.message) for one in straight
    )


def test_registry_budgets_and_the_rules_file_agree() -> None:
    """The budgets derived from the registry are those that `obs generate` writes for `--rules`."""
    from obs.checks.budgets import of_registry, read_budgets  # noqa: PLC0415
    from obs.documents.load import load_yaml  # noqa: PLC0415

    (artifact,) = CardinalityEmitter().emit(sources())
    read = read_budgets(load_yaml(artifact.content.decode(), "rules.yaml").data, "rules.yaml")
    derived = of_registry(sources().registry)
    assert read.metrics == derived.metrics
    assert (read.max_series, read.forbidden_labels) == (derived.max_series, derived.forbidden_labels)
    assert read.registry_sha256 == derived.registry_sha256


def test_options_default_to_everything() -> None:
    """Without options all checks run for a producer."""
    assert run(parse(UP.encode()), registry_of("agent_up")) == run(
        parse(UP.encode()), registry_of("agent_up"), Options(profile=Profile.PRODUCER)
    )


def test_closed_domains_are_the_ones_listed() -> None:
    """The tests above rely on it: token_type is closed and has no overflow value."""
    label = home().by_name["agent_tokens_total"].label("type")
    assert label is not None
    assert (label.domain.kind, label.domain.values) == (DomainKind.CLOSED, ("in", "out"))
