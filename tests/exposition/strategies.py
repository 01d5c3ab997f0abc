"""What hypothesis draws: families that can be rendered, and bodies that are nearly right."""

from __future__ import annotations

from hypothesis import strategies as st

from obs.exposition import Exemplar, Format, MetricType, SampleFamily, Series
from tests.exposition.faults import FAULTS, SOUND

METRIC_NAMES = st.from_regex(r"[a-zA-Z_:][a-zA-Z0-9_:]{0,8}", fullmatch=True)
LABEL_NAMES = st.from_regex(r"[a-zA-Z_][a-zA-Z0-9_]{0,5}", fullmatch=True)
LABEL_VALUES = st.text(st.characters(exclude_categories=("Cs",)), max_size=8)
LABELS = st.dictionaries(LABEL_NAMES, LABEL_VALUES, max_size=3).map(lambda d: tuple(sorted(d.items())))
VALUES = st.floats(allow_nan=False)
COUNTS = st.integers(0, 2**60).map(float)
HELP = st.none() | st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\r"), max_size=20)


def _identity(labels: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    return tuple(pair for pair in labels if pair[1])


_LABEL_SETS = st.lists(LABELS, min_size=1, max_size=5, unique_by=_identity)


@st.composite
def families(draw: st.DrawFn, form: Format) -> tuple[SampleFamily, ...]:
    """Draw families without any defect, in `form`'s own names."""
    names = draw(st.lists(METRIC_NAMES, max_size=4, unique_by=lambda name: name.rstrip("_")))
    # A number in each name keeps `a_sum` from being a part of `a`.
    return tuple(draw(_family(f"{name}_n{i}x", form)) for i, name in enumerate(names))


@st.composite
def _family(draw: st.DrawFn, name: str, form: Format) -> SampleFamily:
    openmetrics = form is Format.OPENMETRICS
    kind = draw(
        st.sampled_from([MetricType.COUNTER, MetricType.GAUGE, MetricType.HISTOGRAM, MetricType.SUMMARY])
    )
    samples = [sample for labels in draw(_LABEL_SETS) for sample in draw(_samples(name, kind, labels, form))]
    unit = draw(st.none() | st.just("ms")) if openmetrics else None
    if unit:
        samples = [_renamed(sample, name, f"{name}_ms") for sample in samples]
        name = f"{name}_ms"
    help_text = draw(HELP)
    return SampleFamily(
        name,
        kind,
        help_text if openmetrics or not help_text else help_text.lstrip(" \t"),
        unit,
        tuple(samples),
    )


def _renamed(sample: Series, old: str, new: str) -> Series:
    return Series(
        new + sample.name.removeprefix(old), sample.labels, sample.value, sample.timestamp, sample.exemplar
    )


@st.composite
def _samples(
    draw: st.DrawFn, name: str, kind: MetricType, labels: tuple[tuple[str, str], ...], form: Format
) -> list[Series]:
    openmetrics = form is Format.OPENMETRICS
    stamp = draw(st.none() | st.integers(10**12, 10**13).map(float))
    if openmetrics and stamp is not None:
        stamp = stamp / 1000
    bare = tuple(pair for pair in labels if pair[0] not in {"le", "quantile"})
    match kind:
        case MetricType.GAUGE:
            return [Series(name, labels, draw(VALUES), stamp)]
        case MetricType.COUNTER:
            exemplar = draw(st.none() | st.builds(Exemplar, LABELS, VALUES)) if openmetrics else None
            return [Series(f"{name}_total" if openmetrics else name, labels, draw(COUNTS), stamp, exemplar)]
        case MetricType.SUMMARY:
            count = Series(f"{name}_count", labels, draw(COUNTS), stamp)
            return [Series(f"{name}_sum", labels, draw(COUNTS), stamp), count]
        case _:
            counts = sorted(draw(st.lists(COUNTS, min_size=2, max_size=4)))
            bounds = [*(str(2.5 * i) for i in range(len(counts) - 1)), "+Inf"]
            buckets = [
                Series(f"{name}_bucket", tuple(sorted((*bare, ("le", bound)))), count, stamp)
                for bound, count in zip(bounds, counts, strict=True)
            ]
            total = Series(f"{name}_sum", bare, draw(COUNTS), stamp)
            return [*buckets, total, Series(f"{name}_count", bare, counts[-1], stamp)]


_TOKENS = (
    '"', "\\", "{", "}", ",", "=", " ", "\t", "\n", "#", "# ", "# TYPE a counter\n", "# HELP a b\n",
    "# EOF\n", "\r", "\0",
    "NaN", "-nan", "+Inf", "1e999", "0x1", "1_0", "1", " 1700000000000", "a", "a_bucket", "a_sum", "a_count",
    "a_total",
    'le="1"', 'le="+Inf"', 'a=""', '{b="c"}', "é", "\uff11", "\u2028", "\x0b", "\x1c", '# {x="y"} 1', "a{", "} ", '",',
)  # fmt: skip
_ALIKE = st.builds(
    lambda kind, name, label, values: (
        f"# TYPE {name} {kind}\n"
        + "".join(f'{name}{{{label}="{value}"}} {i}\n' for i, value in enumerate(values))
    ),
    st.sampled_from(["counter", "gauge", "summary", "untyped"]),
    st.sampled_from(["a", "b_total", "c_sum"]),
    st.sampled_from(["x", "quantile"]),
    st.lists(st.sampled_from(["0.5", "", "u", "é", "x y"]), min_size=3, max_size=8),
)


def _histogram(counts: tuple[int, int, str], children: list[str], *, total_first: bool) -> str:
    text = "# TYPE h histogram\n"
    for child in children:
        bounds = zip(("1", "2", "+Inf"), counts, strict=True)
        buckets = "".join(f'h_bucket{{c="{child}",le="{bound}"}} {count}\n' for bound, count in bounds)
        totals = f'h_sum{{c="{child}"}} 1\nh_count{{c="{child}"}} {counts[2]}\n'
        text += totals + buckets if total_first else buckets + totals
    return text


_HISTOGRAM = st.builds(
    _histogram,
    st.tuples(st.integers(-1, 3), st.integers(0, 3), st.sampled_from(["0", "3", "NaN"])),
    st.lists(st.sampled_from("uvw"), min_size=1, max_size=5),
    total_first=st.booleans(),
)
_SEEDS = st.sampled_from(
    [fault.body.decode("utf-8", "replace") for fault in FAULTS] + [body for _, body in SOUND.values()]
)


@st.composite
def nearly_bodies(draw: st.DrawFn) -> str:
    """Draw a text that looks like an exposition, with tokens inserted, lines moved and pieces cut out."""
    text = "".join(draw(st.lists(_ALIKE | _HISTOGRAM | _SEEDS, min_size=1, max_size=3)))
    for _ in range(draw(st.integers(0, 4))):
        at = draw(st.integers(0, len(text)))
        cut = draw(st.integers(0, 12))
        text = text[:at] + draw(st.sampled_from(_TOKENS)) * draw(st.integers(0, 1)) + text[at + cut :]
    return text
