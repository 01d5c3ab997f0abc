"""A board at one time, as plain values for the page: what to ask, and the answers put in their places."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from obs.preview.board import Annotation, Board, Panel, Section, Target, Variable
from obs.preview.clock import Range, aligned, step
from obs.preview.expand import Choice, choose, expand, in_query_string
from obs.preview.frames import Answer, Table, frame, series_name, table
from obs.preview.label_values import LabelQuestion, read_question

GRID = 24  # columns of a dashboard
PAGE_WIDTH = 1_240  # pixels that a full row is drawn with
ANNOTATION_POINTS = 300
MOST_EVENTS = 200  # marks of one annotation


@dataclass(frozen=True, slots=True)
class Question:
    """One query to Prometheus. `step` is 0 for an instant query at the end of `span`."""

    expr: str
    span: Range
    step: float


@dataclass(frozen=True, slots=True)
class Wish:
    """What a viewer wants to see: range as written and in seconds, variables by name, and which sections are open."""

    start: str
    end: str
    span: Range
    variables: Mapping[str, tuple[str, ...]]
    open_sections: frozenset[int]
    annotations: frozenset[str] | None = None


def choices(
    board: Board, wish: Wish, values_of: Callable[[LabelQuestion, Range], tuple[str, ...]]
) -> dict[str, Choice]:
    """Return each variable with its options, which `values_of` looks up; later ones depend on earlier ones."""
    found: dict[str, Choice] = {}
    for variable in board.variables:
        options = _options(variable, found, wish, values_of)
        found[variable.name] = choose(variable, options, wish.variables.get(variable.name))
    return found


def _options(
    variable: Variable,
    chosen: Mapping[str, Choice],
    wish: Wish,
    values_of: Callable[[LabelQuestion, Range], tuple[str, ...]],
) -> tuple[str, ...]:
    match variable.kind:
        case "datasource":
            return ("default",)
        case "query":
            question = read_question(expand(variable.query, chosen, wish.span, 60.0, 15.0))
            return tuple(sorted(values_of(question, wish.span))) if question else ()
        case "custom":
            return tuple(part.strip() for part in variable.query.split(",") if part.strip())
        case "constant" | "textbox":
            return (variable.query,)
        case "interval":
            return tuple(part.strip() for part in variable.query.split(",") if part.strip())
    return ()


def points_of(panel: Panel) -> int:
    """Return how many points a panel is drawn with: its own limit, or two pixels each."""
    width = (panel.raw.get("gridPos") or {}).get("w") or GRID
    return panel.max_points or max(60, int(PAGE_WIDTH * width / GRID / 2))


def questions_of(panel: Panel, chosen: Mapping[str, Choice], wish: Wish) -> tuple[Question, ...]:
    """Return what a panel asks, one question for each target."""
    every = step(wish.span.seconds, points_of(panel), panel.interval)
    span = aligned(wish.span, every)
    return tuple(
        Question(
            expand(target.expr, chosen, wish.span, every, panel.interval),
            span,
            0.0 if target.instant else every,
        )
        for target in panel.targets
    )


def annotation_question(annotation: Annotation, chosen: Mapping[str, Choice], wish: Wish) -> Question:
    """Return what an annotation asks."""
    every = step(wish.span.seconds, ANNOTATION_POINTS, 15.0)
    return Question(expand(annotation.expr, chosen, wish.span, every, 15.0), aligned(wish.span, every), every)


def shown_annotations(board: Board, wish: Wish) -> tuple[Annotation, ...]:
    """Return the annotations that are switched on: those of the wish, else those of the file."""
    if wish.annotations is None:
        return tuple(each for each in board.annotations if each.enabled)
    return tuple(each for each in board.annotations if each.name in wish.annotations)


def is_open(section: Section, wish: Wish) -> bool:
    """Return whether the panels of a section are asked for."""
    return not section.collapsed or section.id in wish.open_sections


def all_questions(board: Board, chosen: Mapping[str, Choice], wish: Wish) -> tuple[Question, ...]:
    """Return everything a board asks under a wish, each question once."""
    asked = [
        question
        for section in board.sections
        if is_open(section, wish)
        for panel in section.panels
        for question in questions_of(panel, chosen, wish)
    ]
    asked += [annotation_question(each, chosen, wish) for each in shown_annotations(board, wish)]
    return tuple(dict.fromkeys(asked))


def picture(
    board: Board, chosen: Mapping[str, Choice], wish: Wish, answers: Mapping[Question, Answer]
) -> dict[str, Any]:
    """Return the whole board as the page draws it."""
    shown = shown_annotations(board, wish)
    return {
        "uid": board.uid,
        "title": board.title,
        "description": board.description,
        "tags": list(board.tags),
        "from": wish.start,
        "to": wish.end,
        "start": wish.span.start,
        "end": wish.span.end,
        "refresh": board.refresh,
        "timezone": board.timezone,
        "variables": [_variable(choice) for choice in chosen.values()],
        "annotations": [
            _annotation(each, annotation_question(each, chosen, wish), answers, on=each in shown)
            for each in board.annotations
        ],
        "sections": [_section(section, chosen, wish, answers) for section in board.sections],
    }


def _annotation(
    annotation: Annotation, question: Question, answers: Mapping[Question, Answer], *, on: bool
) -> dict[str, Any]:
    events = _events(annotation, question, answers.get(question, Answer())) if on else []
    return {"name": annotation.name, "color": annotation.color, "on": on, "events": events}


def _variable(choice: Choice) -> dict[str, Any]:
    variable = choice.variable
    return {
        "name": variable.name,
        "label": variable.label,
        "multi": variable.multi,
        "includeAll": variable.include_all,
        "hidden": variable.hidden or variable.kind == "constant",
        "options": list(choice.options),
        "selected": list(choice.selected),
        "query": in_query_string(choice),
    }


def _events(annotation: Annotation, question: Question, answer: Answer) -> list[dict[str, Any]]:
    """Return the moments at which an annotation begins: a point after a step without one."""
    found = []
    for labels, points in answer.series:
        before = -math.inf
        for moment, _ in points:
            if moment - before > question.step * 1.5:
                found.append({"time": moment, "text": _filled(annotation.title, labels)})
            before = moment
    return sorted(found, key=lambda one: (one["time"], one["text"]))[:MOST_EVENTS]


def _filled(text: str, labels: Mapping[str, str]) -> str:
    return series_name(Target("A", "", text or "event", instant=False, table=False), labels)


def _section(
    section: Section, chosen: Mapping[str, Choice], wish: Wish, answers: Mapping[Question, Answer]
) -> dict[str, Any]:
    opened = is_open(section, wish)
    return {
        "id": section.id,
        "title": section.title,
        "open": opened,
        "count": len(section.panels),
        "panels": [_panel(panel, chosen, wish, answers) for panel in section.panels] if opened else [],
    }


def _panel(
    panel: Panel, chosen: Mapping[str, Choice], wish: Wish, answers: Mapping[Question, Answer]
) -> dict[str, Any]:
    questions = questions_of(panel, chosen, wish)
    said = [answers.get(question, Answer()) for question in questions]
    every = next((question.step for question in questions if question.step), 0.0)
    span = questions[0].span if questions else wish.span
    found: dict[str, Any] = {
        "raw": dict(panel.raw),
        "start": span.start,
        "end": span.end,
        "step": every,
        "exprs": [question.expr for question in questions],
        "errors": _errors(said),
        "frames": [],
    }
    if panel.kind == "table":
        found["table"] = _plain(table(panel.targets, said, panel.raw.get("transformations") or ()))
    else:
        found["frames"] = [
            frame(target, answer, span, every or 1.0)
            for target, answer in zip(panel.targets, said, strict=True)
        ]
    return found


def _errors(answers: Iterable[Answer]) -> list[str]:
    return sorted({answer.error for answer in answers if answer.error})


def _plain(made: Table) -> dict[str, Any]:
    return {"columns": list(made.columns), "rows": [list(row) for row in made.rows]}
