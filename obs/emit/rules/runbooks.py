"""A page for each alert: what it means, how to find out why, what to do. And one that lists them all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from obs.emit.base import markdown_header
from obs.emit.rules.settle import Alert, RuleSet
from obs.model.artifact import Artifact, ArtifactKind
from obs.specs.durations import duration
from obs.specs.sources import Sources
from obs.specs.thresholds import Threshold

FOLDER = "docs/runbooks"


def runbooks(rules: RuleSet, sources: Sources) -> Iterator[Artifact]:
    """Yield the page of every alert and the index."""
    known = {alert.rule.name for alert in rules.alerts}
    for alert in rules.alerts:
        lines = list(_page(alert, known, sources))
        yield Artifact(ArtifactKind.DOCS, f"{FOLDER}/{alert.rule.name}.md", _text(lines))
    yield Artifact(
        ArtifactKind.DOCS,
        f"{FOLDER}/README.md",
        _text(list(_index(rules, sources))),
        summary=f"what to do when an alert fires: {len(known)} runbooks, and which alerts were left out",
    )


def _text(lines: list[str]) -> bytes:
    return ("\n".join(lines).rstrip() + "\n").encode()


def _page(alert: Alert, known: set[str], sources: Sources) -> Iterator[str]:
    spec, rule = alert.spec, alert.rule
    yield from (f"# {rule.name}", "", markdown_header(sources), "", _first_sentence(alert), "")
    yield from ("| | |", "|---|---|", *_facts(alert, sources), "")
    yield from ("## Meaning", "", spec.meaning.strip(), "", "## Impact", "", spec.impact.strip(), "")
    yield from ("## Diagnose", "")
    for number, step in enumerate(alert.diagnose, 1):
        yield f"{number}. {step.say.strip()}"
        if step.query:
            yield from ("", *_fenced(step.query, "   "), "")
    yield from ("", "## Mitigate", "")
    yield from (f"- {step.strip()}" for step in spec.mitigate)
    yield from ("", "## The rule", "", *_fenced(alert.rules[0].expr), "")
    related = [name for name in spec.related if name in known]
    if related:
        yield from ("## Related", "", *(f"- [{name}]({name}.md)" for name in related), "")


def _first_sentence(alert: Alert) -> str:
    return alert.rule.annotations["summary"].replace("{{ $labels.", "`").replace(" }}", "`") + "."


def _facts(alert: Alert, sources: Sources) -> Iterator[str]:
    spec, rule = alert.spec, alert.rule
    yield f"| severity | {rule.labels['severity']} |"
    yield f"| who acts | {rule.labels['owner']} |"
    hold = f"for {duration(rule.hold)}" if rule.hold else "at once"
    keep = f", until {duration(rule.keep)} after it has passed" if rule.keep else ""
    yield f"| fires | {hold}{keep} |"
    names = [name for name in (spec.limit.name, spec.limit.burn) if name]
    for threshold in (sources.thresholds[name] for name in names if name in sources.thresholds):
        yield f"| threshold | {_threshold(threshold)} |"
    yield f"| board | `{spec.board}` |"
    if spec.inhibited_by:
        yield f"| silenced by | {', '.join(spec.inhibited_by)} |"


def _threshold(threshold: Threshold) -> str:
    return (
        f"`{threshold.name}` is {threshold.value:g} ({threshold.unit}), set under `thresholds:` of obs.yaml. "
        f"{threshold.meaning}"
    )


def _fenced(query: str, indent: str = "") -> Iterator[str]:
    yield from (f"{indent}```promql", *(indent + line for line in query.splitlines()), f"{indent}```")


def _index(rules: RuleSet, sources: Sources) -> Iterator[str]:
    yield from ("# Runbooks", "", markdown_header(sources), "")
    if rules.alerts:
        yield from ("| alert | severity | who acts | what it says |", "|---|---|---|---|")
        yield from (_row(alert) for alert in rules.alerts)
        yield ""
    yield from _left_out(rules.left_out)


def _row(alert: Alert) -> str:
    name, labels = alert.rule.name, alert.rule.labels
    return f"| [{name}]({name}.md) | {labels['severity']} | {labels['owner']} | {_first_sentence(alert)} |"


def _left_out(left_out: Iterable[tuple[str, str]]) -> Iterator[str]:
    rows = list(left_out)
    if rows:
        yield from (
            "## Left out with this configuration and registry",
            "",
            "| alert or record | why |",
            "|---|---|",
        )
        yield from (f"| {name} | {_cell(reason)} |" for name, reason in rows)


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())
