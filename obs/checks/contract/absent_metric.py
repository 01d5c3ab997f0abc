"""OBS210: a metric that is always there is absent."""

from __future__ import annotations

from collections.abc import Iterator

from obs.checks.check import Check, Hit, hit
from obs.checks.context import Context
from obs.checks.contract.legacy_without_replacement import lone_legacies
from obs.checks.places import Place
from obs.model.check import CheckDoc
from obs.model.finding import Severity
from obs.model.metric import Metric

DOC = CheckDoc(
    code="OBS210",
    slug="absent-metric",
    category="contract",
    severity=Severity.ERROR,
    summary="A metric that every agent exposes once it is warm is not in the body.",
    why=(
        "Alerts on a series that does not exist never fire and boards show nothing, which looks like health. Stable "
        "metrics without labels or with closed domains are always there; others appear with their first event."
    ),
    bad=("# HELP agent_up Up.\n# TYPE agent_up gauge\nagent_up 1\n"),
    good=(
        "# HELP agent_up Up.\n# TYPE agent_up gauge\nagent_up 1\n"
        "# HELP agent_ready Ready.\n# TYPE agent_ready gauge\nagent_ready 1\n"
    ),
    remedy="Expose it from the start, with 0; look at a target only after it is warm.",
)


def find(context: Context) -> Iterator[Hit]:
    """Yield each absent metric, or one hit when nothing of the registry is there.

    Nothing is called absent that may stand on a line which could not be read, or after the end of a cut body.
    """
    if context.scrape.truncated:
        return
    required = context.required
    if required and not context.known and not context.strangers and not context.unseen:
        yield _nothing(context, required)
        return
    explained = {*context.near_misses.values(), *lone_legacies(context), *context.unseen}
    for metric in required:
        if metric.name not in context.known and metric.name not in explained:
            message = f"`{metric.name}` is in the registry but not in this body"
            yield hit(
                message, Place(), remedy=f"expose it from the start: {metric.help}", subject=metric.name
            )


def _nothing(context: Context, required: tuple[Metric, ...]) -> Hit:
    names = ", ".join(f"`{metric.name}`" for metric in required[:3])
    message = f"none of the {len(required)} metrics that are always there is in this body: {names}, ..."
    remedy = "check that this is an agent; for other exporters use `--select format,cardinality,style`"
    return hit(message, Place(), remedy=remedy, subject=context.registry.prefix + "*")


CHECK = Check(DOC, find)
