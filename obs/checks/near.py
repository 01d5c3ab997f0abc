"""Names that are almost those of metrics which are absent: one defect, told once, by whoever finds it first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from obs.model.metric import Registry

SIMILAR = 0.84
"""Share of equal characters, prefix aside, from which on two names are taken for one.

`run_total` and `runs_total` are above it, `claims_granted_total` and `claims_released_total` below.
"""

MOST = 1_000
"""Strangers that are compared with the registry: a body with more of them has another problem than spelling."""


def near_misses(
    registry: Registry, present: Iterable[str], strangers: Mapping[str, str]
) -> Mapping[str, str]:
    """Return the strangers that are taken for an absent metric, each with that metric.

    `strangers` are family names, with the name that the metric would have; `present` are the metrics that are there.
    A metric is missed by one stranger only: the first in the order of the body.
    """
    absent = set(registry.by_name) - set(present)
    aliases = {alias: metric.name for metric in registry.metrics for alias in metric.aliases}
    found = {}
    for family, name in list(strangers.items())[:MOST]:
        near = aliases.get(name) or _nearest(name, absent, len(registry.prefix))
        if near in absent:
            found[family] = near
            absent.discard(near)
    return found


def _nearest(name: str, absent: set[str], prefix: int) -> str:
    from difflib import SequenceMatcher  # noqa: PLC0415 - a body without strangers does not pay for it

    if name + "_total" in absent:
        return name + "_total"
    best, score = "", SIMILAR
    matcher = SequenceMatcher(None, "", name[prefix:])
    for known in sorted(absent):
        matcher.set_seq1(known[prefix:])
        if matcher.real_quick_ratio() > score and matcher.quick_ratio() > score and matcher.ratio() > score:
            best, score = known, matcher.ratio()
    return best
