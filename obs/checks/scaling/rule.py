"""What a rule about ScaledObjects is: its page, and a function from one or all of them to flaws."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from obs.checks.scaling.view import Scaler
from obs.documents.load import Document, Path
from obs.model.check import CheckDoc
from obs.model.finding import Severity
from obs.promql.catalog import Catalog, SeriesFacts

CATEGORY = "scaling"

COORDINATION = "agentctl_coordination_"
"""Series of the coordination server: they exist when no pod of the fleet does."""


class Facts(NamedTuple):
    """What the rules may know besides the documents.

    `catalog` says which series exist; `prefix` is the registry's; `keda` is the (major, minor) of the KEDA in use, or
    None when nobody said; `scrape_interval` is in seconds.
    """

    catalog: Catalog
    prefix: str = "agent_"
    keda: tuple[int, int] | None = None
    scrape_interval: int = 15

    def series(self, name: str) -> SeriesFacts | None:
        """Return what is known of a series."""
        return self.catalog.find(name)

    def per_pod(self, name: str) -> bool:
        """Return whether a series is exposed by the pods of a fleet, and by nothing when there are none."""
        found = self.catalog.find(name)
        return found.metric is not None if found else name.startswith(self.prefix)

    def neutral(self, name: str) -> str:
        """Return a series' name without the registry's prefix; names of others as they are."""
        return name.removeprefix(self.prefix)


class Flaw(NamedTuple):
    """What is wrong at a path of a document; `severity` replaces the rule's own; `related` is a second place."""

    path: Path
    message: str
    remedy: str
    severity: Severity | None = None
    related: tuple[tuple[Document, Path], ...] = ()


class Rule(NamedTuple):
    """A rule about one ScaledObject. `fragments`: it also holds for a lone spec or trigger."""

    doc: CheckDoc
    judge: Callable[[Scaler, Facts], Iterator[Flaw]]
    fragments: bool = False


class Bundle(NamedTuple):
    """Everything that is judged together: the ScaledObjects, and the other documents beside them."""

    scalers: tuple[Scaler, ...]
    others: tuple[Document, ...]


class BundleRule(NamedTuple):
    """A rule about ScaledObjects and what stands beside them; each flaw comes with the document it is in."""

    doc: CheckDoc
    judge: Callable[[Bundle, Facts], Iterator[tuple[Document, Flaw]]]


def page(
    code: str,
    slug: str,
    severity: Severity,
    summary: str,
    why: str,
    *,
    bad: str,
    good: str,
    remedy: str,
) -> CheckDoc:
    """Return the documentation of a rule of this package."""
    return CheckDoc(
        code=code,
        slug=slug,
        category=CATEGORY,
        severity=severity,
        summary=summary,
        why=" ".join(why.split()),
        bad=bad,
        good=good,
        remedy=remedy,
    )
