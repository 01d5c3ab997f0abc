"""Time ranges and steps."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from obs.errors import UsageError
from obs.preview.clock import MOST_POINTS, Range, aligned, read_range, step

NOW = 1_767_225_600.0


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        ("now-3h", "now", (NOW - 10800, NOW)),
        ("now-7d", "now-1d", (NOW - 604800, NOW - 86400)),
        ("1767220000000", "1767223600500", (1767220000.0, 1767223600.5)),
    ],
)
def test_ranges_are_read_as_grafana_writes_them(start, end, expected):
    """Relative and absolute ends mix freely."""
    found = read_range(start, end, NOW)
    assert (found.start, found.end) == expected


@pytest.mark.parametrize(
    ("start", "end"),
    [
        ("now", "now"),
        ("now", "now-1h"),
        ("yesterday", "now"),
        ("now-1h/h", "now"),
        ("", "now"),
        ("now-9y", "now"),
    ],
)
def test_nonsense_is_a_usage_error(start, end):
    """Backward, empty, unreadable and endless ranges are refused."""
    with pytest.raises(UsageError):
        read_range(start, end, NOW)


@given(
    span=st.floats(1, 366 * 86400),
    points=st.integers(1, 20_000),
    shortest=st.sampled_from([1.0, 5.0, 15.0, 60.0]),
)
def test_a_step_is_never_too_fine(span, points, shortest):
    """No step is shorter than the panel's, and no answer has more points than Prometheus allows."""
    found = step(span, points, shortest)
    assert found >= shortest
    assert span / found <= MOST_POINTS


@given(start=st.floats(0, 2e9), length=st.floats(1, 1e6), every=st.sampled_from([1.0, 15.0, 60.0, 3600.0]))
def test_alignment_moves_by_less_than_a_step(start, length, every):
    """Aligned ends are multiples of the step, just before the asked ones."""
    found = aligned(Range(start, start + length), every)
    assert found.start % every == found.end % every == 0
    assert 0 <= start - found.start < every
