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
    forbidden = context.budgets.forbidden_labels
    plain = frozenset(map(_plain, forbidden))
    for family in context.scrape.families:
        labels = sorted(label for label in family.label_names if _plain(label) in plain)
        for label in labels:
            blocks = [block for block in family.blocks if label in block.label_names]
            count = sum(map(len, blocks))
            message = (
                f"`{family.name}` has the label `{label}`, which has a new value for each thing it names"
            )
            place = of_label(context.scrape, min(block.lines[0] for block in blocks), label)
            yield hit(message, place, remedy=DOC.remedy, subject=family.name, count=count)


CHECK = Check(DOC, find)
