"""Budgets: conditions on a run's figures that decide an exit code, such as `p95_wait<60s,interrupted==0`."""

from __future__ import annotations

import operator
import re
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import TYPE_CHECKING

from obs.documents.suggest import did_you_mean
from obs.errors import Problem, UsageError
from obs.sim.durations import seconds
from obs.sim.outcome import Summary

if TYPE_CHECKING:
    from collections.abc import Callable

_OPERATORS: MappingProxyType[str, Callable[[float, float], bool]] = MappingProxyType(
    {
        "<=": operator.le,
        ">=": operator.ge,
        "==": operator.eq,
        "!=": operator.ne,
        "<": operator.lt,
        ">": operator.gt,
    }
)
_FORM = re.compile(r"\s*(\w+)\s*(<=|>=|==|!=|<|>)\s*([\w.]+)\s*")

FIGURES = (*(field.name for field in fields(Summary)), "slo_miss_percent")


@dataclass(frozen=True, slots=True)
class Condition:
    """One condition: a figure of the summary, a comparison, and a number (durations in seconds)."""

    figure: str
    sign: str
    bound: float
    text: str

    def holds(self, summary: Summary) -> bool:
        """Say whether a run keeps the condition."""
        return _OPERATORS[self.sign](getattr(summary, self.figure), self.bound)

    def verdict(self, summary: Summary) -> str:
        """Say in a line what was asked and what was seen."""
        word = "ok" if self.holds(summary) else "VIOLATED"
        return f"budget {self.text}: {word} ({self.figure} is {getattr(summary, self.figure):g})"


def parse(text: str) -> tuple[Condition, ...]:
    """Return the conditions of a comma separated list; raise UsageError with all that cannot be read."""
    conditions: list[Condition] = []
    problems: list[Problem] = []
    for part in filter(str.strip, text.split(",")):
        parsed = _condition(part)
        if isinstance(parsed, Problem):
            problems.append(parsed)
        else:
            conditions.append(parsed)
    if not conditions and not problems:
        problems.append(Problem("--budget", "there is no condition", "write one, as in `p95_wait<60s`"))
    if problems:
        raise UsageError(problems)
    return tuple(conditions)


def _condition(part: str) -> Condition | Problem:
    match = _FORM.fullmatch(part)
    if match is None:
        return Problem("--budget", f"`{part}` is no condition", "write FIGURE<NUMBER, as in `p95_wait<60s`")
    figure, sign, number = match.groups()
    if figure not in FIGURES:
        remedy = did_you_mean(figure, FIGURES) or f"figures: {', '.join(FIGURES)}"
        return Problem("--budget", f"there is no figure `{figure}`", remedy)
    try:
        bound = float(number)
    except ValueError:
        try:
            bound = seconds(number)
        except ValueError as error:
            return Problem("--budget", str(error))
    return Condition(figure, sign, bound, part.strip())
