"""The rule about fleets that are scaled on each other's work."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from obs.checks.scaling.examples import CLAIM, beside, edited
from obs.checks.scaling.rule import COORDINATION, Bundle, BundleRule, Facts, Flaw, page
from obs.checks.scaling.view import Scaler
from obs.documents.load import Document, Path
from obs.model.finding import Severity

_Matchers = frozenset[tuple[str, str, str]]


class _Place(NamedTuple):
    """Where a scaler (by its position) reads a backlog, and the matchers that tell that backlog from others."""

    scaler: int
    path: Path
    matchers: _Matchers


def _places(scaler: Scaler, position: int) -> Iterator[_Place]:
    for trigger, shape in scaler.values():
        for matchers in dict.fromkeys(
            frozenset(read.matchers) for read in shape.reads if read.series.startswith(COORDINATION)
        ):
            if matchers:
                yield _Place(position, trigger.at("query"), matchers)
    for trigger in scaler.triggers:
        if trigger.external and "coordinationUrl" in trigger.metadata:
            url = trigger.text("coordinationUrl").rstrip("/")
            address = frozenset({("coordinationUrl", "=", url)})
            yield _Place(position, trigger.at("coordinationUrl"), address)


def _overlaps(places: list[_Place]) -> Iterator[tuple[_Place, _Place]]:
    """Yield pairs of places of two scalers where the first selects all that the second does.

    Each set of matchers is filed under its rarest one, so that a thousand fleets of one namespace are not compared
    each with each.
    """
    counts = Counter(matcher for place in places for matcher in place.matchers)
    filed: dict[tuple[str, str, str], list[_Place]] = {}
    for place in places:
        rarest = min(place.matchers, key=lambda matcher: (counts[matcher], matcher))
        filed.setdefault(rarest, []).append(place)
    for narrow in places:
        for matcher in sorted(narrow.matchers):
            for wide in filed.get(matcher, ()):
                if wide.matchers <= narrow.matchers and wide.scaler != narrow.scaler:
                    yield wide, narrow


def _shared(bundle: Bundle, facts: Facts) -> Iterator[tuple[Document, Flaw]]:
    del facts
    places = [place for position, scaler in enumerate(bundle.scalers) for place in _places(scaler, position)]
    told: dict[tuple[int, int], tuple[_Place, _Place]] = {}
    for pair in _overlaps(places):
        first, second = sorted(pair, key=lambda place: place.scaler)
        told.setdefault((first.scaler, second.scaler), (first, second))
    for (one, other), (first, second) in sorted(told.items(), key=lambda item: item[0]):
        if bundle.scalers[one].target_name != bundle.scalers[other].target_name:
            yield bundle.scalers[other].document, _flaw(bundle, first, second)


def _flaw(bundle: Bundle, first: _Place, second: _Place) -> Flaw:
    one, other = bundle.scalers[first.scaler], bundle.scalers[second.scaler]
    wide = min(first.matchers, second.matchers, key=lambda matchers: (len(matchers), sorted(matchers)))
    shown = ", ".join(f'{label}{operator}"{value}"' for label, operator, value in sorted(wide))
    return Flaw(
        second.path,
        f"`{other.name}` and `{one.name}` are scaled on the same backlog ({shown}): its series have no fleet label,"
        " so each grows for the other's work",
        "give each fleet a coordination server of its own and select it",
        related=((one.document, first.path),),
    )


_OTHER_FLEET = edited(
    CLAIM, ("name: inbox-workers", "name: mail-workers"), ("name: inbox-workers", "name: mail-workers")
)
_OWN_BACKLOG = _OTHER_FLEET.replace("inbox-coord", "mail-coord")

RULES = (
    BundleRule(
        page(
            "K011",
            "backlog-shared",
            Severity.ERROR,
            "Two fleets are scaled on one backlog.",
            """Coordination series have no fleet label. Two fleets that select the same server are each scaled
            on the sum of both backlogs, and pay for it twice.""",
            bad=beside(CLAIM, _OTHER_FLEET),
            good=beside(CLAIM, _OWN_BACKLOG),
            remedy="One coordination server a fleet, selected by its target labels.",
        ),
        _shared,
    ),
)
