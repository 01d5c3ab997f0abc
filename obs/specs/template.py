"""Expressions with `[[ ]]` in them. The one module that imports jinja2.

Prometheus's own `{{ }}` passes through untouched. Only expressions and sentences are templates; documents are
serialised (`obs.documents.dump`). Many templates are compiled as one, because jinja2 spends a millisecond on each.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import jinja2

_SEPARATOR = "\x00\n"
"""Between templates that are compiled together; no template holds a NUL, because YAML cannot."""


class TemplateError(Exception):
    """A template cannot be rendered; `index` says which of those given, the text says why."""

    def __init__(self, index: int, message: str) -> None:
        super().__init__(message)
        self.index = index


def render_all(texts: Sequence[str], names: Mapping[str, object]) -> tuple[str, ...]:
    """Return every text with its `[[ ]]` filled in from `names`.

    Raise TemplateError for the first that does not parse or uses a name that does not exist. Exceptions of the
    functions in `names` pass through.
    """
    environment = _environment()
    templates = [index for index, text in enumerate(texts) if "[[" in text or "[%" in text or "[#" in text]
    try:
        rendered = _render(environment, _SEPARATOR.join(texts[index] for index in templates), names)
    except jinja2.TemplateError:
        rendered = _SEPARATOR.join(
            _render_one(environment, texts[index], index, names) for index in templates
        )
    done = list(texts)
    for index, text in zip(templates, rendered.split(_SEPARATOR), strict=True):
        done[index] = text
    return tuple(done)


def _environment() -> jinja2.Environment:
    return jinja2.Environment(
        undefined=jinja2.StrictUndefined,
        variable_start_string="[[",
        variable_end_string="]]",
        block_start_string="[%",
        block_end_string="%]",
        comment_start_string="[#",
        comment_end_string="#]",
        trim_blocks=True,
        autoescape=False,  # noqa: S701  # the output is PromQL and prose, never HTML
        optimized=False,  # nothing here is constant, and looking for constants takes a third of the time
        cache_size=0,
    )


def _render(environment: jinja2.Environment, text: str, names: Mapping[str, object]) -> str:
    return environment.from_string(text).render(names) if text else ""


def _render_one(environment: jinja2.Environment, text: str, index: int, names: Mapping[str, object]) -> str:
    try:
        return _render(environment, text, names)
    except jinja2.TemplateError as error:
        raise TemplateError(index, error.message or "not a template") from error
