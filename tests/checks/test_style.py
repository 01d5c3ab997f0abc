"""Style is for metrics outside the registry whose authors can rename them; the type decides, not the name."""

from __future__ import annotations

import pytest

from obs.checks.catalogue import select
from obs.checks.context import THIRD_PARTY
from obs.checks.engine import Options, run
from obs.exposition import parse
from tests.checks.judge import codes, home, judge
from tests.checks.test_contract import family, whole_body


def test_the_registry_beats_style() -> None:
    """No metric of the registry, nor one that claims its prefix, is told how to be named."""
    body = (
        whole_body(home())
        + family("agent_store_latency_ms_sum", "counter")
        + family("agent_moodGauge", "gauge")
    )
    assert judge(body, "style", registry=home()) == ()


@pytest.mark.parametrize("prefix", THIRD_PARTY)
def test_third_party_families_are_left_alone(prefix: str) -> None:
    """Nobody can rename what a runtime or a library exposes."""
    assert judge(f"# TYPE {prefix}x_ms gauge\n{prefix}x_ms 1\n", "style") == ()


@pytest.mark.parametrize(
    ("body", "found"),
    [
        (family("acme_histogram_limit_total", "counter"), []),
        (family("acme_counter_total", "counter"), ["OBS406"]),
        (family("acme_up_total", "gauge"), ["OBS403"]),
        (family("acme_up_total", "untyped"), []),
        (family("acme_nodes_count", "gauge"), ["OBS404"]),
        (family("acme_nodes_count", "untyped"), []),
        (family("acme_latency_sum", "counter"), ["OBS402", "OBS404"]),
        (family("acme_wait_seconds", "gauge"), []),
        (family("acme_terms", "gauge"), []),
        (family("acme_wait_ms_total", "counter"), ["OBS409"]),
        (family("acme_load", "gauge", '{a="1"} 1', '{a="2",b=""} 1'), []),
        (family("acme_load", "gauge", '{a="1"} 1', '{b="2"} 1'), ["OBS410"]),
        (family("acme_load", "gauge", '{le="1"} 1'), ["OBS405"]),
        (family("acme_load", "untyped", '{le="1"} 1'), []),
        (family("acme_load", "gauge", '{queueName="1"} 1'), ["OBS408"]),
        ("# HELP acme_load \n# TYPE acme_load gauge\nacme_load 1\n", ["OBS401"]),
    ],
)
def test_names(body: str, found: list[str]) -> None:
    """What is a lapse, and what only looks like one."""
    assert codes(judge(body, "style")) == found


def test_openmetrics_counters_have_their_suffix() -> None:
    """In OpenMetrics the family's name is without `_total`; its samples have it."""
    text = "# HELP acme_jobs J.\n# TYPE acme_jobs counter\nacme_jobs_total 1\n# EOF\n"
    scrape = parse(text.encode(), content_type="application/openmetrics-text; version=1.0.0")
    assert run(scrape, home(), Options(select(["style"]))) == ()
