"""Each scenario of `obs emit` through a real Prometheus and a real Alertmanager to whoever is told.

Everything is generated from one obs.yaml: rules, scrape configuration and Alertmanager configuration. The test adds
what only this machine knows: targets, the platform's scrape jobs, and addresses. Time is sixty times as fast as life
(`play.SPEED`), for the fleets and for the rules alike.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.e2e import play
from tests.e2e.stack import running
from tests.home import REPO, sources


@dataclass(frozen=True)
class Row:
    """What a fleet's scenario brings: told while it lasts, told only afterwards, and silenced by another alert.

    `late` are those of `told` that begin by chance, so that word of them may come when the scenario has just ended.
    """

    told: frozenset[str] = frozenset()
    afterwards: frozenset[str] = frozenset()
    silenced: frozenset[str] = frozenset()
    late: frozenset[str] = frozenset()


def _row(told: str = "", afterwards: str = "", silenced: str = "", late: str = "") -> Row:
    return Row(
        *(frozenset(f"Agent{name}" for name in names.split()) for names in (told, afterwards, silenced, late))
    )


_OUTAGE = "IntelAllDown FleetNotReady EventsNotRouted McpFirstFailure McpServerFailing"
_STUCK = "Saturated ReactorStalled SubagentsStuck SubagentRestarts"
_CRASHES = "Down CrashLooping Restarting RestartStorm"
_BUDGET = (
    "BudgetRefused RefusalsHigh LimitsHit RunsFailingSteadily RunsFailingSlowly TokenBurn TokensPerRunJump"
)

TABLE = {
    "claim-steady": _row(),
    "reactive-steady": _row(),
    "claim-burst": _row(),  # a minute of too much work is what the backlog is for
    "reactive-burst": _row(),
    "claim-idle": _row(),
    "reactive-idle": _row(),
    "claim-draining": _row(),  # nothing is cut short, and never more than one agent is away
    "reactive-draining": _row(),
    "claim-intel-outage": _row(
        f"{_OUTAGE} BacklogStuck FleetAtMaximum",
        # with nothing done at all there is no pace to reckon with, until the first items are
        afterwards="BacklogSlow",
        silenced="IntelDown IntelErrors NotReady ReactionLag",
    ),
    "reactive-intel-outage": _row(
        _OUTAGE,
        # events that waited are still waiting when the outage that silenced it is over
        afterwards="ReactionLag",
        silenced="IntelDown IntelErrors NotReady",
    ),
    "claim-stuck": _row(f"{_STUCK} BacklogStuck FleetAtMaximum", afterwards="BacklogSlow"),
    "reactive-stuck": _row(f"{_STUCK} ReactionLag"),
    # an agent counts as down when a scrape falls into its seconds of starting over, again and again
    "claim-crashloop": _row(f"{_CRASHES} BacklogSlow FleetAtMaximum", late="Down"),
    "reactive-crashloop": _row(_CRASHES, late="Down"),
    "claim-claim-contention": _row("ClaimsLost"),
    "claim-budget-exhaustion": _row(_BUDGET),
    "reactive-budget-exhaustion": _row(_BUDGET),
}

NOT_PLAYED = {
    "AgentAutoscalerUnable": "synthetic autoscalers can always scale",
    "AgentBudgetNearlySpent": "asks for a metric of a later registry",
    "AgentCardinalityOverBudget": "synthetic agents stay within their budget",
    "AgentCheckerDown": "no sidecar runs in this test",
    "AgentContractBroken": "no sidecar runs in this test",
    "AgentContractUnchecked": "no sidecar runs in this test",
    "AgentDrainForced": "synthetic agents finish their runs within the drain timeout",
    "AgentExitsForGood": "synthetic crashes have exit code 1, which a restart may cure",
    "AgentFallbackActive": "synthetic KEDA always has an answer",
    "AgentFleetAbsent": "no scenario takes all agents away for as long",
    "AgentFleetNotStarting": "no scenario takes all agents away for as long",
    "AgentFleetStrandedAtZero": "the synthetic fleets have a fixed number of replicas",
    "AgentGenerationDrift": "synthetic agents reload within seconds of each other",
    "AgentIntelAuthErrors": "no scenario revokes a credential",
    "AgentMemoryNearLimit": "the memory of synthetic agents follows their runs and stays far from the limit",
    "AgentMetricMissing": "synthetic agents expose all of the contract",
    "AgentOutOfMemory": "synthetic crashes are errors",
    "AgentPausedTooLong": "no scenario pauses agents",
    "AgentReloadRejected": "every synthetic configuration is accepted",
    "AgentRunsCrashing": "an outage ends the runs in flight and no others",
    "AgentRunsFailingFast": "no scenario fails three runs of four for an hour",
    "AgentRunsStalling": "stuck runs never end, so none is counted as stalled",
    "AgentScalerBlind": "synthetic KEDA always has an answer",
    "AgentScalerErrors": "synthetic KEDA always has an answer",
    "AgentShardMissing": "no fleet here is sharded",
    "AgentShardSkipsJump": "no fleet here is sharded",
    "AgentSubagentLeak": "synthetic subagents end",
    "AgentTrifectaRefused": "no scenario asks for the trifecta",
    "AgentUnknownValue": "synthetic agents know all words of the registry",
}
"""Alerts that no scenario raises, and why. The unit tests of the rules fire every one of them."""


def test_every_alert_is_in_the_table_or_has_a_reason():
    """An alert that is new, renamed or gone shows here before anything is started."""
    rows = TABLE.values()
    played = {name for row in rows for names in (row.told, row.afterwards, row.silenced) for name in names}
    known = {alert.name for group in sources().alerts for alert in group.alerts}
    assert set(TABLE) == {name for name, _ in play.fleets()}
    assert played.isdisjoint(NOT_PLAYED)
    assert played | set(NOT_PLAYED) == known


def test_the_table_is_in_the_docs():
    """docs/alerts.md shows users the same table."""
    page = (REPO / "docs" / "alerts.md").read_text()
    missing = [line for name, scenario in play.fleets() if (line := _documented(name, scenario)) not in page]
    assert missing == []


def _documented(name: str, scenario: str) -> str:
    """Return a row as the page shows it; alerts are named without their common first word."""
    row, mode = TABLE[name], name.partition("-")[0]
    cells = [
        ", ".join(sorted(one.removeprefix("Agent") for one in names)) or "none"
        for names in (row.told, row.silenced, row.afterwards)
    ]
    return " | ".join((f"| {scenario}", mode, *cells)) + " |"


@pytest.mark.tools
@pytest.mark.slow
@pytest.mark.timeout(900)
def test_every_scenario_fires_what_its_row_says_and_resolves(tmp_path):
    """Exactly the row's alerts are told, those that another silences are not, all resolve, and health is silent.

    The fleets are seeded, the clocks of five processes are not: what an unlucky scrape misses is played once more.
    A defect misses twice.
    """
    misses = _played(tmp_path / "first")
    if misses:
        misses = sorted({*misses} & {*_played(tmp_path / "second")})
    assert not misses, "\n".join(misses)


def _played(folder: Path) -> list[str]:
    """Play every scenario once and return what differs from the table."""
    folder.mkdir()
    with running(folder, play.config(), agents=play.AGENTS * len(play.fleets()), speed=play.SPEED) as stack:
        seen = play.play(stack)
    misses = [f"fired in health: {fleet} {alert}" for fleet, alert in sorted(seen.early)]
    return misses + [
        f"{fleet}: {what} {alert}"
        for fleet in sorted({*TABLE, *seen.fired, *seen.told, *seen.unresolved})
        for what, found in _compared(TABLE.get(fleet, Row()), seen, fleet)
        for alert in sorted(found)
    ]


def _compared(row: Row, seen: play.Seen, fleet: str) -> list[tuple[str, frozenset[str] | set[str]]]:
    """Return every kind of difference between a row and what was seen of its fleet."""
    told, afterwards = seen.told[fleet], seen.afterwards[fleet]
    quiet = seen.fired[fleet] - told - afterwards
    return [
        ("was not told of", row.told - told - (row.late & afterwards)),
        ("was told of", told - row.told),
        ("was not told afterwards of", row.afterwards - afterwards),
        ("was told afterwards of", afterwards - row.afterwards - row.late),
        ("was not silenced", row.silenced - quiet),
        ("fired and nobody was told of", quiet - row.silenced),
        ("was never seen inhibited", row.silenced - seen.silenced[fleet]),
        ("did not resolve", seen.unresolved[fleet]),
        ("told the wrong receiver of", seen.astray[fleet]),
    ]
