"""What can be the matter with a fleet, and what it does to load and agents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from obs.synth.chance import Weights


class Scenario(StrEnum):
    """What an agent is going through; the value is the name on the command line."""

    STEADY = "steady"
    BURST = "burst"
    IDLE = "idle"
    DRAINING = "draining"
    INTEL_OUTAGE = "intel-outage"
    STUCK = "stuck"
    CRASHLOOP = "crashloop"
    CLAIM_CONTENTION = "claim-contention"
    BUDGET_EXHAUSTION = "budget-exhaustion"


MEANING: Mapping[Scenario, str] = MappingProxyType(
    {
        Scenario.STEADY: "about 60 % of the capacity is in use, and nearly all runs complete",
        Scenario.BURST: "one minute in three brings twice the work the fleet can do",
        Scenario.IDLE: "no work arrives; counters stand still",
        Scenario.DRAINING: "agents drain one after the other, as in a deployment, and start over",
        Scenario.INTEL_OUTAGE: "no intelligence endpoint answers; agents are not ready and work piles up",
        Scenario.STUCK: "work is taken and never finished; the reactor stalls",
        Scenario.CRASHLOOP: "processes die within a minute, stay away for longer each time, and count from zero",
        Scenario.CLAIM_CONTENTION: "replicas take the same items; most claims are lost",
        Scenario.BUDGET_EXHAUSTION: "token budgets are used up: runs end early and new ones are refused",
    }
)
"""One sentence a scenario, for `--help` and the docs."""

_STEADY_OUTCOMES: Weights = (
    ("completed", 0.94),
    ("refused", 0.014),
    ("exhausted_steps", 0.012),
    ("exhausted_tokens", 0.006),
    ("deadline", 0.008),
    ("stalled", 0.003),
    ("loop_detected", 0.003),
    ("cancelled", 0.008),
    ("crashed", 0.006),
)
_OUTAGE_OUTCOMES: Weights = (("crashed", 0.8), ("stalled", 0.1), ("deadline", 0.1))
_BUDGET_OUTCOMES: Weights = (("completed", 0.15), ("exhausted_tokens", 0.6), ("refused", 0.25))
_INTEL_ERRORS: Weights = (("timeout", 0.5), ("5xx", 0.35), ("unreachable", 0.15))
_OUTAGE_ERRORS: Weights = (("unreachable", 0.8), ("timeout", 0.2))
_REFUSALS: Weights = (("rate", 0.5), ("depth", 0.25), ("mcp", 0.25))
_BUDGET_REFUSALS: Weights = (("budget", 0.97), ("rate", 0.03))


@dataclass(frozen=True, slots=True)
class Conditions:
    """What a scenario makes of one tick of one agent.

    `demand` is a factor on the normal arrival of work; `outcomes` are the weights of a run's status;
    `intel_error_share` is the share of intelligence calls that fail, for the reasons weighted in `intel_errors`;
    `refusals` weighs the reasons of a refused run; `progress` says whether anything finishes; `lost_per_claim` is how
    many claims are lost for each one won; `intelligence` says whether an endpoint answers; `budget` says whether
    the token budget lasts; `thirst` is a factor on the tokens of a call.
    """

    demand: float = 1.0
    outcomes: Weights = _STEADY_OUTCOMES
    intel_error_share: float = 0.004
    intel_errors: Weights = _INTEL_ERRORS
    refusals: Weights = _REFUSALS
    progress: bool = True
    lost_per_claim: float = 0.06
    intelligence: bool = True
    budget: bool = True
    thirst: float = 1.0


BURST_EVERY, BURST_LENGTH, BURST_OFFSET = 180.0, 60.0, 80.0  # seconds; a warm world is soon in a burst

_CONDITIONS: Mapping[Scenario, Conditions] = MappingProxyType(
    {
        Scenario.STEADY: Conditions(),
        Scenario.IDLE: Conditions(demand=0.0),
        Scenario.DRAINING: Conditions(demand=0.8),
        Scenario.INTEL_OUTAGE: Conditions(
            outcomes=_OUTAGE_OUTCOMES,
            intel_error_share=1.0,
            intel_errors=_OUTAGE_ERRORS,
            intelligence=False,
        ),
        Scenario.STUCK: Conditions(progress=False),
        Scenario.CRASHLOOP: Conditions(),
        Scenario.CLAIM_CONTENTION: Conditions(lost_per_claim=4.0),
        Scenario.BUDGET_EXHAUSTION: Conditions(
            outcomes=_BUDGET_OUTCOMES, refusals=_BUDGET_REFUSALS, budget=False, thirst=12.0
        ),
    }
)


def conditions(scenario: Scenario, time: float) -> Conditions:
    """Return what `scenario` means at `time` (seconds of model time)."""
    if scenario is Scenario.BURST:
        return Conditions(demand=3.0 if (time + BURST_OFFSET) % BURST_EVERY < BURST_LENGTH else 0.2)
    return _CONDITIONS[scenario]
