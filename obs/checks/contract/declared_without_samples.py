"""OBS211: a metric has HELP or TYPE lines and no sample."""

from __future__ import annotations

from collections.abc import Iterator

from obs.checks.check import Check, Hit, hit
from obs.checks.context import Context
from obs.checks.places import of_family
from obs.model.check import CheckDoc
from obs.model.finding import Severity
from obs.model.metric import Metric, Presence, Status

DOC = CheckDoc(
    code="OBS211",
    slug="declared-without-samples",
    category="contract",
    severity=Severity.WARNING,
    summary="A metric has HELP or TYPE lines and not one sample.",
    why=(
        "A client that creates series with their first event declares a metric long before it has one. For a metric "
        "with labels or a provisional one that is all right and only noted; one without labels should be there with 0, "
        "as the first increase of a series that did not exist before is not seen by `rate`."
    ),
    bad=(
        "# HELP agent_up Up.\n# TYPE agent_up gauge\nagent_up 1\n"
        "# HELP agent_restarts_total Restarts.\n# TYPE agent_restarts_total counter\n"
    ),
    good=(
        "# HELP agent_up Up.\n# TYPE agent_up gauge\nagent_up 1\n"
        "# HELP agent_restarts_total Restarts.\n# TYPE agent_restarts_total counter\nagent_restarts_total 0\n"
    ),
    remedy="Expose the series with 0 from the start.",
)


def find(context: Context) -> Iterator[Hit]:
    """Yield each metric of the registry without a sample, unless its samples may be on lines that are broken."""
    for metric, family in context.metrics:
        if family.blocks or metric.name in context.unseen or context.scrape.truncated:
            continue
        message = f"`{metric.name}` is declared and has no sample"
        severity = None if _needed(metric) else Severity.INFO
        place = of_family(context.scrape, family)
        yield hit(message, place, remedy=DOC.remedy, subject=metric.name, severity=severity)


def _needed(metric: Metric) -> bool:
    always = metric.semantics.presence is Presence.ALWAYS and metric.status is Status.STABLE
    return always and not metric.labels


CHECK = Check(DOC, find)
