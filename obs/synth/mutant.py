"""The shape of a mutant: one change that breaks one rule and no other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from obs.exposition import Format
from obs.model.metric import Registry
from obs.synth.body import Body


@dataclass(frozen=True, slots=True)
class Context:
    """What a mutant may look at.

    `turn` counts the bodies served since the mutant was switched on, from 0; `first` is the first of them, before the
    change.
    """

    registry: Registry
    form: Format
    turn: int
    first: Body


def _same_body(body: Body, _: Context) -> Body:
    return body


def _same_text(text: bytes, _: Context) -> bytes:
    return text


@dataclass(frozen=True, slots=True)
class Mutant:
    """One broken rule: `slug` is that of the check, `about` says what is done to the body.

    `families` changes the body before it is text, `text` the text. `forms` are the formats in which the rule exists.
    `over_time` marks a defect that only two scrapes show. `content_type` replaces the header.
    """

    slug: str
    about: str
    families: Callable[[Body, Context], Body] = _same_body
    text: Callable[[bytes, Context], bytes] = _same_text
    forms: tuple[Format, ...] = (Format.TEXT, Format.OPENMETRICS)
    over_time: bool = False
    content_type: str = ""
