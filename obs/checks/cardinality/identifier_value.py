"""OBS302: a label value is an identifier."""

from __future__ import annotations

from collections.abc import Iterator
from types import MappingProxyType

from obs.checks.cardinality.value_shapes import shaped
from obs.checks.check import Check, Hit
from obs.checks.context import Context
from obs.model.check import CheckDoc
from obs.model.finding import Severity

DOC = CheckDoc(
    code="OBS302",
    slug="identifier-value",
    category="cardinality",
    severity=Severity.ERROR,
    summary="A label value is a UUID, ULID, digest, memory address, timestamp or e-mail address.",
    why=(
        "Whatever the label is called, a value that identifies one thing at one time makes a new series for each of "
        "them. One such series is enough to know; a thousand are an outage."
    ),
    bad=(
        "# HELP acme_jobs_total Events.\n"
        "# TYPE acme_jobs_total counter\n"
        'acme_jobs_total{ref="7f3e1c52-90ab-4d6e-8f17-2b6c5d4e3f21"} 1\n'
    ),
    good=(
        '# HELP acme_jobs_total Events.\n# TYPE acme_jobs_total counter\nacme_jobs_total{ref="import"} 1\n'
    ),
    remedy="Drop the label or replace its value by a class of few; identifiers belong in logs, traces and exemplars.",
)

_WANTED = MappingProxyType(
    {
        "UUID": "drop the label; identifiers belong in logs, traces and exemplars",
        "ULID": "drop the label; identifiers belong in logs, traces and exemplars",
        "hexadecimal digest": "drop the label; digests belong in logs, traces and exemplars",
        "memory address": "name the object; an address is another one in each process",
        "timestamp": "make the time the value of a gauge, in seconds since 1970",
        "e-mail address": "drop the label; a person is no dimension, and the address is personal data",
    }
)


def find(context: Context) -> Iterator[Hit]:
    """Yield each label with such values, in any family."""
    return shaped(context, _WANTED)


CHECK = Check(DOC, find)
