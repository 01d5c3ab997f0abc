"""YAML and JSON text to plain values that remember where they stood.

The one module that loads YAML. Positions come from libyaml's marks, so that a finding about a key of `obs.yaml`,
a dashboard or a ScaledObject can name its line and column.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any

import yaml

from obs.errors import InvalidInputError, Problem

Path = tuple[str | int, ...]
"""A way into a document: keys and indexes from the root."""

MAX_NODES = 1_000_000
"""Values read from one document at the most; a larger one is an attack by aliases, not a configuration."""

_PLAIN_VALUE = re.compile(r"\s*(?:- )?(?P<key>[\w.-]+): +(?P<value>[^\s\"'|>].*)")

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # libyaml is ten times faster; wheels carry it


@dataclass(frozen=True, slots=True)
class Document:
    """A loaded document: plain `data`, and `marks` from a path to its (line, column), both from 1.

    `written` has what stood in the file for each value that YAML took for something else than text: `2.10`, `yes`.
    """

    source: str
    data: Any
    marks: dict[Path, tuple[int, int]] = field(default_factory=dict)
    written: dict[Path, str] = field(default_factory=dict)

    def position(self, path: Path) -> tuple[int, int]:
        """Return (line, column) of the value at `path`, or of its nearest parent that has one."""
        while path and path not in self.marks:
            path = path[:-1]
        return self.marks.get(path, (1, 1))

    def where(self, path: Path = ()) -> str:
        """Return `source:line:column` of the value at `path`."""
        line, column = self.position(path)
        return f"{self.source}:{line}:{column}"


def json_path(path: Path) -> str:
    """Return `path` as a JSON path, `$.metrics[3].name`."""
    return "$" + "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)


def load_yaml(text: str, source: str) -> Document:
    """Return the single YAML document in `text` (None for an empty one).

    Raise InvalidInputError with `source:line:column` when it is not YAML, holds more than one document, or names a
    key twice.
    """
    documents = load_all_yaml(text, source)
    if len(documents) > 1:
        raise InvalidInputError(
            [
                Problem(
                    documents[1].where(),
                    "a second YAML document starts here",
                    "keep one document in this file",
                )
            ]
        )
    return documents[0] if documents else Document(source, None)


def load_all_yaml(text: str, source: str) -> tuple[Document, ...]:
    """Return every YAML document in `text`; raise like `load_yaml`."""
    documents = []
    problems: list[Problem] = []
    try:
        loader = _Loader(text)
        try:
            while loader.check_node():
                builder = _Builder(loader, source)
                data = builder.build(loader.get_node(), ())
                documents.append(Document(source, data, builder.marks, builder.written))
                problems += builder.problems
        finally:
            loader.dispose()
    except yaml.YAMLError as error:
        raise InvalidInputError([*problems, _yaml_problem(error, source, text)]) from error
    except RecursionError as error:
        raise InvalidInputError([Problem(source, "the document is nested too deeply to read")]) from error
    if problems:
        raise InvalidInputError(problems)
    return tuple(documents)


def load_json(text: str, source: str) -> Any:
    """Return the JSON value in `text`; raise InvalidInputError with `source:line:column` when it is not JSON."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        where = f"{source}:{error.lineno}:{error.colno}"
        raise InvalidInputError([Problem(where, f"not JSON: {error.msg}")]) from error
    except (RecursionError, ValueError) as error:
        raise InvalidInputError([Problem(source, f"not readable as JSON: {error}")]) from error


class _Builder:
    """Turns the nodes of one document into plain data and notes where everything stood.

    A mapping's entry is marked where its key stands: that is where a person looks for it.
    """

    def __init__(self, loader: Any, source: str) -> None:
        self.loader = loader
        self.source = source
        self.marks: dict[Path, tuple[int, int]] = {}
        self.written: dict[Path, str] = {}
        self.problems: list[Problem] = []

    def build(self, node: Any, path: Path) -> Any:
        self.marks.setdefault(path, _position(node))
        if len(self.marks) > MAX_NODES:
            raise yaml.MarkedYAMLError(
                problem=f"more than {MAX_NODES} values (aliases that multiply?)", problem_mark=node.start_mark
            )
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, path)
        if isinstance(node, yaml.SequenceNode):
            return [self.build(child, (*path, index)) for index, child in enumerate(node.value)]
        try:
            value = self.loader.construct_object(node)
        except ValueError as error:  # a timestamp such as 2026-13-45
            problem = f"`{node.value}`: {error}"
            raise yaml.MarkedYAMLError(problem=problem, problem_mark=node.start_mark) from error
        if not isinstance(value, str):
            self.written[path] = node.value
        return value

    def _mapping(self, node: Any, path: Path) -> dict[str, Any]:
        mapping: dict[str, Any] = {}
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode):
                self._complain(key, "a key must be a plain word here", "quote it if it is meant as text")
                continue
            name = key.value  # as written: `on` stays "on", not true
            if name in mapping:
                self._complain(key, f"key `{name}` stands here a second time", "keep one")
            self.marks[(*path, name)] = _position(key)
            mapping[name] = self.build(value, (*path, name))
        return mapping

    def _complain(self, node: Any, message: str, remedy: str) -> None:
        line, column = _position(node)
        self.problems.append(Problem(f"{self.source}:{line}:{column}", message, remedy))


def _position(node: Any) -> tuple[int, int]:
    return node.start_mark.line + 1, node.start_mark.column + 1


def _yaml_problem(error: yaml.YAMLError, source: str, text: str) -> Problem:
    mark = getattr(error, "problem_mark", None)
    where = f"{source}:{mark.line + 1}:{mark.column + 1}" if mark else source
    said = getattr(error, "problem", None) or str(error).splitlines()[0]
    return Problem(where, f"not YAML: {said}", _yaml_remedy(text, mark.line if mark else -1))


def _yaml_remedy(text: str, line: int) -> str:
    """Return what to do about text that is not YAML, by what stands in the line (from 0) where reading stopped."""
    lines = text.splitlines()
    found = _PLAIN_VALUE.match(lines[line]) if 0 <= line < len(lines) else None
    if found and (found["value"].startswith("{") or re.search(r":(?: |$)", found["value"])):
        return f"quote the value of `{found['key']}`: plain text may not begin with a brace or hold a colon and a blank"
    return "check the indentation and the quotes around it"
