"""Mutants: for each check one, which trips it and no other, in every format in which the rule exists."""

from __future__ import annotations

from functools import cache
from itertools import pairwise

import pytest

from obs.adapters.live_fleet import LiveFleet, Reply, Settings, mutated
from obs.checks.budgets import read_budgets
from obs.checks.catalogue import ALL_CHECKS, LIVE_CHECKS
from obs.checks.engine import Options, run
from obs.checks.live.look import Look, look
from obs.checks.live.trail import follow
from obs.errors import UsageError
from obs.exposition import Format, Limits, Scrape, parse
from obs.synth.body import Body
from obs.synth.mutant import Mutant
from obs.synth.mutants import MUTANTS
from obs.synth.scenario import Scenario
from tests.synth.worlds import bodies, parsed, private, registry, values, world

_BY_SLUG = {mutant.slug: mutant for mutant in MUTANTS}
_CASES = [
    pytest.param(mutant, form, id=f"{mutant.slug}-{form.name.lower()}")
    for mutant in MUTANTS
    if mutant.slug in {entry.slug for entry in ALL_CHECKS}
    for form in mutant.forms
]


@cache
def _body(scenario: Scenario = Scenario.STEADY) -> Body:
    return next(body for _, body in bodies(world(scenario)))


def _read(reply: Reply, mutant: Mutant) -> Scrape:
    limits = Limits(max_series=mutant.max_series) if mutant.max_series else Limits()
    return parse(reply.body, content_type=reply.content_type, limits=limits)


def _found(mutant: Mutant, form: Format, body: Body) -> set[str]:
    settings = Settings(registry(), form)
    previous = _read(mutated(body, mutant, settings, turn=0), mutant) if mutant.over_time else None
    scrape = _read(mutated(body, mutant, settings, turn=1), mutant)
    budgets = read_budgets(mutant.rules(registry()), "rules.yaml") if mutant.rules else None
    return {finding.slug for finding in run(scrape, registry(), Options(budgets=budgets, previous=previous))}


def test_every_check_has_a_mutant():
    """No check of a body, or of a target over time, lacks a mutant, and no mutant is there twice."""
    assert {entry.slug for entry in (*ALL_CHECKS, *LIVE_CHECKS)} == set(_BY_SLUG)
    assert len(_BY_SLUG) == len(MUTANTS)


@pytest.mark.parametrize(("mutant", "form"), _CASES)
def test_a_mutant_trips_its_own_check_and_no_other(mutant, form):
    """The checks find exactly what was broken."""
    assert _found(mutant, form, _body()) == {mutant.slug}


@pytest.mark.parametrize("scenario", list(Scenario))
@pytest.mark.parametrize("form", list(Format))
def test_a_fleet_that_is_sound_has_no_finding(scenario, form):
    """Every agent of every scenario passes all checks, provisional declarations and missing memory aside."""
    for _, body in bodies(world(scenario, agents=6)):
        assert run(parsed(body, form), registry()) == ()


@pytest.mark.parametrize("slug", ["wrong-type", "absent-metric", "domain-not-initialised", "unequal-series"])
@pytest.mark.parametrize("scenario", list(Scenario))
def test_a_mutant_is_the_same_in_every_scenario(slug, scenario):
    """What is broken does not depend on what the fleet goes through."""
    assert _found(_BY_SLUG[slug], Format.TEXT, _body(scenario)) == {slug}


@pytest.mark.parametrize("entry", LIVE_CHECKS, ids=lambda entry: entry.slug)
def test_a_mutant_over_time_trips_its_own_check_and_no_other(entry):
    """Scraped again and again, a target is found to do what was broken and nothing else."""
    fleet, trail, found = _live(ticks=10), None, set()
    for turn in range(40):
        if turn == 5:
            fleet.mutate(_BY_SLUG[entry.slug])
        reply = fleet.scrape(0)
        assert reply is not None
        seen = look(parse(reply.body), registry())
        layout = trail.look.layout if trail and trail.look.layout.keys == seen.layout.keys else seen.layout
        trail = follow(trail, Look(layout, seen.values))
        scrape = parse(reply.body)
        found |= {
            finding.slug for finding in run(scrape, registry(), Options(checks=LIVE_CHECKS, trail=trail))
        }
    assert found == {entry.slug}


def _live(form: Format = Format.TEXT, ticks: int = 1) -> LiveFleet:
    now = iter(range(0, 100_000, ticks))
    return LiveFleet(world(), Settings(registry(), form), lambda: float(next(now)))


def _scrapes(fleet: LiveFleet, slug: str, many: int) -> list[dict]:
    fleet.mutate(_BY_SLUG[slug])
    found = []
    for _ in range(many):
        reply = fleet.scrape(0)
        assert reply is not None
        scrape = parse(reply.body, content_type=reply.content_type)
        assert scrape.diagnoses == ()
        found.append({(one.name, one.labels): one.value for each in scrape.families for one in each.series()})
    return found


def test_a_falling_counter_falls_at_every_other_scrape():
    """The counter goes up and down while the process lives."""
    seen = [each["agent_claims_granted_total", ()] for each in _scrapes(_live(), "counter-decrease", 6)]
    assert all((late < early) == (turn % 2 == 0) for turn, (early, late) in enumerate(pairwise(seen)))


def test_a_generation_goes_back():
    """The configuration generation falls to the one before at every other scrape."""
    seen = [each["agent_config_generation", ()] for each in _scrapes(_live(), "generation-decrease", 4)]
    assert seen == [2, 1, 2, 1]


def test_a_frozen_body_never_changes():
    """Every scrape is the first one again, though the fleet goes on."""
    fleet = _live()
    first, *rest = _scrapes(fleet, "frozen-body", 5)
    assert all(each == first for each in rest)
    fleet.mutate(None)
    reply = fleet.scrape(0)
    assert reply is not None
    assert reply.body != b""
    assert _BY_SLUG["frozen-body"].slug not in fleet.mutants().values()


def test_a_churning_series_is_never_the_same():
    """Each scrape has a series that none before it had, and lacks the last one's."""
    fleet = _live()
    strange = [
        {key for key in each if key[0].startswith("acme")} for each in _scrapes(fleet, "label-churn", 5)
    ]
    assert all(len(each) == 1 for each in strange)
    assert len(set.union(*strange)) == 5


def test_a_mutant_may_be_for_one_agent():
    """The others stay sound, and switching it off makes all of them sound."""
    fleet = _live()
    fleet.mutate(_BY_SLUG["flag-value"], [1])
    assert fleet.mutants() == {1: "flag-value"}
    sound, broken = fleet.scrape(0), fleet.scrape(1)
    assert sound is not None
    assert broken is not None
    assert run(parse(sound.body), registry()) == ()
    assert {finding.slug for finding in run(parse(broken.body), registry())} == {"flag-value"}
    fleet.mutate(None)
    assert fleet.mutants() == {}


def test_a_rule_of_the_other_format_cannot_be_broken():
    """A mutant that exists only in OpenMetrics is refused in text, with a remedy."""
    with pytest.raises(UsageError, match="does not exist in this format"):
        _live().mutate(_BY_SLUG["missing-eof"])


def test_a_registry_without_a_victim_is_said():
    """On a registry without flags there is no flag to break."""
    text = (
        '{"metrics_schema": "1.0", "prefix": {"neutral": "acme_"}, "metrics": [{"name": "acme_jobs_total", '
        '"type": "counter", "labels": [], "unit": "1", "help": "Jobs.", "status": "stable", '
        '"autoscaling_signal": false, "cost_signal": false}]}'
    )
    fleet = LiveFleet(world(), Settings(private(text)), lambda: 0.0)
    with pytest.raises(UsageError, match="the registry has no flag"):
        fleet.mutate(_BY_SLUG["flag-value"])
    fleet.mutate(_BY_SLUG["type-in-name"])
    reply = fleet.scrape(0)
    assert reply is not None
    assert b"other_queue_gauge" in reply.body


def test_a_mutant_leaves_the_fleet_as_it_was():
    """The figures of a body that is broken elsewhere are those of the sound one."""
    body = _body()
    broken = parse(mutated(body, _BY_SLUG["camel-case"], Settings(registry())).body)
    found = {(one.name, one.labels): one.value for each in broken.families for one in each.series()}
    assert values(body).items() <= found.items()
