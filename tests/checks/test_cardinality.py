"""The cardinality checks beyond their examples: what an identifier looks like, budgets, growth, limits of effort."""

from __future__ import annotations

import uuid
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from obs.checks.budgets import Budget, Budgets, read_budgets
from obs.checks.catalogue import select
from obs.checks.engine import MOST_HITS, Options, run
from obs.checks.shapes import LONGEST, MOST, SHAPES, shape_of
from obs.errors import ConfigInvalidError
from obs.exposition import parse
from obs.model.finding import Finding
from tests.checks.judge import codes, home, judge, registry_of
from tests.checks.test_contract import family


def labelled(label: str, *values: str, name: str = "acme_jobs_total") -> str:
    """A counter with one series a value; values are escaped as the format wants it."""
    written = (value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") for value in values)
    return family(name, "counter", *(f'{{{label}="{value}"}} 1' for value in written))


@pytest.mark.parametrize(
    ("value", "shape"),
    [
        ("7f3e1c52-90ab-4d6e-8f17-2b6c5d4e3f21", "UUID"),
        ("agent-7F3E1C52-90AB-4D6E-8F17-2B6C5D4E3F21.log", "UUID"),
        ("01J9ZQ7KXW3V5N8R2T4Y6B0C1D", "ULID"),
        ("9f86d081884c7d659a2feaa0c55ad015", "hexadecimal digest"),
        ("sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", "hexadecimal digest"),
        ("obj at 0x7f8a1c02d3e0", "memory address"),
        ("2026-03-31T12:00:05Z", "timestamp"),
        ("2026-03-31 12:00", "timestamp"),
        ("1767225600", "timestamp"),
        ("1767225600123", "timestamp"),
        ("someone@example.com", "e-mail address"),
        ("https://example.com/a?b=c", "URL"),
        ("postgres://db/main", "URL"),
        ("/users/1834", "path with an id"),
        ("/users/1834/items?page=2", "path with an id"),
        ("GET /v1/items/9", "path with an id"),
        ("/jobs/64b7f0c2a9", "path with an id"),
        ("10.4.7.12:48122", "IP address and port"),
        ("[fe80::1]:9090", "IP address and port"),
        ("first line\nsecond line", "free text"),
        ("it went wrong because " * 9, "free text"),
        ("", ""),
        ("completed", ""),
        ("5xx", ""),
        ("404", ""),
        ("v1.24.3", ""),
        ("/api/users/{id}", ""),
        ("/v1/agents/list", ""),
        ("/var/lib/docker", ""),
        ("04/12/2021", ""),
        ("10.244.0.0/24", ""),
        ("10.4.7.12", ""),
        ("eu-west-1a", ""),
        ("gpt-4o-2024-08-06", ""),
        ("claude-opus-4-20250514", ""),
        ("deadbeefdeadbeef", ""),
        ("1234567890123456789012", ""),
        ("a:b:c", ""),
        ("text/plain; version=0.0.4", ""),
        ("TLS_AES_128_GCM_SHA256", ""),
        ("apps/v1, Kind=Deployment", ""),
    ],
)
def test_shapes(value: str, shape: str) -> None:
    """Identifiers are told from words, versions, models, routes and zones."""
    assert shape_of(value) == shape


@given(st.uuids(), st.text(st.characters(codec="ascii", categories=["L", "P"]), max_size=20))
def test_a_uuid_is_found_wherever_it_stands(one: uuid.UUID, around: str) -> None:
    """No prefix or suffix hides an identifier."""
    assert shape_of(f"{around} {one} {around}") in {"UUID", "URL", "free text"}


@given(st.from_regex("|".join(f"(?:{pattern})" for pattern in SHAPES.values() if "(?" not in pattern)))
def test_the_quick_look_misses_nothing(value: str) -> None:
    """Whatever a pattern finds passes the test that most values fail."""
    assert shape_of(value)


@pytest.mark.parametrize(
    "piece", ["a", "a.", "0", "0a", "/0", "a@", "f" * 15 + " ", "[:", "1.", "://", "\\d"]
)
def test_hostile_values_cost_no_more_than_others(piece: str) -> None:
    """Patterns look at a bounded part of a value and do not backtrack without bounds (a hang fails by time-out)."""
    value = (piece * 1_000_000)[:1_000_000]
    for _ in range(200):
        shape_of(value)
    assert shape_of(value) == shape_of(value[:LONGEST])


def test_one_finding_a_label_tells_how_many() -> None:
    """A label with many identifiers is one finding: how many of how many, three of them, the place of the first."""
    values = [str(uuid.UUID(int=number)) for number in range(300)]
    (one,) = judge(labelled("ref", "plain", *values), "OBS302")
    assert "(300 of 301 values)" in one.message
    assert (one.location.line, one.location.column) == (4, len('acme_jobs_total{ref="') + 1)
    assert one.message.count("00000000-0000-0000-0000-0000000000") == 3


def test_a_label_of_very_many_values_is_sampled() -> None:
    """Past a number of values a label is judged by a part of them, which is enough; its size is for the budget."""
    values = [str(uuid.UUID(int=number)) for number in range(MOST * 4)]
    found = judge(labelled("ref", *values), "cardinality")
    assert codes(found) == ["OBS307", "OBS302"]
    assert f"({MOST} of {MOST * 4} values)" in found[1].message


def test_a_build_is_no_run_time_identifier() -> None:
    """The revision in a `_build_info` changes with a deployment only."""
    body = family("acme_build_info", "gauge", '{revision="9f86d081884c7d659a2feaa0c55ad015"} 1')
    assert judge(body, "cardinality") == ()


@pytest.mark.parametrize("label", ["run_id", "runId", "RUN_ID", "agent_path", "uri", "sessionId"])
def test_forbidden_labels_in_any_spelling(label: str) -> None:
    """A forbidden label is an error from the first value on, in every family, however it is spelt."""
    for name in ("acme_jobs_total", "go_jobs_total", "agent_mood_total"):
        found = judge(labelled(label, "a", name=name), "OBS301")
        assert codes(found) == ["OBS301"]
        assert found[0].severity.word == "error"


@pytest.mark.parametrize("label", ["runid_class", "uris", "caller_id", "run"])
def test_labels_that_only_sound_like_it(label: str) -> None:
    """A label that merely contains a forbidden word is not forbidden."""
    assert judge(labelled(label, "a"), "OBS301") == ()


def test_an_interned_label_has_sixteen_values() -> None:
    """Sixteen values are allowed, `other` among them; the seventeenth is where the finding stands."""
    name = "agent_mcp_connect_failures_total"
    assert judge(labelled("server", *map(str, range(16)), name=name), "cardinality") == ()
    (one,) = judge(labelled("server", *map(str, range(18)), name=name), "cardinality")
    assert (one.code, one.location.line) == ("OBS306", 3 + 16)
    assert "has 18 values, the registry allows 16" in one.message


def test_a_closed_label_that_overflows_is_a_leak_too() -> None:
    """One foreign value is drift; more than the slots of an interned label are a matter of cardinality as well."""
    found = judge(
        labelled("type", "in", "out", *map(str, range(20)), name="agent_tokens_total"), "cardinality"
    )
    assert codes(found) == ["OBS306"]
    assert judge(labelled("type", "in", "out", "cached", name="agent_tokens_total"), "cardinality") == ()


def histogram(*children: int) -> str:
    """A histogram whose n-th child has that many buckets."""
    lines = []
    for child, buckets in enumerate(children):
        lines += [f'_bucket{{c="{child}",le="{bound}"}} 1' for bound in (*range(buckets - 1), "+Inf")]
        lines += [f'_sum{{c="{child}"}} 1', f'_count{{c="{child}"}} 1']
    return family("acme_wait_seconds", "histogram", *lines)


def test_series_of_mixed_histograms_are_counted_exactly() -> None:
    """Children with different buckets count each for what it has."""
    budgets = Budgets({"acme_wait_seconds": Budget(13)}, 1000, ())
    scrape = parse(histogram(1, 9).encode())
    (one,) = run(scrape, home(), Options(select(["OBS307"]), budgets=budgets))
    assert "has 14 series" in one.message
    fits = replace(budgets, metrics={"acme_wait_seconds": Budget(14)})
    assert run(scrape, home(), Options(select(["OBS307"]), budgets=fits)) == ()


def test_a_metric_outside_the_registry_has_a_budget_as_well() -> None:
    """A thousand series of one metric pass, one more is a warning with the widest labels."""
    rows = [f'{{a="{number // 40}",b="{number % 40}"}} 1' for number in range(1001)]
    assert judge(family("acme_jobs_total", "counter", *rows[:1000]), "cardinality") == ()
    (one,) = judge(family("acme_jobs_total", "counter", *rows), "cardinality")
    assert (one.code, one.severity.word) == ("OBS307", "warning")
    assert "`b` 40, `a` 26" in one.message


def test_the_scrape_limit() -> None:
    """An agent whose body is over the limit of the generated scrape would lose everything: that is an error."""
    limit = home().sample_limit
    many = "".join(family(f"acme_{number}_total", "counter") for number in range(limit))
    (one,) = judge(family("agent_up", "gauge") + many, "OBS308", registry=home())
    assert f"{limit + 1} samples, the generated scrape limit is {limit}" in one.message
    assert judge(many, "OBS308", registry=home()) == ()


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (None, "`metrics:` is missing"),
        ([], "`metrics:` is missing"),
        ({"metrics": {}}, "`version` is None"),
        ({"version": 1, "metrics": {}}, "$.max_series_per_instance"),
        ({"version": 1, "metrics": {"a": {}}, "max_series_per_instance": 1}, "$.metrics.a"),
        ({"version": 1, "metrics": {"a": 3}, "max_series_per_instance": True}, "$.metrics.a"),
        (
            {"version": 1, "metrics": {}, "max_series_per_instance": 1, "forbidden_labels": "x"},
            "$.forbidden_labels",
        ),
    ],
)
def test_rules_that_are_none(data: object, says: str) -> None:
    """A file that is not the rules of obs is refused with the place and the way to make one."""
    with pytest.raises(ConfigInvalidError) as caught:
        read_budgets(data, "rules.yaml")
    assert says in str(caught.value)
    assert "obs generate" in str(caught.value)


def grown(before: str, after: str) -> tuple[Finding, ...]:
    """What label-growth finds in `after`."""
    options = Options(select(["OBS311"]), previous=parse(before.encode()))
    return run(parse(after.encode()), registry_of("agent_runs_total"), options)


def test_growth() -> None:
    """Two new values are growth, one may be a first event; a closed domain and a new family are none."""
    assert codes(grown(labelled("q", "a"), labelled("q", "a", "b", "c"))) == ["OBS311"]
    assert grown(labelled("q", "a"), labelled("q", "a", "b")) == ()
    assert grown(labelled("q", "a", "b", "c"), labelled("q", "a")) == ()
    assert grown(labelled("q", "a", name="x_total"), labelled("q", "a", "b", "c")) == ()
    closed = ("agent_runs_total", "status")
    assert (
        grown(
            labelled(closed[1], "completed", name=closed[0]),
            labelled(closed[1], "completed", "refused", "crashed", name=closed[0]),
        )
        == ()
    )
    (one,) = grown(labelled("q", "a"), labelled("q", "b", "c"))
    assert "gained 2 values (1 before, 2 now): `b`, `c`" in one.message


def test_a_flood_of_findings_is_bounded() -> None:
    """Ten thousand families with the same defect keep the first thousand; the last of these counts the others."""
    many = MOST_HITS + 500
    body = "".join(f'acme_{number}{{run_id="a"}} 1\n' for number in range(many))
    found = judge(body, "OBS301")
    assert len(found) == MOST_HITS
    assert sum(one.count for one in found) == many


def test_the_whole_is_linear() -> None:
    """A body of a hundred thousand distinct identifiers is judged in seconds (a quadratic one fails by time-out)."""
    values = (f'{{ref="{uuid.UUID(int=number)}",run_id="{number}"}} 1' for number in range(100_000))
    found = judge(family("acme_jobs_total", "counter", *values))
    assert {"OBS301", "OBS302", "OBS307"} <= set(codes(found))


def test_several_target_labels_are_one_sentence() -> None:
    """The labels are named in the plural, and what the server renames them to holds for all of them."""
    body = '# HELP a_total A.\n# TYPE a_total counter\na_total{job="j",pod="p"} 1\n'
    (finding,) = judge(body)
    assert (
        finding.message == "`a_total` has the labels `job`, `pod`, which the server renames to `exported_*`"
    )
