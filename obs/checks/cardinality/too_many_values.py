"""OBS306: a bounded label has more values than it may have."""

from __future__ import annotations

from collections.abc import Iterator

from obs.checks.check import Check, Hit, hit
from obs.checks.context import Context
from obs.checks.places import of_value
from obs.checks.values import first_lines
from obs.model.check import CheckDoc
from obs.model.finding import Severity
from obs.model.metric import INTERNED_SLOTS

DOC = CheckDoc(
    code="OBS306",
    slug="too-many-values",
    category="cardinality",
    severity=Severity.ERROR,
    summary=f"A bounded label has more than its {INTERNED_SLOTS} values.",
    why=(
        "Names that come from a configuration are interned in a table of 16 slots, the last of which is `other` "
        "(contract, section 6.1). More values mean that the table is missing and nothing bounds them."
    ),
    bad=(
        "# HELP agent_mcp_connect_failures_total Failures.\n# TYPE agent_mcp_connect_failures_total counter\n"
        + "".join(f'agent_mcp_connect_failures_total{{server="s{n}"}} 1\n' for n in range(INTERNED_SLOTS + 1))
    ),
    good=(
        "# HELP agent_mcp_connect_failures_total Failures.\n# TYPE agent_mcp_connect_failures_total counter\n"
        'agent_mcp_connect_failures_total{server="s1"} 1\nagent_mcp_connect_failures_total{server="other"} 3\n'
    ),
    remedy="Intern the values and fold what does not fit into `other`.",
)


def overfull(context: Context) -> frozenset[str]:
    """Return the metrics that have a label with too many values."""
    return frozenset(each.subject for each in find(context))


def find(context: Context) -> Iterator[Hit]:
    """Yield each bounded label with too many values, at the first value that is one too many."""
    for name, budget in context.budgets.metrics.items():
        family = context.known.get(name) or context.scrape.by_name.get(name)
        for label, most in budget.max_values.items() if family else ():
            values = family.distinct(label) if family else frozenset()
            if family is None or len(values) <= most:
                continue
            _, line = first_lines(family, label, values)[most]
            message = (
                f"`{label}` of `{name}` has {len(values)} values, {context.budgets.source} allows {most}"
            )
            yield hit(message, of_value(context.scrape, line, label), remedy=DOC.remedy, subject=name)


CHECK = Check(DOC, find)
