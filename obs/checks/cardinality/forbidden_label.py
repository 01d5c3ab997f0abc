"""OBS301: a label that names one run, agent, path, call, session or URI."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from obs.checks.check import Check, Hit, hit
from obs.checks.context import Context
from obs.checks.places import of_label
from obs.model.check import CheckDoc
from obs.model.finding import Severity

DOC = CheckDoc(
    code="OBS301",
    slug="forbidden-label",
    category="cardinality",
    severity=Severity.ERROR,
    summary="A series has a label that identifies one run, agent, path, call, session or URI.",
    why=(
        "Such a label has a new value for each event, so the number of series grows with the work done until the "
        "server runs out of memory. It is an error from the first value on (contract, section 6.1)."
    ),
    bad=(
        "# HELP acme_jobs_total Jobs.\n"
        "# TYPE acme_jobs_total counter\n"
        'acme_jobs_total{run_id="r-1",kind="a"} 1\n'
    ),
    good=('# HELP acme_jobs_total Jobs.\n# TYPE acme_jobs_total counter\nacme_jobs_total{kind="a"} 1\n'),
    remedy="Drop the label; put the identifier in a log line, a trace or an exemplar.",
)


def is_forbidden(label: str, forbidden: Collection[str]) -> bool:
    """Return whether `label` is one of `forbidden` in any spelling: `run_id`, `runId`, `RUNID`."""
    return label in forbidden or _plain(label) in set(map(_plain, forbidden))


def _plain(label: str) -> str:
    return label.replace("_", "").lower()


def find(context: Context) -> Iterator[Hit]:
    """Yield each family and forbidden label, at the first sample that has it."""
    plain = frozenset(map(_plain, context.budgets.forbidden_labels))
    present = frozenset().union(*(family.label_names for family in context.scrape.families))
    forbidden = {label for label in present if _plain(label) in plain}
    for family in context.scrape.families if forbidden else ():
        for label in sorted(forbidden & family.label_names):
            blocks = [block for block in family.blocks if label in block.label_names]
            message = (
                f"`{family.name}` has the label `{label}`, which has a new value for each thing it names"
            )
            place = of_label(context.scrape, blocks[0].lines[0], label)
            count = sum(map(len, blocks))
            yield hit(message, place, remedy=DOC.remedy, subject=family.name, count=count)


CHECK = Check(DOC, find)
