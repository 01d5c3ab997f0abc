"""The formats of a report by the name that `--format` takes."""

from __future__ import annotations

from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Protocol

from obs.errors import Problem, UsageError
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


FORMATS: Mapping[str, str] = MappingProxyType(
    {
        "text": "obs.report.text",
        "json": "obs.report.jsonreport",
        "sarif": "obs.report.sarif",
        "github": "obs.report.github",
        "junit": "obs.report.junit",
    }
)
"""Every format, the one for people first, and the module that renders it: only the one asked for is imported."""


def renderer(name: str, where: str = "--format") -> Renderer:
    """Return the renderer called `name`; raise UsageError, with the nearest name, for no such one."""
    if name in FORMATS:
        found: Renderer = import_module(FORMATS[name]).render
        return found
    from difflib import get_close_matches  # noqa: PLC0415 - a typo alone pays for the import

    near = get_close_matches(name.lower(), FORMATS, n=1)
    remedy = f"did you mean `{near[0]}`?" if near else ""
    known = ", ".join(f"`{each}`" for each in FORMATS)
    raise UsageError([Problem(where, f"unknown format `{name}`; known: {known}", remedy)])


def render(report: Report, name: str, view: View | None = None) -> str:
    """Return `report` in the format `name`: findings collapsed, sorted by position, at most 1 MiB a target.

    The text ends in a newline and can be written in UTF-8. Raises UsageError for an unknown format.
    """
    return renderer(name)(prepared(report), view or View())
