"""A body before it is text: families of samples. Mutants change these values or the text made of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from obs.exposition import Format, SampleFamily, Series, render

Labels = tuple[tuple[str, str], ...]

Body = tuple[SampleFamily, ...]
"""Families under their names of text 0.0.4: a counter's ends in `_total`."""


def write(body: Iterable[SampleFamily], form: Format) -> bytes:
    """Return the text of a body in a format."""
    if form is Format.OPENMETRICS:
        body = (family.for_openmetrics() for family in body)
    return render(body, form)


def changed(family: SampleFamily, change: Callable[[Series], Series]) -> SampleFamily:
    """Return the family with every sample changed."""
    return replace(family, samples=tuple(change(sample) for sample in family.samples))
