"""OBS411: samples carry timestamps."""

from __future__ import annotations

from collections.abc import Iterator

from obs.checks.check import Check, Hit, hit
from obs.checks.context import Context
from obs.checks.places import of_name
from obs.exposition import DiagnosisKind
from obs.model.check import CheckDoc
from obs.model.finding import Severity

DOC = CheckDoc(
    code="OBS411",
    slug="explicit-timestamp",
    category="style",
    severity=Severity.INFO,
    summary="The samples of a metric carry timestamps.",
    why=(
        "A server that is given the time of a sample cannot tell a series that has ended from one that is late: alerts "
        "see the old value for five minutes more. Timestamps are for what re-exposes another system's data."
    ),
    bad=("# HELP acme_queue_items Items.\n# TYPE acme_queue_items gauge\nacme_queue_items 3 1767225600000\n"),
    good=("# HELP acme_queue_items What it is.\n# TYPE acme_queue_items gauge\nacme_queue_items 3\n"),
    remedy="Leave the timestamps out and let the server set them.",
)

_UNSOUND = frozenset({DiagnosisKind.TIMESTAMP_UNIT.value, DiagnosisKind.TIMESTAMP_ORDER.value})


def find(context: Context) -> Iterator[Hit]:
    """Yield one hit for the whole body, at the first sample with a timestamp."""
    if not _UNSOUND.isdisjoint(context.scrape.diagnosis_counts):
        return  # said already, with the same remedy
    stamped = [
        (block.lines[0], family.name)
        for family in context.outsiders
        for block in family.blocks
        if block.timestamps is not None
    ]
    if stamped:
        line, name = min(stamped)
        metrics = len({name for _, name in stamped})
        noun = "metric" if metrics == 1 else "metrics"
        message = f"samples of {metrics} {noun} carry timestamps, `{name}` is the first"
        yield hit(message, of_name(context.scrape, line), remedy=DOC.remedy, subject=name)


CHECK = Check(DOC, find)
