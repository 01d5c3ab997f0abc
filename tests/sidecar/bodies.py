"""What a full agent exposes."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from obs.model.metric import Metric, Status, Unit
from tests.home import sources

TEXT = "text/plain; version=0.0.4; charset=utf-8"


def full_body(count: int, *, moving: bool = True) -> str:
    """Every stable and legacy series, counters and levels at `count`; a level moves along unless told not to."""
    lines: list[str] = []
    for metric in sources().registry.metrics:
        if metric.status is Status.PROVISIONAL:
            continue
        lines += [f"# HELP {metric.name} {metric.help}", f"# TYPE {metric.name} {metric.kind}"]
        lines += (f"{metric.name}{labels} {_value(metric, count)}" for labels in _label_sets(metric))
    if moving:
        lines += [
            "# HELP acme_turns_total Turns.",
            "# TYPE acme_turns_total counter",
            f"acme_turns_total {count}",
        ]
    return "\n".join(lines) + "\n"


def _label_sets(metric: Metric) -> Iterator[str]:
    values = [label.domain.values or ("server-1", "other") for label in metric.labels]
    for row in product(*values):
        pairs = ",".join(f'{key}="{value}"' for key, value in zip(metric.label_keys, row, strict=True))
        yield f"{{{pairs}}}" if pairs else ""


def _value(metric: Metric, count: int) -> str:
    return {Unit.BOOL: "1", Unit.RATIO: "0.5"}.get(metric.unit, str(count))
