"""OBS214: a provisional metric has samples."""

from __future__ import annotations

from collections.abc import Iterator

from obs.checks.check import Check, Hit, hit
from obs.checks.context import Context
from obs.checks.places import of_name
from obs.model.check import CheckDoc
from obs.model.finding import Severity
from obs.model.metric import Status

DOC = CheckDoc(
    code="OBS214",
    slug="provisional-with-samples",
    category="contract",
    severity=Severity.WARNING,
    summary="A provisional metric has samples.",
    why=(
        "Provisional metrics are declared and not built: their labels, buckets and meaning may still change, and "
        "nothing is generated for them. Whoever reads them today builds on sand."
    ),
    bad=(
        "# HELP agent_up Up.\n# TYPE agent_up gauge\nagent_up 1\n"
        "# HELP agent_tokens_per_sec Speed.\n# TYPE agent_tokens_per_sec gauge\nagent_tokens_per_sec 12.5\n"
    ),
    good=("# HELP agent_up Up.\n# TYPE agent_up gauge\nagent_up 1\n"),
    remedy="Leave the samples out until a minor of the registry makes the metric stable.",
)


def find(context: Context) -> Iterator[Hit]:
    """Yield each provisional metric that has samples, at the first of them."""
    for metric, family in context.metrics:
        if metric.status is Status.PROVISIONAL and family.blocks:
            message = f"`{metric.name}` is provisional in metrics_schema {context.registry.schema_version}, not emitted"
            place = of_name(context.scrape, min(block.lines[0] for block in family.blocks))
            yield hit(message, place, remedy=DOC.remedy, subject=metric.name)


CHECK = Check(DOC, find, consumer=Severity.INFO)
