"""OBS216: a series carries a version."""

from __future__ import annotations

from collections.abc import Iterator

from obs.checks.check import Check, Hit, hit
from obs.checks.context import Context
from obs.checks.places import of_label
from obs.model.check import CheckDoc
from obs.model.finding import Severity

DOC = CheckDoc(
    code="OBS216",
    slug="version-label",
    category="contract",
    severity=Severity.ERROR,
    summary="A series of the registry's prefix carries a version as a label.",
    why=(
        "A version label ends every series at each deployment and begins new ones: rates break and the number of "
        "series doubles for a while. The version is read from the capabilities manifest (surfaces.metrics_schema)."
    ),
    bad=('# HELP agent_up Up.\n# TYPE agent_up gauge\nagent_up{version="1.4.2"} 1\n'),
    good=("# HELP agent_up Up.\n# TYPE agent_up gauge\nagent_up 1\n"),
    remedy="Drop the label.",
)

VERSION_LABELS = frozenset(
    {"version", "agent_version", "schema_version", "metrics_schema", "contract_version"}
)
"""Label names that hold a version (contract, section 6: no series carries one)."""


def find(context: Context) -> Iterator[Hit]:
    """Yield each family with such a label, at its first sample."""
    for family in context.scrape.families:
        if not context.belongs(family.name):
            continue
        for block in family.blocks:
            for label in sorted(VERSION_LABELS.intersection(block.label_names)):
                message = f"`{family.name}` carries a version in the label `{label}`"
                place = of_label(context.scrape, block.lines[0], label)
                yield hit(message, place, remedy=DOC.remedy, subject=family.name, count=len(block))


CHECK = Check(DOC, find)
