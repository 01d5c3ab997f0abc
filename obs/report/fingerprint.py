"""The identity of a finding across runs: what stays when lines move and numbers change."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from obs.model.finding import Finding

_QUOTED = re.compile(r"`[^`]*`")
_NUMBER = re.compile(r"[+-]?(?:\d+(?:[,_]\d+)*(?:\.\d+)?(?:[eE][+-]?\d+)?|\bInf\b|\bNaN\b)")
# A run-time identifier inside quoted text: a UUID, a memory address, a hex string with a digit, a
# long number.
_IDENTIFIER = re.compile(
    r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}|\b0x[0-9a-fA-F]{6,}|\b(?=[a-fA-F]*\d)[0-9a-fA-F]{8,}\b|\d{4,}"
)


def shape(message: str) -> str:
    """Return `message` with what varies from scrape to scrape replaced by `#`.

    Outside backticks every number varies (line numbers, counts). Inside, text that is one number is a value
    that varies; otherwise only identifiers do, so that `code="404"` and `code="500"` stay two things.
    """
    pieces: list[str] = []
    end = 0
    for match in _QUOTED.finditer(message):
        pieces += [_NUMBER.sub("#", message[end : match.start()]), _quoted_shape(match.group()[1:-1])]
        end = match.end()
    return "".join([*pieces, _NUMBER.sub("#", message[end:])])


def _quoted_shape(text: str) -> str:
    return "`#`" if _NUMBER.fullmatch(text) else f"`{_IDENTIFIER.sub('#', text)}`"


def fingerprint(finding: Finding) -> str:
    """Return 32 hexadecimal digits (the first half of a SHA-256) that identify `finding`.

    Code, subject, message shape and JSON path enter; source, line and column do not.
    """
    import hashlib  # noqa: PLC0415 - a report for people has no fingerprints, and hashing loads a library

    path = re.sub(r"\d+", "#", finding.location.path)
    parts = (finding.code, finding.subject, shape(finding.message), path)
    # Length-prefixed, so that no text can pose as the border between two parts.
    text = "".join(f"{len(part)}:{part}" for part in parts)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]
