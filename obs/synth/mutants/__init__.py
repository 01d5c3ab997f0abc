"""Every mutant: for each check one change that breaks its rule and no other."""

from __future__ import annotations

from obs.synth.mutants.contract import CONTRACT
from obs.synth.mutants.lines import LINES
from obs.synth.mutants.overtime import OVER_TIME
from obs.synth.mutants.strangers import STRANGERS
from obs.synth.mutants.wholes import WHOLES

MUTANTS = (*WHOLES, *LINES, *CONTRACT, *STRANGERS, *OVER_TIME)
