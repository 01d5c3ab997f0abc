"""Which format a body is read in, and the limits on what may be read."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from obs.exposition import DiagnosisKind, Format, Limits, parse, parse_chunks

OM = "application/openmetrics-text; version=1.0.0; charset=utf-8"


@pytest.mark.parametrize(
    ("content_type", "form"),
    [
        ("text/plain; version=0.0.4; charset=utf-8", Format.TEXT),
        ("text/plain", Format.TEXT),
        ("TEXT/PLAIN;version=0.0.4", Format.TEXT),
        (OM, Format.OPENMETRICS),
        ("application/openmetrics-text; version=0.0.1", Format.OPENMETRICS),
    ],
)
@pytest.mark.parametrize("body", [b"a 1\n", b"a 1\n# EOF\n"])
def test_the_content_type_decides(content_type: str, form: Format, body: bytes) -> None:
    """The header decides, whatever the body looks like: `# EOF` is a comment in text."""
    assert parse(body, content_type=content_type).format is form


@pytest.mark.parametrize(
    ("body", "form"),
    [
        (b"a 1\n# EOF\n", Format.OPENMETRICS),
        (b"a 1\n# EOF", Format.OPENMETRICS),
        (b"# EOF\n\n", Format.OPENMETRICS),
        (b"a 1\n# EOF\nb 1\n", Format.TEXT),
        (b"a 1\n", Format.TEXT),
        (b"", Format.TEXT),
    ],
)
def test_a_file_is_openmetrics_when_it_ends_so(body: bytes, form: Format) -> None:
    """Without a header a last line `# EOF` says OpenMetrics, nothing else does."""
    assert parse(body).format is form


@pytest.mark.parametrize(
    "content_type", ["", " ", "text/html", "application/json", "application/octet-stream"]
)
def test_another_content_type_is_a_diagnosis_and_the_body_is_read(content_type: str) -> None:
    """A header that names no exposition format drops the scrape in a server, but the body is still judged."""
    scrape = parse(b"a 1\na 1\n", content_type=content_type)
    said = {one.kind for one in scrape.diagnoses}
    assert said == {DiagnosisKind.DUPLICATE_SERIES, DiagnosisKind.CONTENT_TYPE}
    assert scrape.rejected_by_server


def test_a_foreign_body_has_one_diagnosis() -> None:
    """An HTML page served as HTML is said once."""
    assert len(parse(b"<html>", content_type="text/html").diagnoses) == 1


@pytest.mark.parametrize(
    "parameter", ["escaping=allow-utf-8", 'escaping="allow-utf-8"', "charset=utf-8; escaping=allow-utf-8"]
)
@pytest.mark.parametrize("media", ["text/plain; version=1.0.0", OM])
def test_quoted_names_are_read_when_asked_for(media: str, parameter: str) -> None:
    """With `escaping=allow-utf-8` any name may stand in quotes, of metrics and of labels, first or not."""
    body = b'# TYPE "my.queue" gauge\n{"my.queue","my.zone"="eu \\"1\\""} 1\n{zone="x","my.queue"} 2\n# EOF\n'
    scrape = parse(body, content_type=f"{media}; {parameter}")
    assert scrape.diagnoses == ()
    (family,) = scrape.families
    assert [one.labels for one in family.series()] == [(("my.zone", 'eu "1"'),), (("zone", "x"),)]
    assert family.name == "my.queue"


def test_a_body_over_the_limit_is_an_error_of_its_own() -> None:
    """A body of more bytes than the limit is not read; nothing in it is called missing."""
    scrape = parse(b"a 1\nb 2\n", limits=Limits(max_bytes=7))
    assert [one.kind for one in scrape.diagnoses] == [DiagnosisKind.BODY_LIMIT]
    assert (scrape.truncated, scrape.families) == (True, ())
    assert parse(b"a 1\nb 2\n", limits=Limits(max_bytes=8)).sample_count == 2


@pytest.mark.parametrize("room", [1, 3, 9])
def test_the_series_limit_stops_the_reading(room: int) -> None:
    """At the limit of series the reading stops with an error on the line that was one too many."""
    body = "# TYPE a gauge\n" + "".join(f'a{{k="{i}"}} 1\n' for i in range(10))
    scrape = parse(body.encode(), limits=Limits(max_series=room))
    (one,) = scrape.diagnoses
    assert (one.kind, one.line) == (DiagnosisKind.SERIES_LIMIT, room + 2)
    assert (scrape.sample_count, scrape.truncated) == (room, True)


def test_chunks_are_not_asked_for_beyond_the_limit() -> None:
    """A stream without end is left as soon as it is too long."""
    asked = []

    def endless() -> Iterator[bytes]:
        while True:
            asked.append(1)
            yield b"a 1\n"

    scrape = parse_chunks(endless(), limits=Limits(max_bytes=100))
    assert len(asked) == 26
    assert [one.kind for one in scrape.diagnoses] == [DiagnosisKind.BODY_LIMIT]


def test_chunks_may_cut_anywhere() -> None:
    """A body is the same in one piece and in bytes."""
    body = 'a{k="é"} 1\nb 2\n'.encode()
    assert parse_chunks(body[i : i + 1] for i in range(len(body))) == parse(body)
    assert parse(body).families[0].distinct("k") == {"é"}


def test_invalid_utf8_is_told_by_offset() -> None:
    """Each run of bad bytes is told with its value and its offset in the body; the line is still read."""
    scrape = parse(b"a 1\n" + b'b{k="\xe9x\xff\xfe"} 2\n')
    assert [(one.line, one.column, one.end_column) for one in scrape.diagnoses] == [(2, 6, 7), (2, 8, 10)]
    assert "0xe9 at offset 9" in scrape.diagnoses[0].message
    assert "0xff at offset 11" in scrape.diagnoses[1].message
    assert scrape.sample_count == 2


def test_crlf_is_said_once_and_the_body_is_read() -> None:
    """Windows line ends are one diagnosis, not one a line, and hide nothing else."""
    scrape = parse(b"# TYPE a gauge\r\na 1\r\nb 1,5\r\n")
    assert [one.kind for one in scrape.diagnoses] == [DiagnosisKind.CRLF, DiagnosisKind.DECIMAL_COMMA]
    assert scrape.by_name["a"].kind == "gauge"
