"""The formats of a report by the name that `--format` takes."""

from __future__ import annotations

from difflib import get_close_matches
from types import MappingProxyType
from typing import TYPE_CHECKING, Protocol

from obs.errors import Problem, UsageError
from obs.report import github, jsonreport, junit, sarif, text
from obs.report.collapse import prepared
from obs.report.view import View

if TYPE_CHECKING:
    from collections.abc import Mapping

    from obs.model.report import Report


class Renderer(Protocol):
    """What a format is: a prepared report and a view in, text out."""

    def __call__(self, report: Report, view: View) -> str:
        """Return the report in this format, ending in a newline."""
        ...


FORMATS: Mapping[str, Renderer] = MappingProxyType(
    {
        "text": text.render,
        "json": jsonreport.render,
        "sarif": sarif.render,
        "github": github.render,
        "junit": junit.render,
    }
)
"""Every format, the one for people first."""


def renderer(name: str, where: str = "--format") -> Renderer:
    """Return the renderer called `name`; raise UsageError, with the nearest name, for no such one."""
    if name in FORMATS:
        return FORMATS[name]
    near = get_close_matches(name.lower(), FORMATS, n=1)
    remedy = f"did you mean `{near[0]}`?" if near else ""
    known = ", ".join(f"`{each}`" for each in FORMATS)
    raise UsageError([Problem(where, f"unknown format `{name}`; known: {known}", remedy)])


def render(report: Report, name: str, view: View | None = None) -> str:
    """Return `report` in the format `name`: findings collapsed, sorted by position, at most 1 MiB a target.

    The text ends in a newline and can be written in UTF-8. Raises UsageError for an unknown format.
    """
    return renderer(name)(prepared(report), view or View())
