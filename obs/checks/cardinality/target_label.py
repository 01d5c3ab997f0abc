"""OBS309: a label that the scrape attaches."""

from __future__ import annotations

from collections.abc import Iterator

from obs.checks.check import Check, Hit, hit
from obs.checks.context import THIRD_PARTY, Context
from obs.checks.places import of_label
from obs.model.check import CheckDoc
from obs.model.finding import Severity
from obs.model.metric import TARGET_LABELS

DOC = CheckDoc(
    code="OBS309",
    slug="target-label",
    category="cardinality",
    severity=Severity.WARNING,
    summary="A series has a label that Prometheus attaches to every series of a target.",
    why=(
        "The server keeps its own value under that name and renames the one in the body to `exported_...`, unless it "
        "is told to honour labels. Boards and alerts then select by something else than the author meant."
    ),
    bad=('# HELP acme_up Up.\n# TYPE acme_up gauge\nacme_up{namespace="prod",pod="p-0"} 1\n'),
    good=("# HELP acme_up Up.\n# TYPE acme_up gauge\nacme_up 1\n"),
    remedy="Leave it to service discovery, or give the label another name.",
)


def find(context: Context) -> Iterator[Hit]:
    """Yield each family with such labels, at the first sample that has one."""
    for family in context.scrape.families:
        clash = TARGET_LABELS.intersection(family.label_names)
        if not clash or family.name.startswith(THIRD_PARTY) or context.in_registry(family):
            continue
        shown = ", ".join(f"`{label}`" for label in sorted(clash))
        blocks = [block for block in family.blocks if not clash.isdisjoint(block.label_names)]
        first = next(label for label in blocks[0].label_names if label in clash)
        noun, renamed = ("label", f"exported_{first}") if len(clash) == 1 else ("labels", "exported_*")
        message = f"`{family.name}` has the {noun} {shown}, which the server renames to `{renamed}`"
        place = of_label(context.scrape, blocks[0].lines[0], first)
        yield hit(message, place, remedy=DOC.remedy, subject=family.name, count=sum(map(len, blocks)))


CHECK = Check(DOC, find)
