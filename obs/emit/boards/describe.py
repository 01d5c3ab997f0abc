"""Words for people: titles, descriptions, legends, and what the values of flags and statuses mean."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from obs.emit.boards.panel import MAX_DESCRIPTION, MAX_TITLE, Step, Words, cut
from obs.model.metric import Kind, Metric, Status, Unit

PLACES = ("cluster", "namespace")
"""Labels that say where something is: two clusters may have an instance or a fleet of the same name."""

INSTANCE = (*PLACES, "instance")
FLEET = (*PLACES, "fleet")

_EXPANDED = {"instance": INSTANCE, "fleet": FLEET}

GOOD, BAD, NEUTRAL = "green", "red", "blue"

_COLOURS = {
    "completed": GOOD,
    "applied": GOOD,
    "started": "blue",
    "cancelled": "purple",
    "refused": "orange",
    "rejected": "orange",
    "exhausted_steps": "yellow",
    "exhausted_tokens": "light-yellow",
    "deadline": "super-light-orange",
    "loop_detected": "dark-orange",
    "stalled": "dark-red",
    "stuck": "dark-red",
    "crashed": BAD,
    "forced": BAD,
    "kill": BAD,
    "critical": BAD,
    "error": BAD,
    "warning": "orange",
    "info": "blue",
    "other": "text",
}
"""One colour for one status on every board: good is green, a defect red, a refusal orange, a limit yellow."""


def expand(by: Sequence[str]) -> tuple[str, ...]:
    """Return the labels to group by: an instance or a fleet is told apart by its place too."""
    found: list[str] = []
    for label in by:
        found += [part for part in _EXPANDED.get(label, (label,)) if part not in found]
    return tuple(found)


def legend(by: Sequence[str], name: str = "") -> str:
    """Return Grafana's legend format for series that carry the labels `by`, `name` before them if there is one.

    Places come last: where nothing sets them, nothing is missing in front.
    """
    labels = [label for label in by if label not in PLACES]
    labels += [label for label in reversed(PLACES) if label in by]
    return " ".join([*([name] if name else []), *(f"{{{{{label}}}}}" for label in labels)])


def colours(values: Iterable[str], name: str = "") -> tuple[tuple[str, str], ...]:
    """Return (legend, colour) of the label values that have a colour of their own."""
    return tuple((f"{name} {value}".strip(), _COLOURS[value]) for value in values if value in _COLOURS)


def flag_words(metric: Metric) -> tuple[Words, ...]:
    """Return the words for 0 and 1 of a flag."""
    if metric.unit is not Unit.BOOL:
        return ()
    healthy = metric.semantics.healthy
    return tuple(
        Words(value, text, NEUTRAL if healthy is None else GOOD if value == healthy else BAD)
        for value, text in ((0, "no"), (1, "yes"))
    )


def flag_steps(metric: Metric) -> tuple[Step, ...]:
    """Return the colours of a flag for panels that draw by threshold."""
    words = flag_words(metric)
    return (Step(None, words[0].colour), Step(1, words[1].colour))


def title(metric: Metric, by: Sequence[str], *, growth: bool = False, per: str = "second") -> str:
    """Return a panel's title for a metric: what it is, how it counts, how it is split."""
    text = metric.semantics.title
    if growth:
        text += " in the time range"
    elif metric.kind is Kind.COUNTER:
        text += f" per {per}"
    if by:
        text += " by " + " and ".join(by)
    return cut(text, MAX_TITLE)


def description(conclude: str, metrics: Sequence[Metric], notes: Iterable[str] = ()) -> str:
    """Return a panel's description: what to conclude, what is normal, what to do, and which metrics it shows."""
    parts = [conclude] if conclude else []
    if len(metrics) == 1:
        semantics = metrics[0].semantics
        parts.append(metrics[0].help)
        parts += [f"Normal: {semantics.normal}"] if semantics.normal else []
        parts += [f"Otherwise: {semantics.act}"] if semantics.act else []
    parts += notes
    names = ", ".join(f"`{metric.name}`" for metric in dict.fromkeys(metrics))
    tail = f"Metrics: {names}" if names else ""
    text = cut("\n\n".join(part for part in parts if part), MAX_DESCRIPTION)
    return f"{text}\n\n{cut(tail, MAX_DESCRIPTION // 2)}" if tail and text else text or tail


def status_note(metric: Metric) -> str:
    """Return what a reader must know of a metric that is not stable; empty for a stable one."""
    if metric.status is Status.PROVISIONAL:
        return "Provisional: declared in the registry, not emitted by the reference agent."
    if metric.status is Status.LEGACY:
        successor = metric.semantics.replaced_by
        return f"Legacy: prefer `{successor}`." if successor else "Legacy: the registry names no replacement."
    return ""
