"""The page of a check, as Markdown for the docs and as text for the terminal; both say the same."""

from __future__ import annotations

from collections.abc import Iterable
from textwrap import fill

from obs.checks.catalogue import CATEGORIES, LIVE
from obs.model.check import CheckDoc

MARK = "<!-- Written from the check itself by `make accept`: do not edit. -->"
"""The first line of every page."""


def markdown(doc: CheckDoc, consumer: str = "") -> str:
    """Return the page of a check; `consumer` is its severity in the consumer profile where that differs."""
    severity = doc.severity.word + (f", for a consumer {consumer}" if consumer else "")
    language = "text" if doc.category in (*CATEGORIES, LIVE) else "yaml"
    parts = [
        MARK,
        f"# {doc.code} {doc.slug}",
        doc.summary,
        f"Category: {doc.category}. Severity: {severity}.",
        f"## Why it matters\n\n{doc.why}",
        f"## Bad\n\n{_fenced(doc.bad, language)}",
        f"## Good\n\n{_fenced(doc.good, language)}",
        f"## What to do\n\n{doc.remedy}",
        f"To accept it for a while, suppress `{doc.code}` in obs.yaml with a reason and a date (docs/reports.md).",
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _fenced(example: str, language: str) -> str:
    return f"```{language}\n{shown(example)}```"


def plain(doc: CheckDoc, width: int = 100) -> str:
    """Return the page of a check for a terminal."""
    head = f"{doc.code} {doc.slug} ({doc.category}, {doc.severity.word})"
    parts = [
        head,
        fill(doc.summary, width),
        fill(doc.why, width),
        "bad:\n" + _indented(doc.bad),
        "good:\n" + _indented(doc.good),
        fill(f"what to do: {doc.remedy}", width),
    ]
    return "\n\n".join(parts) + "\n"


def _indented(example: str) -> str:
    return "\n".join(f"    {line}".rstrip() for line in shown(example).splitlines())


def shown(example: str) -> str:
    """Return an example with what cannot be printed as escapes, each line ended."""
    text = "".join(_visible(char) for char in example)
    return text if text.endswith("\n") else text + "\n"


def _visible(char: str) -> str:
    if char == "\n" or char.isprintable():
        return char
    if char == "\t":
        return "\\t"
    code = ord(char)
    if 0xDC80 <= code <= 0xDCFF:  # a byte that is not UTF-8, as surrogateescape has it
        return f"\\x{code - 0xDC00:02x}"
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def index(docs: Iterable[CheckDoc]) -> str:
    """Return the page that lists all checks by category, each with its default severity and summary."""
    parts = [
        MARK,
        "# Checks",
        "Codes never change their meaning. `obs explain CODE` shows a page in the terminal.",
    ]
    rows: dict[str, list[str]] = {}
    for doc in docs:
        row = f"| [{doc.code}]({doc.code}.md) | {doc.slug} | {doc.severity.word} | {_cell(doc.summary)} |"
        rows.setdefault(doc.category, []).append(row)
    for category, lines in rows.items():
        head = "| code | slug | severity | what is reported |\n|---|---|---|---|\n"
        parts.append(f"## {category}\n\n{head}" + "\n".join(lines))
    return "\n\n".join(parts) + "\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
