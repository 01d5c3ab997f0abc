"""Mutants of the body as a whole: what it is encoded in, how it ends, what it is instead of metrics."""

from __future__ import annotations

import gzip

from obs.exposition import Format
from obs.synth.body import Body
from obs.synth.mutant import OPENMETRICS_ONLY, TEXT_ONLY, Context, Mutant

MAX_BYTES = 64 * 1024 * 1024  # the largest body obs lint reads when nobody says otherwise

_PAGE = (
    b"<!DOCTYPE html>\n<html><head><title>Sign in</title></head>\n"
    b"<body><form action=/login><input name=user></form></body></html>\n"
)
_EOF = b"# EOF\n"


def _nothing(body: Body, context: Context) -> Body:
    del body, context
    return ()


def _gzipped(text: bytes, _: Context) -> bytes:
    return gzip.compress(text, mtime=0)


def _html(_text: bytes, _: Context) -> bytes:
    return _PAGE


def _json(_text: bytes, _: Context) -> bytes:
    return b'{"status": "ok", "uptime_seconds": 86400}\n'


def _utf16(text: bytes, _: Context) -> bytes:
    return text.decode().encode("utf-16")


def _marked(text: bytes, _: Context) -> bytes:
    return b"\xef\xbb\xbf" + text


def _dos(text: bytes, _: Context) -> bytes:
    return text.replace(b"\n", b"\r\n")


def _padded(text: bytes, context: Context) -> bytes:
    """Add a remark of 64 MiB: an OpenMetrics body may have none, there it is a HELP text."""
    fill = b"x" * (MAX_BYTES + 1 - len(text))
    if context.form is Format.TEXT:
        return text + b"# " + fill + b"\n"
    return text.replace(
        b"# HELP ", b"# HELP " + context.stranger.encode() + b"_load " + fill + b"\n# HELP ", 1
    )


def _unended(text: bytes, _: Context) -> bytes:
    return text.removesuffix(b"\n")


def _cut(text: bytes, _: Context) -> bytes:
    """End in the middle of the last line that has labels."""
    at = text.rfind(b"{")
    return text[: at + 3] if at >= 0 else text[: text.rfind(b"_")]


def _without_eof(text: bytes, _: Context) -> bytes:
    return text.removesuffix(_EOF)


def _after_eof(text: bytes, context: Context) -> bytes:
    return text + context.stranger.encode() + b"_load 1\n"


WHOLES = (
    Mutant("no-samples", "an empty body", _nothing),
    Mutant("gzip-body", "a compressed body that does not say so", text=_gzipped),
    Mutant("html-body", "a page to sign in", text=_html),
    Mutant("not-an-exposition", "a health check in JSON", text=_json),
    Mutant("utf16-body", "the body in UTF-16", text=_utf16),
    Mutant("byte-order-mark", "a byte-order mark before the first line", text=_marked),
    Mutant("crlf-line-endings", "lines that end as on Windows", text=_dos),
    Mutant("unusable-content-type", "a Content-Type of HTML", content_type="text/html; charset=utf-8"),
    Mutant("body-limit", "one remark of 64 MiB", text=_padded),
    Mutant("series-limit", "the sound body, held against a limit of ten series", max_series=10),
    Mutant("missing-final-newline", "no line feed at the end", text=_unended, forms=TEXT_ONLY),
    Mutant("truncated-body", "a body cut off in the middle of a line", text=_cut),
    Mutant("missing-eof", "no `# EOF` at the end", text=_without_eof, forms=OPENMETRICS_ONLY),
    Mutant("text-after-eof", "a sample after `# EOF`", text=_after_eof, forms=OPENMETRICS_ONLY),
)
