"""OBS213: a legacy metric is there and its replacement is not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from obs.checks.check import Check, Hit, hit
from obs.checks.context import Context
from obs.checks.places import of_family
from obs.model.check import CheckDoc
from obs.model.finding import Severity
from obs.model.metric import Status

DOC = CheckDoc(
    code="OBS213",
    slug="legacy-without-replacement",
    category="contract",
    severity=Severity.ERROR,
    summary="A legacy metric is exposed and the stable metric that replaces it is not.",
    why=(
        "Legacy metrics are kept beside their replacements for old boards. Everything that is generated asks for the "
        "replacement; a target with the old name only is invisible to it."
    ),
    bad=(
        "# HELP agent_tokens_input_total Input.\n# TYPE agent_tokens_input_total counter\n"
        "agent_tokens_input_total 1000\n"
    ),
    good=(
        "# HELP agent_tokens_input_total Input.\n# TYPE agent_tokens_input_total counter\n"
        "agent_tokens_input_total 1000\n"
        "# HELP agent_tokens_total Tokens.\n# TYPE agent_tokens_total counter\n"
        'agent_tokens_total{type="in"} 1000\nagent_tokens_total{type="out"} 200\n'
    ),
    remedy="Expose the replacement as well.",
)


def lone_legacies(context: Context) -> Mapping[str, str]:
    """Return each absent replacement with the first legacy metric that is there in its place."""
    found: dict[str, str] = {}
    if context.scrape.truncated:
        return found
    for metric, family in context.metrics:
        stable = metric.semantics.replaced_by
        if metric.status is not Status.LEGACY or not family.blocks or stable not in context.registry.by_name:
            continue
        if stable not in context.known and stable not in context.unseen:
            found.setdefault(stable, metric.name)
    return found


def find(context: Context) -> Iterator[Hit]:
    """Yield each absent replacement, at the legacy metric that stands in for it."""
    for stable, legacy in lone_legacies(context).items():
        message = f"legacy `{legacy}` is there without `{stable}`, which replaces it"
        place = of_family(context.scrape, context.known[legacy])
        yield hit(message, place, remedy=f"expose `{stable}` as well", subject=legacy)


CHECK = Check(DOC, find)
