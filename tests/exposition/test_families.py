"""Which samples belong together, which series are the same, and the views a check reads."""

from __future__ import annotations

import itertools

import pytest

from obs.exposition import DiagnosisKind, MetricType, Scrape, parse

OM = "application/openmetrics-text; version=1.0.0"


def kinds(scrape: Scrape) -> list[DiagnosisKind]:
    """Return the kinds of the diagnoses in order."""
    return [one.kind for one in scrape.diagnoses]


def test_the_type_decides_what_a_suffix_means() -> None:
    """`_sum` of a histogram is its part; of TYPE counter it is a family of its own, even beside a histogram."""
    scrape = parse(
        b'# TYPE d histogram\nd_bucket{le="+Inf"} 1\nd_count 1\n'
        b"# TYPE lag_ms_sum counter\nlag_ms_sum 5\n# TYPE nodes_count gauge\nnodes_count 3\n"
    )
    assert scrape.diagnoses == ()
    assert {f.name: (f.kind, f.sample_names) for f in scrape.families} == {
        "d": (MetricType.HISTOGRAM, {"d_bucket", "d_count"}),
        "lag_ms_sum": (MetricType.COUNTER, {"lag_ms_sum"}),
        "nodes_count": (MetricType.GAUGE, {"nodes_count"}),
    }


def test_samples_without_metadata_are_untyped_families() -> None:
    """Without TYPE nothing is guessed from suffixes."""
    scrape = parse(b'x_bucket{le="1"} 1\nx_sum 1\nx_count 1\n')
    assert [(f.name, f.kind, f.type_line) for f in scrape.families] == [
        ("x_bucket", MetricType.UNTYPED, 0),
        ("x_sum", MetricType.UNTYPED, 0),
        ("x_count", MetricType.UNTYPED, 0),
    ]


def test_a_type_line_after_the_parts_of_a_histogram_is_late() -> None:
    """A TYPE line that comes after the samples it would have claimed is reported with the first of them."""
    scrape = parse(b'd_bucket{le="+Inf"} 1\nd_count 1\n# TYPE d histogram\n')
    assert [(one.kind, one.line, one.related_lines) for one in scrape.diagnoses] == [
        (DiagnosisKind.LATE_METADATA, 3, (1,))
    ]


@pytest.mark.parametrize("order", list(itertools.permutations(['a="1"', 'b="2"', 'c=""'])))
def test_label_order_and_empty_values_do_not_make_a_series(order: tuple[str, ...]) -> None:
    """All spellings of one label set are one series, and both lines are told."""
    scrape = parse(f'm{{a="1",b="2"}} 1\nm{{{",".join(order)}}} 2\n'.encode())
    (one,) = scrape.diagnoses
    assert (one.kind, one.line, one.related_lines) == (DiagnosisKind.DUPLICATE_SERIES, 2, (1,))
    assert (scrape.series_count, scrape.sample_count) == (1, 2)


def test_distinct_series_are_not_duplicates() -> None:
    """Series that differ in a value, a name or which label holds a value are told apart."""
    scrape = parse(b'm{a="1"} 1\nm{b="1"} 1\nm{a="2"} 1\nm{a="1",b="1"} 1\nm 1\n')
    assert scrape.diagnoses == ()
    assert scrape.series_count == 5


def test_duplicates_are_found_among_many_in_columns() -> None:
    """One twin among thousands of alike lines is found, with both lines."""
    lines = [f'm{{a="{i}",b="x"}} {i}\n' for i in range(5000)]
    lines.insert(4000, lines[17])
    scrape = parse(("# TYPE m gauge\n" + "".join(lines)).encode())
    (one,) = scrape.diagnoses
    assert (one.line, one.related_lines) == (4002, (19,))
    assert scrape.series_count == 5000


@pytest.mark.parametrize("first", ["sum", "count", "bucket"])
def test_parts_of_a_histogram_come_in_any_order(first: str) -> None:
    """A sum or a count before the buckets, or between them, belongs to its child, and columns keep their lines."""
    parts = {
        "sum": ['d_sum{k="a"} 1\n'],
        "count": ['d_count{k="a"} 2\n'],
        "bucket": [f'd_bucket{{k="a",le="{le}"}} 2\n' for le in ("1", "2", "3", "+Inf")],
    }
    order = [*parts[first], *(line for name, lines in parts.items() if name != first for line in lines)]
    scrape = parse(("# TYPE d histogram\n" + "".join(order)).encode())
    assert scrape.diagnoses == ()
    assert {scrape.line_text(one.line).partition("{")[0] for one in scrape.families[0].series()} == {
        "d_sum",
        "d_count",
        "d_bucket",
    }
    buckets = next(block for block in scrape.families[0].blocks if block.name == "d_bucket")
    assert list(buckets.column("le")) == ["1", "2", "3", "+Inf"]
    assert all(
        f'le="{le}"' in scrape.line_text(line)
        for le, line in zip(buckets.column("le"), buckets.lines, strict=True)
    )


def test_bounds_are_compared_as_numbers() -> None:
    """`10` is above `9`, and `1`, `1.0` and `1e0` are one bucket."""
    good = '# TYPE d histogram\nd_bucket{le="9"} 1\nd_bucket{le="10"} 2\nd_bucket{le="+Inf"} 2\nd_count 2\n'
    assert parse(good.encode()).diagnoses == ()
    twice = good.replace('le="9"', 'le="1e1"')
    assert kinds(parse(twice.encode())) == [DiagnosisKind.DUPLICATE_BUCKET]


def test_each_child_of_a_histogram_is_judged_alone() -> None:
    """Children may have different buckets; a defect names the labels of its child."""
    scrape = parse(
        b'# TYPE d histogram\nd_bucket{k="a",le="1"} 1\nd_bucket{k="a",le="+Inf"} 1\nd_count{k="a"} 1\n'
        b'd_bucket{k="b",le="+Inf"} 2\nd_count{k="b"} 3\n'
    )
    (one,) = scrape.diagnoses
    assert (one.kind, one.line, one.related_lines) == (DiagnosisKind.COUNT_MISMATCH, 6, (5,))
    assert '{k="b"}' in one.message


def test_a_family_gives_cheap_views() -> None:
    """Label names, distinct values with first line and count, series by labels, and values with their lines."""
    (family,) = parse(
        b'# HELP m Things.\n# TYPE m gauge\nm{a="x",b="1"} 1\nm{a="y",b="1"} 2\nm{a="x",b="2"} 3.5 1700000000000\n'
    ).families
    assert (family.help, family.help_line, family.type_line, family.line) == ("Things.", 1, 2, 2)
    assert family.label_names == {"a", "b"}
    assert family.label_sets == {frozenset("ab")}
    assert family.distinct("a") == {"x", "y"}
    assert family.value_counts("a") == {"x": 2, "y": 1}
    assert (family.first_line("a", "y"), family.first_line("b", "2"), family.first_line("b", "3")) == (
        4,
        5,
        0,
    )
    assert [(one.value, one.timestamp, one.line) for one in family.series()] == [
        (1, None, 3),
        (2, None, 4),
        (3.5, 1700000000000, 5),
    ]
    found = family.find({"b": "2", "a": "x", "c": ""})
    assert found is not None
    assert (found.value, found.line) == (3.5, 5)
    assert family.find({"a": "x"}) is None


def test_a_scrape_finds_families_and_lines() -> None:
    """Families are found by their own and by their samples' names; a line's text is cut from the body."""
    scrape = parse(b"# TYPE runs counter\nruns_total 1\nruns_created 2\n# EOF\n", content_type=OM)
    assert scrape.by_name["runs_created"] is scrape.by_name["runs"]
    assert [scrape.line_text(n) for n in range(6)] == [
        "",
        "# TYPE runs counter",
        "runs_total 1",
        "runs_created 2",
        "# EOF",
        "",
    ]
    assert scrape.line_at(scrape.text.index("runs_created")) == 3


def test_a_name_that_was_only_seen_broken_is_remembered() -> None:
    """A metric whose only line is broken is known by name, so that nobody calls it missing."""
    assert parse(b'queue{zone="a"b"} 1\n').broken_names == {"queue"}


def test_exemplars_are_kept_with_their_line() -> None:
    """An exemplar hangs on the sample of its line."""
    body = b'# TYPE r counter\nr_total{a="b"} 1 # {id="7",at="x"} 0.5 1700000000.25\n# EOF\n'
    (family,) = parse(body, content_type=OM).families
    (one,) = family.series()
    assert one.exemplar is not None
    assert one.exemplar.labels == (("id", "7"), ("at", "x"))
    assert (one.exemplar.value, one.exemplar.timestamp) == (0.5, 1700000000.25)
