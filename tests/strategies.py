"""Random registries of the published shape."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

WORD = st.from_regex(r"[a-z][a-z0-9_]{0,10}", fullmatch=True)
PREFIXES = st.sampled_from(["agent_", "acme_", "x_", "Bot_"])
VALUES = st.one_of(
    st.from_regex(r"[a-z0-9][a-z0-9_.-]{0,12}", fullmatch=True),
    st.sampled_from(
        [
            "5xx",
            'say "hi"',
            "back\\slash",
            "a|b",
            "$1",
            "{{ x }}",
            "in",
            "on",
            "no",
            "1e3",
            "ünïcode",
            "(",
            "*",
        ]
    ),
)
HELPS = st.one_of(
    st.just("What is counted."), st.text(min_size=1, max_size=60).filter(lambda text: bool(text.strip()))
)
UNITS = st.sampled_from(["1", "ms", "bytes", "bool", "ratio", "1/s"])
STATUSES = st.sampled_from(["stable", "stable", "stable", "legacy", "provisional"])
LABEL_KEYS = st.one_of(
    st.sampled_from(["status", "type", "reason", "server", "limit", "phase", "result", "signal"]), WORD
)


@st.composite
def domains(draw: st.DrawFn) -> dict[str, list[str]]:
    """A few closed domains, each ending in the overflow value."""
    found: dict[str, list[str]] = {}
    for name in draw(st.lists(WORD, max_size=4, unique=True)):
        values = draw(st.lists(VALUES, min_size=0, max_size=6, unique=True))
        found[name] = [value for value in values if value != "other"] + ["other"]
    if draw(st.booleans()):
        found["token_type"] = ["in", "out"]
    return {name: values for name, values in found.items() if name not in ("open", "open_bounded")}


@st.composite
def metrics(draw: st.DrawFn, prefix: str, known: list[str], name: str) -> dict[str, Any]:
    """One record."""
    kind = draw(st.sampled_from(["counter", "gauge", "histogram"]))
    full = prefix + name.removesuffix("_total")
    full += "_total" if kind == "counter" else ""
    keys = draw(st.lists(LABEL_KEYS, max_size=3, unique=True))
    return {
        "name": full,
        "neutral_name": full,
        "type": kind,
        "labels": [
            {"key": key, "domain": draw(st.sampled_from([*known, "open", "open_bounded"]))} for key in keys
        ],
        "unit": draw(UNITS),
        "help": draw(HELPS),
        "status": draw(STATUSES),
        "autoscaling_signal": draw(st.booleans()),
        "cost_signal": draw(st.booleans()),
    }


WELL_KNOWN = (
    *("up", "ready", "paused", "runs_total", "tokens_total", "saturation", "pending_events"),
    *("inflight_reactions", "reaction_lag_ms", "intel_up", "intel_all_down", "intel_errors_total"),
    *("config_generation", "memory_max_bytes", "drains_total"),
)
"""Names that boards and alerts know, here with any type, labels and unit."""

NAMES = st.one_of(WORD, st.sampled_from(WELL_KNOWN))


@st.composite
def registries(draw: st.DrawFn) -> dict[str, Any]:
    """A registry whose lists agree with its flags; names may still clash, which must be refused."""
    prefix = draw(PREFIXES)
    closed = draw(domains())
    names = draw(st.lists(NAMES, min_size=1, max_size=12, unique=True))
    records = [draw(metrics(prefix, sorted(closed), name)) for name in names]
    return {
        "metrics_schema": f"1.{draw(st.integers(0, 9))}",
        "x-contract-version": "2.0",
        "prefix": {"neutral": prefix},
        "closed_label_domains": closed,
        "autoscaling_signal_subset": sorted({r["name"] for r in records if r["autoscaling_signal"]}),
        "cost_token_subset": sorted({r["name"] for r in records if r["cost_signal"]}),
        "metrics": records,
        "x-unknown": draw(st.one_of(st.none(), st.integers(), st.text(max_size=5))),
    }
