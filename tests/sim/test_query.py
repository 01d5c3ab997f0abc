"""What a trigger's query measures in the model, and what the model refuses."""

from __future__ import annotations

import math

import pytest

from obs.sim.query import QueryError, parse, parse_external
from obs.sim.signal import Bad, View, evaluate, reads_pods

BUSY = View(pending=7, claimed=5, loads=(4, 1, 0), capacity=4, lag_ms=9000)
EMPTY = View(pending=7, claimed=0, loads=(), capacity=4, lag_ms=9000)


@pytest.mark.parametrize(
    ("query", "busy", "empty"),
    [
        ("max(agentctl_coordination_pending{service='x'})", 7, 7),
        ("max(agentctl_coordination_pending) + max(agentctl_coordination_claimed)", 12, 7),
        ("agentctl_coordination_pending", 7, 7),
        ("sum(agent_pending_events) + sum(agent_inflight_reactions)", 12, Bad.EMPTY),
        ("max(agent_pending_events)", 3, Bad.EMPTY),
        ("min(agent_pending_events)", 2, Bad.EMPTY),
        ("sum(agent_saturation)", 1.25, Bad.EMPTY),
        ("avg(agent_saturation)", 1.25 / 3, Bad.EMPTY),
        ("count(agent_saturation)", 3, Bad.EMPTY),
        ("sum(agent_saturation) or vector(0)", 1.25, 0),
        ("max(agent_reaction_lag_ms) / 1000", 9, Bad.EMPTY),
        ("sum(agent_active_subagents) * 2 - 1", 9, Bad.EMPTY),
        ("agent_saturation", Bad.MANY, Bad.EMPTY),
        ("sum by (pod) (agent_saturation)", Bad.MANY, Bad.EMPTY),
        ("sum by (namespace) (agent_saturation)", 1.25, Bad.EMPTY),
        ("sum without (pod, instance) (agent_saturation)", 1.25, Bad.EMPTY),
        ("sum without (namespace) (agent_saturation)", Bad.MANY, Bad.EMPTY),
        ("(1 + 2) * 3", 9, 9),
        ("max(agentctl_coordination_pending) + agent_saturation", Bad.MANY, Bad.EMPTY),
    ],
)
def test_values(query: str, busy: float | Bad, empty: float | Bad) -> None:
    """A query has the value that Prometheus would return for this fleet, or the way in which it goes wrong."""
    signal = parse(query)
    assert evaluate(signal, BUSY) == (busy if isinstance(busy, Bad) else pytest.approx(busy))
    assert evaluate(signal, EMPTY) == (empty if isinstance(empty, Bad) else pytest.approx(empty))


def test_a_division_by_zero_is_no_number() -> None:
    """A division by zero gives what Prometheus calls NaN, never an exception."""
    value = evaluate(parse("max(agentctl_coordination_pending) / max(agentctl_coordination_claimed)"), EMPTY)
    assert isinstance(value, float)
    assert math.isnan(value)


@pytest.mark.parametrize(
    ("query", "message", "remedy"),
    [
        ("sum(agent_saturatoin)", "no metric `agent_saturatoin`", "did you mean `agent_saturation`?"),
        ("sum(", "not PromQL", "correct"),
        ("rate(agent_claims_lost_total[5m])", "not something the simulator can compute", "use sum"),
        ("topk(1, agent_saturation)", "`topk` is not modelled", "use sum"),
        ("sum(agent_pending_events + agent_inflight_reactions)", "over an expression", "sum(a) + sum(b)"),
        ("sum(agent_saturation) > 3", "operator `>`", "use + - * /"),
        ("max(agent_saturation offset 5m)", "reads the past", "drop `offset`"),
        ("max(up)", "no metric `up`", ""),
        ("", "not PromQL", "correct"),
    ],
)
def test_refusals(query: str, message: str, remedy: str) -> None:
    """A query that the model cannot follow is refused with the reason and a way out."""
    with pytest.raises(QueryError) as caught:
        parse(query)
    assert message in caught.value.message
    assert remedy in caught.value.remedy


def test_signals_of_an_external_scaler() -> None:
    """An external scaler reports pending items, or pending and claimed ones, and nothing else."""
    assert evaluate(parse_external("pending"), BUSY) == 7
    assert evaluate(parse_external("pending+claimed"), BUSY) == 12
    with pytest.raises(QueryError):
        parse_external("claims")


def test_a_private_prefix() -> None:
    """A private registry's metrics are known by its prefix; the coordination server keeps its own names."""
    query = "sum(acme_pending_events) + max(agentctl_coordination_pending)"
    assert evaluate(parse(query, "acme_"), BUSY) == 14
    with pytest.raises(QueryError, match="no metric `agent_saturation`"):
        parse("sum(agent_saturation)", "acme_")


def test_what_is_read_from_pods() -> None:
    """Only signals that need a pod to exist are told apart: they cannot wake a fleet."""
    assert reads_pods(parse("sum(agent_saturation) + 1"))
    assert not reads_pods(parse("max(agentctl_coordination_pending) + 1"))
