"""Checks a document against a JSON Schema and says what is wrong as a person would."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jsonschema import Draft202012Validator

from obs.documents.load import Document, Path, json_path
from obs.documents.suggest import did_you_mean
from obs.errors import Problem

_Error = Any
"""jsonschema's ValidationError; its stubs type every attribute as possibly unset, so that nothing could be read."""

_TYPES = {
    "object": "a mapping",
    "array": "a list",
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "null": "nothing",
}


def problems(document: Document, schema: dict[str, Any]) -> tuple[Problem, ...]:
    """Return everything in which `document` breaks `schema`, each at its line and column."""
    found: list[Problem] = []
    for error in Draft202012Validator(schema).iter_errors(document.data):
        found += _explain(document, error)
    return tuple(sorted(set(found), key=lambda problem: (_order(problem.where), problem.message)))


def _order(where: str) -> tuple[str, int, int, str]:
    source, line, column = where.rsplit(":", 2)
    return source, int(line), int(column), where


def _explain(document: Document, error: _Error) -> Iterator[Problem]:
    path: Path = tuple(error.absolute_path)
    if error.validator in ("anyOf", "oneOf") and error.context:
        yield from _explain_nearest(document, error)
    elif error.validator == "additionalProperties":
        yield from _unknown_keys(document, error, path)
    elif error.validator == "required":
        yield from _missing_keys(document, error, path)
    else:
        name = json_path(path)
        message, remedy = _say(error, document.written.get(path))
        yield Problem(document.where(path), f"`{name}`: {message}", remedy)


def _explain_nearest(document: Document, error: _Error) -> Iterator[Problem]:
    """Of the branches of an anyOf, explain the one that got furthest into the document."""
    branches: dict[Any, list[_Error]] = {}
    for part in error.context or ():
        branches.setdefault(part.schema_path[0], []).append(part)
    best = max(
        branches.values(), key=lambda parts: (min(len(part.absolute_path) for part in parts), -len(parts))
    )
    for part in best:
        yield from _explain(document, part)


def _unknown_keys(document: Document, error: _Error, path: Path) -> Iterator[Problem]:
    known = list(error.schema.get("properties", {}))
    for key in error.instance:
        if key not in known:
            place = f" in `{json_path(path)}`" if path else ""
            yield Problem(
                document.where((*path, key)), f"unknown key `{key}`{place}", did_you_mean(key, known)
            )


def _missing_keys(document: Document, error: _Error, path: Path) -> Iterator[Problem]:
    for key in error.validator_value:
        if key not in error.instance:
            yield Problem(
                document.where(path), f"`{json_path(path)}`: key `{key}` is missing", f"add `{key}:`"
            )


def _say(error: _Error, written: str | None = None) -> tuple[str, str]:
    """Return (what is wrong with the value seen, the remedy); `written` is what stands in the file for it."""
    value, limit = error.instance, error.validator_value
    shown = _shown(value if written is None else written)
    match error.validator:
        case "type":
            wanted = [limit] if isinstance(limit, str) else limit
            return f"{shown} is not {' or '.join(_TYPES[word] for word in wanted)}", _quote_hint(
                value, written, wanted
            )
        case "enum":
            words = [str(word) for word in limit]
            near = did_you_mean(str(value), words)
            return (
                f"{shown} is not one of {', '.join(f'`{word}`' for word in words)}",
                near if "mean" in near else "",
            )
        case "const":
            return f"{shown} is not `{limit}`", ""
        case "pattern":
            return f"{shown} does not have the right form", str(
                error.schema.get("description", f"it must match {limit}")
            )
        case "minimum" | "exclusiveMinimum":
            return f"{shown} is too small", f"the least is {limit}"
        case "maximum" | "exclusiveMaximum":
            return f"{shown} is too large", f"the most is {limit}"
        case "minLength" | "minItems" | "minProperties":
            return (
                "is empty" if limit == 1 else f"is shorter than {limit}",
                "give at least one" if limit == 1 else "",
            )
        case "maxLength":
            return f"{shown} is longer than {limit} characters", "shorten it"
        case "uniqueItems":
            return "holds the same entry twice", "keep one"
        case _:
            return error.message, ""


def _shown(value: Any) -> str:
    text = str(value) if not isinstance(value, bool) else str(value).lower()
    return f"`{text[:60]}…`" if len(text) > 60 else f"`{text}`"


def _quote_hint(value: Any, written: str | None, wanted: list[str]) -> str:
    if "string" in wanted and isinstance(value, bool | int | float):
        return f'put it in quotes: "{value if written is None else written}"'
    return ""
