"""Numbers that boards, alerts and scalers share: `alerts/thresholds.yaml`, overridden by `thresholds:` of obs.yaml."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass

from obs.documents.load import Document
from obs.documents.suggest import did_you_mean
from obs.errors import ConfigInvalidError, Problem
from obs.model.config import Config

HIGHEST_BURN = 0.9
"""A burn rate limit above this share of failures could not be told from an outage, and above 1 could not be reached."""


@dataclass(frozen=True, slots=True)
class Threshold:
    """A named limit. `unit` is what the number counts (ratio, seconds, bytes, count, ...), `meaning` one sentence."""

    name: str
    value: float
    unit: str
    meaning: str


def read_thresholds(document: Document, config: Config, config_document: Document) -> Mapping[str, Threshold]:
    """Return the thresholds by name with the operator's numbers in place.

    Raise ConfigInvalidError when obs.yaml sets one that does not exist or a ratio outside 0 to 1.
    """
    found = {
        name: Threshold(name, float(entry["value"]), entry["unit"], entry["meaning"])
        for name, entry in document.data.items()
    }
    problems = []
    for name, value in config.thresholds.items():
        where = config_document.where(("thresholds", name))
        if name not in found:
            problems.append(Problem(where, f"unknown threshold `{name}`", did_you_mean(name, found)))
        elif not 0 <= value <= (1 if found[name].unit == "ratio" else sys.float_info.max):  # nor NaN
            problems.append(Problem(where, f"`{name}`: {value:g} is not possible", _possible(found[name])))
        else:
            found[name] = Threshold(name, value, found[name].unit, found[name].meaning)
    if problems:
        raise ConfigInvalidError(problems)
    return found


def burn_limit(objective: Threshold, burn: Threshold) -> float:
    """Return the share of failures at which the error budget of an objective burns `burn` times too fast."""
    return min(burn.value * (1 - objective.value), HIGHEST_BURN)


def _possible(threshold: Threshold) -> str:
    return "a ratio is from 0 to 1" if threshold.unit == "ratio" else f"it counts {threshold.unit}, from 0 up"
