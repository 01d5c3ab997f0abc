"""A run's figures and log as text, JSON and CSV."""

from __future__ import annotations

import csv
import io
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, NamedTuple

from obs.sim.durations import readable
from obs.sim.outcome import Outcome, Row, Summary

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from obs.sim.keda import ScaledObject

SIMPLIFICATIONS = (
    "nodes neither come nor go: no cluster autoscaler, no image pull",
    "every pod takes the same time to start, unless a slow-start fault says otherwise",
    "the API server and the controllers answer at once; the HPA syncs every 15s without jitter",
    "waiting events are spread evenly over the pods; a task counts as one sub-agent",
    "an interrupted task starts again from the beginning",
)


class Figure(NamedTuple):
    """One line of the summary: its name for people, and how its value reads."""

    label: str
    show: Callable[[Summary], str]


FIGURES = (
    Figure("items", lambda s: f"{s.items} ({s.done} done, {s.in_flight} in work, {s.left} left)"),
    Figure("wait p50", lambda s: readable(s.p50_wait)),
    Figure("wait p95", lambda s: readable(s.p95_wait)),
    Figure("wait p99", lambda s: readable(s.p99_wait)),
    Figure("wait max", lambda s: readable(s.max_wait)),
    Figure("waits over the objective", lambda s: f"{s.slo_misses} ({s.slo_miss_percent:.1f} %)"),
    Figure("cold starts", lambda s: str(s.cold_starts)),
    Figure("longest with work at zero", lambda s: readable(s.stranded)),
    Figure("interrupted tasks", lambda s: str(s.interrupted)),
    Figure("wasted work", lambda s: readable(s.wasted)),
    Figure("changes of replicas", lambda s: f"{s.changes} (flaps: {s.flaps})"),
    Figure("most replicas", lambda s: str(s.peak_replicas)),
    Figure("time at the maximum", lambda s: readable(s.at_max)),
    Figure("replica-seconds", lambda s: f"{s.replica_seconds} ({s.idle_replica_seconds} idle)"),
    Figure("time on fallback", lambda s: readable(s.fallback_seconds)),
    Figure("cost", lambda s: f"{s.cost:.2f}"),
)


def summary_table(columns: Sequence[tuple[str, Summary]]) -> str:
    """Return the figures of one or several runs side by side."""
    rows = [("", *(name for name, _ in columns))]
    rows += [(figure.label, *(figure.show(summary) for _, summary in columns)) for figure in FIGURES]
    widths = [max(len(row[index]) for row in rows) for index in range(len(rows[0]))]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    ]
    return "\n".join(lines) + "\n"


def why_log(outcome: Outcome) -> str:
    """Return a line for every change of the replicas: when, from what to what, the rule, and its sentence."""
    lines = [
        f"{change.time:>7}s  {change.before:>3} -> {change.after:<3}  {change.rule:<24}  {change.text}"
        for change in outcome.changes
    ]
    return "\n".join(lines) + "\n" if lines else "the replicas never changed\n"


def simplifications() -> str:
    """Return what the model leaves out, a line each."""
    return "".join(f"simplification: {line}\n" for line in SIMPLIFICATIONS)


def timeline_csv(scaled: ScaledObject, outcome: Outcome) -> str:
    """Return one row an HPA sync; the metric columns are named after their triggers, empty where unreadable."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    plain = [name for name in Row._fields if name not in {"metrics", "reason"}]
    writer.writerow([*plain, *(f"metric {trigger.name}" for trigger in scaled.triggers), "reason"])
    for row in outcome.rows:
        metrics = ["" if value is None else f"{value:g}" for value in row.metrics]
        writer.writerow([*(getattr(row, name) for name in plain), *metrics, str(row.reason)])
    return out.getvalue()


def as_json(scaled: ScaledObject, outcome: Outcome, *, timeline: bool) -> dict[str, Any]:
    """Return a run as plain values: the summary, the changes, and with `timeline` every row."""
    found: dict[str, Any] = {
        "scaled_object": scaled.name,
        "summary": {
            **asdict(outcome.summary),
            "slo_miss_percent": round(outcome.summary.slo_miss_percent, 3),
        },
        "changes": [{**change._asdict(), "rule": str(change.rule)} for change in outcome.changes],
        "simplifications": list(SIMPLIFICATIONS),
    }
    if timeline:
        found["triggers"] = [trigger.name for trigger in scaled.triggers]
        found["timeline"] = [
            {**row._asdict(), "metrics": list(row.metrics), "reason": str(row.reason)} for row in outcome.rows
        ]
    return found
