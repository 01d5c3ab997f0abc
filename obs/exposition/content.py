"""Bytes to text: what the body is, in which format, and the defects of encoding, each named once.

The format comes from the Content-Type, or from a last line `# EOF` where no type is known; it is never found
by trying one parser after the other.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from obs.exposition.diagnosis import DiagnosisKind as Kind
from obs.exposition.explain import show
from obs.exposition.notes import Notes
from obs.exposition.scrape import Format, Limits

_TITLE = re.compile(r"<title[^>]*>([^<]{0,80})", re.IGNORECASE)
_JSON = re.compile(r'\s*(?:\[\s*[\[{"\]]|\{\s*(?:"[^"\n]*"\s*:|\}))')
_NOT_UTF8 = re.compile("[\udc80-\udcff]+")
_COMPRESSED = ((b"\x1f\x8b", "gzip"), (b"\x28\xb5\x2f\xfd", "zstd"))
_WIDE = ((b"\xff\xfe", "UTF-16 LE"), (b"\xfe\xff", "UTF-16 BE"))


@dataclass(frozen=True, slots=True)
class Content:
    """What a Content-Type says: the format (None: nothing usable), and whether quoted names are allowed."""

    form: Format | None
    utf8_names: bool = False


def read_content_type(content_type: str | None, notes: Notes, *, foreign: bool = False) -> Content:
    """Return what a Content-Type header says; None stands for "not known", as for a file.

    A blank or foreign type is a diagnosis: since version 3 a Prometheus server fails such a scrape unless it
    is configured with `fallback_scrape_protocol`. A `foreign` body has its own diagnosis, which says it all.
    """
    if content_type is None:
        return Content(None)
    media, *parameters = (part.strip().lower() for part in content_type.split(";"))
    utf8_names = "escaping=allow-utf-8" in (part.replace(" ", "").replace('"', "") for part in parameters)
    if media in {"application/openmetrics-text", "text/plain"}:
        return Content(Format.OPENMETRICS if media.startswith("app") else Format.TEXT, utf8_names)
    if foreign:
        return Content(None, utf8_names)
    shown = f"Content-Type is {show(content_type)}" if content_type.strip() else "Content-Type is blank"
    notes.add(
        Kind.CONTENT_TYPE,
        1,
        f"{shown}, which is no exposition format",
        f"serve `{Format.TEXT.value}; charset=utf-8` or `{Format.OPENMETRICS.value}; charset=utf-8`",
        fatal=True,
    )
    return Content(None, utf8_names)


def ends_with_eof(text: str) -> bool:
    """Return whether the last line is `# EOF`, the mark of OpenMetrics; blank lines after it do not hide it."""
    end = text[-99:].rstrip("\n")
    return end == "# EOF" or end.endswith("\n# EOF")


def decode(body: bytes, notes: Notes, limits: Limits) -> str | None:
    """Return the body as text with line feeds only, or None when it is no exposition at all."""
    if len(body) > limits.max_bytes:
        message = f"the body is larger than the limit of {limits.max_bytes} bytes and was not read"
        notes.add(Kind.BODY_LIMIT, 1, message, "expose fewer series, or raise the limit")
        return None
    if _is_foreign(body, notes):
        return None
    text = _to_text(body, notes)
    if text.startswith("\ufeff"):
        message = "the body starts with a UTF-8 byte-order mark"
        notes.add(Kind.BYTE_ORDER_MARK, 1, message, "write UTF-8 without a byte-order mark", fatal=True)
        text = text[1:]
    if "\r" in text and "\r\n" in text:
        text = _without_carriage_returns(text, notes)
    return text


def _is_foreign(body: bytes, notes: Notes) -> bool:
    """Note a body that is something else; at most one note."""
    for magic, name in _COMPRESSED:
        if body.startswith(magic):
            message = f"the body is {name}-compressed but Content-Encoding does not say so"
            remedy = "send `Content-Encoding`, compress once, or decompress the file first"
            notes.add(Kind.GZIP_BODY, 1, message, remedy, fatal=True)
            return True
    for magic, name in _WIDE:
        if body.startswith(magic):
            notes.add(Kind.UTF16_BODY, 1, f"the body is not UTF-8 ({name})", "write UTF-8", fatal=True)
            return True
    head = body[:4096].decode("utf-8", "replace").lstrip("\ufeff \t\r\n")
    if head.startswith("<"):
        title = _TITLE.search(head)
        named = f", titled {show(' '.join(title[1].split()))}" if title and title[1].strip() else ""
        message = f"the body is an HTML or XML document{named}, no exposition"
        notes.add(
            Kind.HTML_BODY, 1, message, "check the URL, the login in front of it and the proxy", fatal=True
        )
        return True
    if _JSON.match(head):
        remedy = "check the URL; the metrics are usually under /metrics"
        notes.add(Kind.NOT_EXPOSITION, 1, "the body is JSON, no exposition", remedy, fatal=True)
        return True
    return False


def _to_text(body: bytes, notes: Notes) -> str:
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError:
        text = body.decode("utf-8", "surrogateescape")
    offset = line = line_start = position = 0
    for found in _NOT_UTF8.finditer(text):
        offset += len(text[position : found.start()].encode("utf-8", "surrogateescape"))
        feeds = text.count("\n", position, found.start())
        if feeds:
            line += feeds
            line_start = text.rfind("\n", 0, found.start()) + 1
        position = found.start()
        column = found.start() - line_start + 1
        message = f"byte 0x{body[offset]:02x} at offset {offset} of the body is not UTF-8"
        notes.add(
            Kind.INVALID_UTF8, line + 1, message, "encode label values as UTF-8", column=column,
            end=column + found.end() - found.start(), fatal=True,
        )  # fmt: skip
    return _NOT_UTF8.sub(lambda found: "\ufffd" * len(found[0]), text)


def _without_carriage_returns(text: str, notes: Notes) -> str:
    at = text.find("\r\n")
    line = text.count("\n", 0, at) + 1
    column = at - (text.rfind("\n", 0, at) + 1) + 1
    message = f"CRLF line endings on {text.count(chr(13) + chr(10))} lines; lines end in LF alone"
    notes.add(
        Kind.CRLF, line, message, "write LF, also on Windows", column=column, end=column + 1, fatal=True
    )
    return text.replace("\r\n", "\n")
