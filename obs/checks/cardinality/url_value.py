"""OBS303: a label value is a URL or a path with ids."""

from __future__ import annotations

from collections.abc import Iterator
from types import MappingProxyType

from obs.checks.cardinality.value_shapes import shaped
from obs.checks.check import Check, Hit
from obs.checks.context import Context
from obs.model.check import CheckDoc
from obs.model.finding import Severity

DOC = CheckDoc(
    code="OBS303",
    slug="url-value",
    category="cardinality",
    severity=Severity.WARNING,
    summary="A label value is a URL or a path with ids in it.",
    why=(
        "Whoever sends requests chooses the values: each user, item and scanner makes new series. The template of the "
        "route has the same meaning and few values."
    ),
    bad=(
        "# HELP acme_requests_total Events.\n"
        "# TYPE acme_requests_total counter\n"
        'acme_requests_total{path="/api/users/1834"} 1\n'
        'acme_requests_total{path="/api/users/2207"} 1\n'
    ),
    good=(
        "# HELP acme_requests_total Events.\n"
        "# TYPE acme_requests_total counter\n"
        'acme_requests_total{route="/api/users/{id}"} 1\n'
    ),
    remedy="Use the template of the route, and one value for everything that matches none.",
)

_WANTED = MappingProxyType(
    {
        "URL": "use the name of the endpoint, not its address",
        "path with an id": "use the template of the route, such as `/users/{id}`, and one value for all other paths",
    }
)


def find(context: Context) -> Iterator[Hit]:
    """Yield each label with such values, in any family."""
    return shaped(context, _WANTED)


CHECK = Check(DOC, find)
