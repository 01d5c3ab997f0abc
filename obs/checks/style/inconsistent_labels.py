"""OBS410: samples of one metric have different labels."""

from __future__ import annotations

from collections.abc import Iterator

from obs.checks.check import Check, Hit, hit
from obs.checks.context import Context
from obs.checks.places import of_name
from obs.checks.shapes import PARTS
from obs.exposition import Block
from obs.model.check import CheckDoc
from obs.model.finding import Severity

DOC = CheckDoc(
    code="OBS410",
    slug="inconsistent-labels",
    category="style",
    severity=Severity.WARNING,
    summary="The samples of one metric do not all have the same labels.",
    why=(
        "An expression that groups by a label puts all series without it into one group, and a join by that label "
        "drops them. The sum over one set of labels may count what the other set counts as well."
    ),
    bad=(
        "# HELP acme_jobs_total What it is.\n"
        "# TYPE acme_jobs_total counter\n"
        'acme_jobs_total{kind="a"} 1\n'
        'acme_jobs_total{kind="a",queue="q"} 1\n'
    ),
    good=(
        "# HELP acme_jobs_total What it is.\n"
        "# TYPE acme_jobs_total counter\n"
        'acme_jobs_total{kind="a",queue="p"} 1\n'
        'acme_jobs_total{kind="a",queue="q"} 1\n'
    ),
    remedy="Give all samples the same labels, with a word such as `none` where there is no value.",
)


def find(context: Context) -> Iterator[Hit]:
    """Yield each family with several sets of labels, at the first sample of the second."""
    for family in context.outsiders:
        first: dict[frozenset[str], int] = {}
        for block in family.blocks:
            labels = frozenset(_present(block))
            first[labels] = min(first.get(labels, block.lines[0]), block.lines[0])
        if len(first) < 2:
            continue
        (one, line), (other, second) = sorted(first.items(), key=lambda item: item[1])[:2]
        shown = ", ".join(f"`{label}`" for label in sorted(one ^ other))
        message = f"samples of `{family.name}` differ in the label {shown}"
        place = of_name(context.scrape, second)
        yield hit(message, place, remedy=DOC.remedy, subject=family.name, related=(line,))


def _present(block: Block) -> Iterator[str]:
    """Yield the labels of a block that the server sees: those with a value, the format's own left out."""
    for label, values in zip(block.label_names, block.seen, strict=True):
        if label not in PARTS and any(values):
            yield label


CHECK = Check(DOC, find)
