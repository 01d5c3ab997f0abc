"""A Prometheus that is none: it answers every question with two series, so that a page has something to draw."""

from __future__ import annotations

import math

from obs.preview.clock import Range
from obs.preview.frames import Answer
from obs.preview.label_values import LabelQuestion
from obs.preview.picture import Question

NOW = 1_767_225_600.0


class StandIn:
    """Answers from arithmetic, and remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[Question] = []
        self.labels: list[LabelQuestion] = []

    def ask_all(self, questions: tuple[Question, ...]) -> dict[Question, Answer]:
        """Return two waves for each question; a question that names `broken` fails."""
        self.asked += questions
        return {question: self._answer(question) for question in questions}

    def label_values(self, question: LabelQuestion, span: Range) -> tuple[str, ...]:
        """Return two values of every label."""
        del span
        self.labels.append(question)
        return (f"{question.label}-1", f"{question.label}-2")

    def _answer(self, question: Question) -> Answer:
        if "broken" in question.expr:
            return Answer(error="parse error: <b>broken</b>")
        if not question.step:
            points: tuple[tuple[float, float], ...] = ((question.span.end, 1.0),)
        else:
            count = round(question.span.seconds / question.step) + 1
            times = [question.span.start + index * question.step for index in range(count)]
            points = tuple((moment, abs(math.sin(moment / 300))) for moment in times)
        return Answer(tuple(({"instance": f"i{n}", "namespace": "agents"}, points) for n in (1, 2)))
