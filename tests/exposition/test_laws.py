"""Laws that hold for every body, looked for by hypothesis."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from obs.exposition import Format, Limits, SampleFamily, Scrape, Series, parse, render
from obs.exposition.lines import OPENMETRICS_GRAMMAR, TEXT_GRAMMAR, Grammar, Stop, scan, scan_carefully
from obs.exposition.reader import parse_with
from obs.exposition.render import render_value
from tests.exposition.faults import OPENMETRICS, TEXT
from tests.exposition.strategies import families, nearly_bodies

CONTENT_TYPES = st.sampled_from([None, TEXT, OPENMETRICS, f"{TEXT}; escaping=allow-utf-8"])
MEDIA = {Format.TEXT: TEXT, Format.OPENMETRICS: OPENMETRICS}


def everything(scrape: Scrape) -> object:
    """Return all that a caller can see of a scrape, comparable (NaN equals NaN) whatever path it was read by."""
    return repr(
        (
            scrape.format,
            scrape.diagnoses,
            sorted(scrape.diagnosis_counts.items()),
            scrape.truncated,
            scrape.rejected_by_server,
            sorted(scrape.broken_names),
            [
                (
                    replace(family, blocks=()),
                    sorted((one.name, one.label_names, list(one.lines)) for one in family.blocks),
                    [(one, one.line) for one in family.series()],
                )
                for family in scrape.families
            ],
        )
    )


@settings(max_examples=400)
@given(nearly_bodies(), CONTENT_TYPES, st.sampled_from([1_000_000, 1_000_000, 5]))
def test_the_fast_path_changes_nothing(body: str, content_type: str | None, room: int) -> None:
    """Reading by columns and reading line by line give the same scrape, diagnosis by diagnosis."""
    both = [
        parse_with(
            body.encode("utf-8", "surrogatepass"),
            content_type=content_type,
            limits=Limits(max_series=room),
            source="-",
            columnar=columnar,
        )
        for columnar in (True, False)
    ]
    assert everything(both[0]) == everything(both[1])


@settings(max_examples=300)
@given(nearly_bodies(), st.sampled_from([TEXT_GRAMMAR, OPENMETRICS_GRAMMAR]))
def test_the_short_cut_of_a_line_changes_nothing(body: str, grammar: Grammar) -> None:
    """A line that is taken as a whole gives what reading it token by token gives."""
    for line in body.split("\n"):
        try:
            careful = scan_carefully(line, grammar)
        except Stop as stop:
            with pytest.raises(Stop) as raised:
                scan(line, grammar)
            assert (raised.value.stage, raised.value.at) == (stop.stage, stop.at)
        else:
            assert repr(scan(line, grammar)) == repr(careful)


@settings(max_examples=300)
@given(
    st.binary(max_size=300) | nearly_bodies().map(lambda text: text.encode("utf-8", "surrogatepass")),
    CONTENT_TYPES,
)
def test_any_bytes_are_judged_with_positions(body: bytes, content_type: str | None) -> None:
    """Nothing raises; what is reported has a line of the body and a column; a rejection has a reason."""
    scrape = parse(body, content_type=content_type)
    for one in scrape.diagnoses:
        assert 1 <= one.line <= body.count(b"\n") + 1
        assert 1 <= one.column < one.end_column
        assert all(1 <= line <= body.count(b"\n") + 1 for line in one.related_lines)
        assert one.message.isprintable()
    assert scrape.rejected_by_server is any(one.fatal for one in scrape.diagnoses)
    assert scrape.series_count <= scrape.sample_count


@pytest.mark.parametrize("form", list(Format))
@given(data=st.data())
def test_what_is_rendered_reads_back(form: Format, data: st.DataObject) -> None:
    """A rendered body has no diagnosis and parses to the values it was made of."""
    made = data.draw(families(form))
    scrape = parse(render(made, form), content_type=MEDIA[form])
    assert scrape.diagnoses == ()
    assert tuple(map(SampleFamily.of, scrape.families)) == made


@given(data=st.data())
def test_rendering_what_was_read_changes_nothing(data: st.DataObject) -> None:
    """The bytes of a rendered body come out again when it is parsed and rendered."""
    form = data.draw(st.sampled_from(Format))
    body = render(data.draw(families(form)), form)
    again = render(map(SampleFamily.of, parse(body, content_type=MEDIA[form]).families), form)
    assert again == body


@given(st.floats())
def test_a_value_survives(value: float) -> None:
    """Every float, denormals, infinities, minus zero and NaN included, is read as the one that was written."""
    scrape = parse(f"a {render_value(value)}\n".encode())
    (family,) = scrape.families
    (one,) = family.series()
    assert scrape.diagnoses == ()
    assert (math.isnan(value) and math.isnan(one.value)) or (
        one.value == value and math.copysign(1, one.value) == math.copysign(1, value)
    )


@given(data=st.data())
def test_the_order_of_families_does_not_matter(data: st.DataObject) -> None:
    """The same families in another order give the same families."""
    made = data.draw(families(Format.TEXT))
    shuffled = data.draw(st.permutations(made))
    read = [SampleFamily.of(one) for one in parse(render(shuffled, Format.TEXT)).families]
    assert sorted(read, key=lambda one: one.name) == sorted(made, key=lambda one: one.name)


@given(st.data())
def test_a_family_is_found_by_its_labels(data: st.DataObject) -> None:
    """Every series of a sound family is found again by name and labels."""
    for family in parse(render(data.draw(families(Format.TEXT)), Format.TEXT)).families:
        for one in family.series():
            found = family.find(dict(one.labels), one.name)
            assert isinstance(found, Series)
            assert found.line == one.line
