"""`scalers/README.md`: what each fleet got and why, and what its workload has to do for it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from obs.checks.scaling.drain import DRAIN_MARGIN
from obs.emit.base import markdown_header
from obs.emit.docs import escape
from obs.emit.scaled_object import FALLBACK_BEHAVIOR_SINCE
from obs.model.artifact import Artifact, ArtifactKind
from obs.model.config import Fleet, ScalerKind
from obs.specs.durations import duration
from obs.specs.scaling import SCALED_MODES
from obs.specs.sources import Sources


class Row(NamedTuple):
    """One fleet: its file (empty: none), what is in it, and why."""

    fleet: Fleet
    path: str
    got: str
    why: str


def scalers_page(
    sources: Sources, rows: tuple[Row, ...], waived: tuple[tuple[str, str, str], ...]
) -> Artifact:
    """Return the page; `waived` are the rules (fleet, code, reason) that an operator switched off."""
    lines = [
        "# Scalers",
        "",
        markdown_header(sources),
        "",
        "| fleet | mode | what it got | why |",
        "|---|---|---|---|",
        *(f"| `{row.fleet.name}` | {row.fleet.mode} | {_got(row)} | {escape(row.why)} |" for row in rows),
        "",
        *_workloads(rows),
        *_notes(sources, rows),
        *_waived(waived),
    ]
    return Artifact(
        ArtifactKind.SCALERS,
        "scalers/README.md",
        ("\n".join(lines).rstrip() + "\n").encode(),
        summary="what each fleet got and why, and what its workload has to do for it",
    )


def _got(row: Row) -> str:
    return f"{row.got} (`{row.path}`)" if row.path else row.got


def _workloads(rows: tuple[Row, ...]) -> Iterator[str]:
    scaled = [row.fleet for row in rows if row.fleet.mode in SCALED_MODES and row.path]
    if not scaled:
        return
    yield from ("## What the workloads have to do", "")
    for fleet in scaled:
        least = fleet.drain_timeout + DRAIN_MARGIN
        given = f" (obs.yaml says {fleet.grace_period})" if fleet.grace_period is not None else ""
        yield (
            f"- {fleet.workload.kind} `{fleet.workload.name}`: no `spec.replicas`;"
            f" `terminationGracePeriodSeconds` {least} or more{given}. Tasks that take longer than the"
            f" {duration(fleet.drain_timeout)} of its drain are handed back when a pod goes."
        )
    yield (
        "- Where `spec.replicas` is set today, hand the field over before you drop it: removed by a plain apply it"
        " becomes 1. With Argo CD, ignore differences in `/spec/replicas` of these workloads."
    )
    yield ""


def _notes(sources: Sources, rows: tuple[Row, ...]) -> Iterator[str]:
    version = sources.config.kubernetes.keda_version
    notes = [
        f"`{row.fleet.name}`: no fallback, because KEDA does not start one while an external scaler cannot be reached."
        " Run two replicas of the scaler; the alert on a fleet stranded at zero covers the rest."
        for row in rows
        if row.path and row.fleet.scaler is ScalerKind.EXTERNAL_PUSH and row.fleet.mode in SCALED_MODES
    ]
    if version < FALLBACK_BEHAVIOR_SINCE:
        notes.append(
            f"KEDA {version[0]}.{version[1]} knows only a static fallback: during an outage of Prometheus a"
            " fleet is set to"
            " `fallback.replicas`, also when more of them are busy. 2.17 keeps the larger number."
        )
    if notes:
        yield from ("## Notes", "", *(f"- {note}" for note in notes), "")


def _waived(waived: tuple[tuple[str, str, str], ...]) -> Iterator[str]:
    if waived:
        yield from ("## Accepted in obs.yaml", "")
        yield from (f"- {code} for `{fleet}`: {escape(reason)}" for fleet, code, reason in waived)
        yield ""
