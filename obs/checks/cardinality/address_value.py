"""OBS304: a label value is an IP address and port."""

from __future__ import annotations

from collections.abc import Iterator
from types import MappingProxyType

from obs.checks.cardinality.value_shapes import shaped
from obs.checks.check import Check, Hit
from obs.checks.context import Context
from obs.model.check import CheckDoc
from obs.model.finding import Severity

DOC = CheckDoc(
    code="OBS304",
    slug="address-value",
    category="cardinality",
    severity=Severity.WARNING,
    summary="A label value is an IP address with a port.",
    why=(
        "Addresses of clients are as many as there are clients, and those of pods change with each of them. The target "
        "itself is already named by `instance`."
    ),
    bad=(
        "# HELP acme_connections Connections.\n"
        "# TYPE acme_connections gauge\n"
        'acme_connections{peer="10.4.7.12:48122"} 1\n'
    ),
    good=(
        "# HELP acme_connections Connections.\n"
        "# TYPE acme_connections gauge\n"
        'acme_connections{peer="billing"} 1\n'
    ),
    remedy="Use the name of the service, or drop the label.",
)

_WANTED = MappingProxyType(
    {
        "IP address and port": "use the name of the service, or drop the label",
    }
)


def find(context: Context) -> Iterator[Hit]:
    """Yield each label with such values, in any family."""
    return shaped(context, _WANTED)


CHECK = Check(DOC, find)
