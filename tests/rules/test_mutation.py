"""A sample of mutants: what somebody breaks in a rule, its unit tests notice."""

from __future__ import annotations

import pytest

from benchmarks.mutation_rules import all_mutants

EVERY = 13
"""Each thirteenth mutant; `python -m benchmarks.mutation_rules` runs them all."""


@pytest.mark.slow
@pytest.mark.tools
def test_a_sample_of_mutants_is_killed(tmp_path):
    """At least 95 of 100."""
    chosen = list(all_mutants(tmp_path))[::EVERY]
    alive = [
        str(mutant)
        for number, (bench, mutant) in enumerate(chosen)
        if bench.survives(mutant, tmp_path / str(number))
    ]
    assert len(chosen) > 20
    assert len(alive) <= len(chosen) * 0.05, alive
