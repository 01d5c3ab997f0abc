"""Expressions with `[[ ]]` in them. The one module that imports jinja2.

Prometheus's own `{{ }}` passes through untouched. Only expressions and sentences are templates; documents are
serialised (`obs.documents.dump`). All of
them are compiled as one, because jinja2 spends a millisecond on each.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import jinja2

_SEPARATOR = "\x00\n"
"""Between templates that are compiled together; no template holds a NUL, because YAML cannot."""

_SNIPPET = re.compile(r"\[\[ .*? \]\]", re.DOTALL)
_STRAY = re.compile(r"\[\[(?!\[)")


class TemplateError(Exception):
    """A template cannot be rendered; `index` says which of those given, the text says why."""

    def __init__(self, index: int, message: str) -> None:
        super().__init__(message)
        self.index = index


def render_all(texts: Sequence[str], names: Mapping[str, object]) -> tuple[str, ...]:
    """Return every text with its `[[ ]]` filled in from `names`.

    What stands between the brackets is compiled once however often it is used. Raise TemplateError for the first text
    that does not parse or uses a name that does not exist. Exceptions of the functions in `names` pass through.
    """
    environment = _environment()
    snippets = {snippet: "" for text in texts for snippet in _SNIPPET.findall(text)}
    try:
        rendered = _render(environment, _SEPARATOR.join(snippets), names).split(_SEPARATOR)
    except jinja2.TemplateError:
        rendered = [_render_one(environment, snippet, texts, names) for snippet in snippets]
    values = dict(zip(snippets, rendered, strict=False))
    return tuple(_filled(text, index, values) for index, text in enumerate(texts))


def _filled(text: str, index: int, values: Mapping[str, str]) -> str:
    if "[[" not in text:
        return text
    if _STRAY.search(_SNIPPET.sub("", text)):
        raise TemplateError(index, "write `[[ expression ]]`, with a space inside the brackets on both sides")
    return _SNIPPET.sub(lambda match: values[match[0]], text)


def _environment() -> jinja2.Environment:
    return jinja2.Environment(
        undefined=jinja2.StrictUndefined,
        variable_start_string="[[",
        variable_end_string="]]",
        block_start_string="[%",
        block_end_string="%]",
        comment_start_string="[#",
        comment_end_string="#]",
        autoescape=False,  # noqa: S701  # the output is PromQL and prose, never HTML
        optimized=False,  # nothing here is constant, and looking for constants takes a third of the time
        cache_size=0,
    )


def _render(environment: jinja2.Environment, text: str, names: Mapping[str, object]) -> str:
    return environment.from_string(text).render(names) if text else ""


def _render_one(
    environment: jinja2.Environment, snippet: str, texts: Sequence[str], names: Mapping[str, object]
) -> str:
    try:
        return _render(environment, snippet, names)
    except jinja2.TemplateError as error:
        index = next(index for index, text in enumerate(texts) if snippet in text)
        raise TemplateError(index, error.message or "not a template") from error
