"""The shape of a mutant: one change that breaks one rule and no other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from obs.exposition import Format
from obs.model.metric import Registry
from obs.synth.body import Body

BOTH = (Format.TEXT, Format.OPENMETRICS)
TEXT_ONLY = (Format.TEXT,)
OPENMETRICS_ONLY = (Format.OPENMETRICS,)


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

    @property
    def stranger(self) -> str:
        """Return a name prefix that is not the registry's, for metrics that belong to nobody."""
        return "acme" if not self.registry.prefix.startswith("acme") else "other"


def same_body(body: Body, _: Context) -> Body:
    """Return a body as it is."""
    return body


def _same_text(text: bytes, _: Context) -> bytes:
    return text


@dataclass(frozen=True, slots=True)
class Mutant:
    """One broken rule: `slug` is that of the check, `about` says what is done to the body.

    `families` changes the body before it is text, `text` the text. `forms` are the formats in which the rule exists.
    `over_time` marks a defect that only two scrapes show. `content_type` replaces the header. Two rules are broken by
    a sound body that is held against a narrower limit: `max_series` is that of the body, `rules` the content of the
    file for `obs lint --rules`.
    """

    slug: str
    about: str
    families: Callable[[Body, Context], Body] = same_body
    text: Callable[[bytes, Context], bytes] = _same_text
    forms: tuple[Format, ...] = BOTH
    over_time: bool = False
    content_type: str = ""
    max_series: int = 0
    rules: Callable[[Registry], dict[str, Any]] | None = None


class NoVictimError(Exception):
    """The registry has no metric that this rule could be broken on; the text says which kind is missing."""
