"""What a query variable asks: Grafana's `label_values(series, label)`."""

from __future__ import annotations

import re
from dataclasses import dataclass

_CALL = re.compile(r"label_values\(\s*(?:(?P<series>.*)\s*,)?\s*(?P<label>\w+)\s*\)\s*\Z", re.DOTALL)


@dataclass(frozen=True, slots=True)
class LabelQuestion:
    """The values of `label` on the series that `selector` selects (empty: all)."""

    label: str
    selector: str


def read_question(query: str) -> LabelQuestion | None:
    """Return what a variable's query asks; None when it is not `label_values`."""
    match = _CALL.match(query.strip())
    return LabelQuestion(match["label"], (match["series"] or "").strip()) if match else None
