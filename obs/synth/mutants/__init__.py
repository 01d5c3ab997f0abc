"""Every mutant: for each check one change that breaks its rule and no other."""

from __future__ import annotations

from obs.synth.mutant import Mutant

MUTANTS: tuple[Mutant, ...] = ()
