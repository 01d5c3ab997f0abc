"""OBS405: a label that only histograms or summaries have."""

from __future__ import annotations

from collections.abc import Iterator
from types import MappingProxyType

from obs.checks.check import Check, Hit, hit
from obs.checks.context import Context
from obs.checks.places import of_label
from obs.exposition import MetricType
from obs.model.check import CheckDoc
from obs.model.finding import Severity

DOC = CheckDoc(
    code="OBS405",
    slug="reserved-label",
    category="style",
    severity=Severity.WARNING,
    summary="A metric that is no histogram has the label `le`, or one that is no summary the label `quantile`.",
    why=("Expressions and tools take such a series for a bucket or a quantile."),
    bad=(
        "# HELP acme_disk_usage_ratio What it is.\n"
        "# TYPE acme_disk_usage_ratio gauge\n"
        'acme_disk_usage_ratio{le="root"} 0.5\n'
    ),
    good=(
        "# HELP acme_disk_usage_ratio What it is.\n"
        "# TYPE acme_disk_usage_ratio gauge\n"
        'acme_disk_usage_ratio{disk="root"} 0.5\n'
    ),
    remedy="Rename the label.",
)

_OWNERS = MappingProxyType(
    {
        "le": frozenset({MetricType.HISTOGRAM, MetricType.GAUGEHISTOGRAM}),
        "quantile": frozenset({MetricType.SUMMARY}),
    }
)
_UNTYPED = frozenset({MetricType.UNTYPED, MetricType.UNKNOWN})


def find(context: Context) -> Iterator[Hit]:
    """Yield each typed family with a label that belongs to another type."""
    for family in context.outsiders:
        for label, owners in _OWNERS.items():
            if family.kind in owners | _UNTYPED or label not in family.label_names:
                continue
            block = next(block for block in family.blocks if label in block.label_names)
            message = f"{family.kind.value} `{family.name}` has the label `{label}`"
            place = of_label(context.scrape, block.lines[0], label)
            yield hit(message, place, remedy=DOC.remedy, subject=family.name, count=len(block))


CHECK = Check(DOC, find)
