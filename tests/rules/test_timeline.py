"""Series in promtool's notation: what is written is what was meant."""

from __future__ import annotations

import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from obs.emit.rules.timeline import Form, FormError, Scale, Stretch, notation, parse_form, parse_timeline
from obs.specs.expressions import Clock

SCALE = Scale(Clock(15, 30), {"limit": 8.0, "scrape": 15.0})


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("v", Form(1, 0)),
        ("10*v", Form(10, 0)),
        ("10 * v", Form(10, 0)),
        ("1 - v", Form(-1, 1)),
        ("3", Form(0, 3)),
        ("v / 1h", Form(1 / 3600, 0)),
        ("0.1 + v / 2h", Form(1 / 7200, 0.1)),
        ("limit - 1", Form(0, 7)),
        ("1.005 * limit / 1h", Form(0, 8.04 / 3600)),
        ("20m + limit + scrape", Form(0, 1223)),
        ("level", None),
        ("v v", None),
        ("", None),
        ("1 +", None),
        ("v / 0", None),
    ],
)
def test_forms(text, form):
    """Sums of terms in `v`, thresholds and windows; anything else is refused."""
    if form is None:
        with pytest.raises(FormError):
            parse_form(text, SCALE)
    else:
        found = parse_form(text, SCALE)
        assert math.isclose(found.slope, form.slope)
        assert math.isclose(found.offset, form.offset)


def test_windows_are_never_under_four_scrapes():
    """A duration in a form is the window that the rule has, too."""
    assert parse_form("v / 10s", SCALE).slope == 1 / 60


def test_timelines():
    """Stretches with a length, a last one without, nothing, levels and slopes."""
    assert parse_timeline("1 for 10m, none for 5m, level 3 for scrape, rising 2", SCALE) == (
        Stretch(600, 1),
        Stretch(300, None),
        Stretch(15, 3, rising=False),
        Stretch(math.inf, 2, rising=True),
    )


def expanded(text):
    """The samples that promtool makes of its notation; None where there is none or a staleness marker."""
    samples = []
    for part in text.split():
        if part == "stale":
            samples.append(None)
        elif part.startswith("_"):
            samples += [None] * int(part[2:] or 1)
        else:
            start, grow, count = re.fullmatch(r"(-?[\d.]+)\+(-?[\d.]+)x(\d+)", part).groups()
            samples += [float(start) + float(grow) * step for step in range(int(count) + 1)]
    return samples


stretches = st.lists(
    st.builds(
        Stretch,
        st.sampled_from([15.0, 60.0, 300.0]),
        st.one_of(st.none(), st.sampled_from([0.0, 1.0, 0.5, 20.0])),
    ),
    min_size=1,
    max_size=5,
).map(lambda found: [*found, Stretch(math.inf, 1.0)])


@given(stretches)
def test_a_gauge_has_its_level_at_every_scrape(found):
    """One sample a scrape, with the level of the stretch it falls into."""
    samples = expanded(notation(found, counter=False, step=15, end=2000))
    levels = [stretch.value for stretch in found for _ in range(round(min(stretch.length, 2400) / 15))]
    assert samples == levels[: 2000 // 15 + 1]


@given(stretches)
def test_a_counter_never_falls_and_keeps_its_rate(found):
    """It grows by rate times step at each scrape, and goes on where it stopped."""
    samples = expanded(notation(found, counter=True, step=15, end=2000))
    assert len(samples) == 2000 // 15 + 1
    seen = [sample for sample in samples if sample is not None]
    assert seen == sorted(seen)
    rates = [stretch.value for stretch in found for _ in range(round(min(stretch.length, 2400) / 15))]
    for before, after, rate in zip(samples, samples[1:], rates[1:], strict=False):
        if before is not None and after is not None:
            assert math.isclose(after - before, rate * 15, abs_tol=1e-6)
