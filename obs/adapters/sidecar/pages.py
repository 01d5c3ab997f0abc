"""What people and programs read besides metrics: /findings.json, and a plain page that explains the findings."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any

from obs.adapters.sidecar.state import TargetState
from obs.checks.manifest.negotiate import Stance
from obs.model.check import CheckDoc
from obs.model.finding import Finding, Severity
from obs.report.collapse import REPORT_LIMIT, shape_key
from obs.report.jsonreport import row
from obs.report.visible import encodable_json, visible

MOST_TARGETS = 2_000
"""Targets that are listed, those that are not conformant first; the others are counted."""

NAMED = 20
"""Targets that are named for one finding; the others are counted."""

_SHOWN = 200  # findings on the page for people


@dataclass(slots=True)
class Group:
    """The same finding on several targets: the first of them, and all their names."""

    finding: Finding
    targets: list[str] = field(default_factory=list)
    count: int = 0


def grouped(states: Sequence[TargetState]) -> list[Group]:
    """Return the current findings, each once, the worst first; those of the manifest are among them."""
    groups: dict[tuple[str, ...], Group] = {}
    for state in states:
        for finding in (*state.negotiation.findings, *(state.verdict.findings if state.verdict else ())):
            group = groups.setdefault(shape_key(finding), Group(finding))
            group.count += finding.count
            if not group.targets or group.targets[-1] != state.target.name:
                group.targets.append(state.target.name)
    return sorted(
        groups.values(),
        key=lambda one: (-one.finding.severity, -len(one.targets), one.finding.code, one.finding.subject),
    )


def findings_json(states: Sequence[TargetState], fail_on: Severity) -> bytes:
    """Return /findings.json: verdicts and findings, at most 1 MiB, saying what was left out."""
    ordered = _worst_first(states, fail_on)
    targets = [_target(state, fail_on) for state in ordered[:MOST_TARGETS]]
    document: dict[str, Any] = {
        "version": 1,
        "tool": "obs sidecar",
        "summary": _summary(states, fail_on),
        "targets": targets,
        "targets_left_out": max(0, len(states) - len(targets)),
        "findings": [],
        "findings_left_out": sum(state.verdict.left_out for state in states if state.verdict),
    }
    room = REPORT_LIMIT - len(_dump(document)) - 1024
    groups = grouped(states)
    for at, group in enumerate(groups):
        item = {
            **row(group.finding),
            "count": group.count,
            "targets": group.targets[:NAMED],
            "target_count": len(group.targets),
        }
        room -= len(_dump(item)) + 2
        if room < 0:
            document["findings_left_out"] += sum(rest.count for rest in groups[at:])
            break
        document["findings"].append(item)
    return _dump(document) + b"\n"


def _worst_first(states: Sequence[TargetState], fail_on: Severity) -> list[TargetState]:
    order = {False: 0, None: 1, True: 2}
    return sorted(states, key=lambda state: order[state.conformant(fail_on)])


def _summary(states: Sequence[TargetState], fail_on: Severity) -> dict[str, int]:
    verdicts = [state.conformant(fail_on) for state in states]
    return {
        "targets": len(states),
        "conformant": sum(verdict is True for verdict in verdicts),
        "not_conformant": sum(verdict is False for verdict in verdicts),
        "without_verdict": sum(verdict is None for verdict in verdicts),
    }


def _target(state: TargetState, fail_on: Severity) -> dict[str, Any]:
    verdict = state.verdict
    return {
        "target": state.target.name,
        "conformant": state.conformant(fail_on),
        "state": _state(state),
        "detail": state.detail[:200],
        "warm": verdict.warm if verdict else False,
        "contract": state.negotiation.contract,
        "metrics_schema": state.negotiation.schema,
        "series": verdict.series if verdict else None,
        "bytes": verdict.size if verdict else None,
    }


def _state(state: TargetState) -> str:
    """Return in a word what became of the target: how its last scrape ended, or why there was none."""
    if state.negotiation.stance is not Stance.SCRAPE:
        return {Stance.OFF: "serves no metrics", Stance.REFUSE: "refused"}[state.negotiation.stance]
    return state.outcome.value if state.outcome else "not yet scraped"


def _dump(document: Any) -> bytes:
    return json.dumps(encodable_json(document)).encode("ascii")


def page(
    states: Sequence[TargetState],
    fail_on: Severity,
    about: Mapping[str, str],
    explain: Callable[[str], CheckDoc | None],
) -> bytes:
    """Return the page for a person: targets, verdicts, and each finding with what it means and what to do.

    `about` is shown at the top; `explain` returns the documentation of a code.
    """
    summary = _summary(states, fail_on)
    groups = grouped(states)
    parts = [
        "<!doctype html><html lang=en><meta charset=utf-8><title>obs sidecar</title>",
        f"<style>{_STYLE}</style>",
        "<h1>obs sidecar</h1>",
        "<p>" + ", ".join(f"{_text(key)}: <b>{_text(value)}</b>" for key, value in about.items()) + "</p>"
        if about
        else "",
        f"<p>{summary['targets']} targets: {summary['conformant']} conformant, {summary['not_conformant']} not, "
        f"{summary['without_verdict']} without a verdict. <a href=/metrics>metrics</a> "
        "<a href=/findings.json>findings.json</a></p>",
        "<table><tr><th>target<th>verdict<th>last scrape<th>series<th>schema</tr>",
        *(_table_row(state, fail_on) for state in _worst_first(states, fail_on)[:MOST_TARGETS]),
        "</table><h2>Findings</h2>",
        *(_explained(group, explain) for group in groups[:_SHOWN]),
        "" if groups else "<p>None.</p>",
        f"<p>{len(groups) - _SHOWN} more in findings.json.</p>" if len(groups) > _SHOWN else "",
    ]
    return ("\n".join(part for part in parts if part) + "\n").encode("utf-8", "backslashreplace")


_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:70rem;padding:0 1rem}"
    "table{border-collapse:collapse}td,th{border:1px solid #999;padding:.2rem .6rem;text-align:left}"
    "pre{background:#f2f2f2;color:#111;padding:.5rem;overflow:auto}.error{color:#a00}.warning{color:#850}"
)


def _table_row(state: TargetState, fail_on: Severity) -> str:
    conformant = state.conformant(fail_on)
    verdict = {True: "conformant", False: "<b class=error>not conformant</b>", None: "no verdict"}[conformant]
    warming = " (warming up)" if state.verdict and not state.verdict.warm and conformant else ""
    detail = f": {_text(state.detail)}" if state.detail else ""
    series = str(state.verdict.series) if state.verdict else ""
    cells = [
        _text(state.target.name),
        verdict + warming,
        _state(state) + detail,
        series,
        _text(state.negotiation.schema),
    ]
    return "<tr>" + "".join(f"<td>{cell}" for cell in cells) + "</tr>"


def _explained(group: Group, explain: Callable[[str], CheckDoc | None]) -> str:
    finding = group.finding
    doc = explain(finding.code)
    targets = _some(group.targets)
    why = f"<details><summary>Why it matters</summary><p>{_text(doc.why)}</p></details>" if doc else ""
    excerpt = f"<pre>{_text(finding.excerpt)}</pre>" if finding.excerpt else ""
    return (
        f"<h3 class={finding.severity.word}>{_text(finding.code)} {_text(finding.slug)} ({finding.severity.word})</h3>"
        f"<p>{_text(finding.message)} <i>[{_text(targets)}]</i></p>{excerpt}<p>{_text(finding.remedy)}</p>{why}"
    )


def _some(names: Iterable[str]) -> str:
    every = list(names)
    more = f" and {len(every) - NAMED} more" if len(every) > NAMED else ""
    return ", ".join(every[:NAMED]) + more


def _text(value: str) -> str:
    return escape(visible(value))
