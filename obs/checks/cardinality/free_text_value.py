"""OBS305: a label value is free text."""

from __future__ import annotations

from collections.abc import Iterator
from types import MappingProxyType

from obs.checks.cardinality.value_shapes import shaped
from obs.checks.check import Check, Hit
from obs.checks.context import Context
from obs.model.check import CheckDoc
from obs.model.finding import Severity

DOC = CheckDoc(
    code="OBS305",
    slug="free-text-value",
    category="cardinality",
    severity=Severity.WARNING,
    summary="A label value has line breaks or more than 120 characters.",
    why=(
        "Error messages and other sentences hold numbers, names and times, so that almost each is a new series. They "
        "also make every line of the scrape long."
    ),
    bad=(
        "# HELP acme_sync_up Up.\n"
        "# TYPE acme_sync_up gauge\n"
        'acme_sync_up{status="2 errors:\\n* open \\"a\\": denied"} 1\n'
    ),
    good=('# HELP acme_sync_up Up.\n# TYPE acme_sync_up gauge\nacme_sync_up{status="denied"} 1\n'),
    remedy="Use a short class of the error; the text belongs in a log.",
)

_WANTED = MappingProxyType(
    {
        "free text": "use a short class such as `timeout`; the text belongs in a log",
    }
)


def find(context: Context) -> Iterator[Hit]:
    """Yield each label with such values, in any family."""
    return shaped(context, _WANTED)


CHECK = Check(DOC, find)
