"""All checks of bodies by code: append only, a code is never renumbered and never used again.

Importing this module is cheap. A check is loaded when it runs or when somebody asks for its documentation.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import cache
from importlib import import_module
from typing import NamedTuple

from obs.checks.check import Check, FormatCheck
from obs.errors import Problem, UsageError
from obs.model.check import CheckDoc

CATEGORIES = ("format", "contract", "cardinality", "style")
"""What `--select` and `--ignore` take besides codes and slugs."""

LIVE = "live"
"""The category of checks that need several bodies of one target."""


class Entry(NamedTuple):
    """A check that exists: its module is `obs.checks.<category>.<slug>` with underscores."""

    code: str
    slug: str
    category: str

    @property
    def module(self) -> str:
        """Return the module the check is in."""
        return f"obs.checks.{self.category}.{self.slug.replace('-', '_')}"

    def load(self) -> Check | FormatCheck:
        """Return the check."""
        found: Check | FormatCheck = import_module(self.module).CHECK
        return found

    @property
    def doc(self) -> CheckDoc:
        """Return the documentation of the check."""
        return self.load().doc


ALL_CHECKS = (
    Entry("OBS101", "no-samples", "format"),
    Entry("OBS102", "gzip-body", "format"),
    Entry("OBS103", "html-body", "format"),
    Entry("OBS104", "not-an-exposition", "format"),
    Entry("OBS105", "utf16-body", "format"),
    Entry("OBS106", "byte-order-mark", "format"),
    Entry("OBS107", "invalid-utf8", "format"),
    Entry("OBS108", "crlf-line-endings", "format"),
    Entry("OBS109", "unusable-content-type", "format"),
    Entry("OBS110", "body-limit", "format"),
    Entry("OBS111", "series-limit", "format"),
    Entry("OBS112", "missing-final-newline", "format"),
    Entry("OBS113", "truncated-body", "format"),
    Entry("OBS114", "missing-eof", "format"),
    Entry("OBS115", "text-after-eof", "format"),
    Entry("OBS120", "invalid-metric-name", "format"),
    Entry("OBS121", "invalid-label-name", "format"),
    Entry("OBS122", "quoted-name", "format"),
    Entry("OBS123", "unescaped-quote", "format"),
    Entry("OBS124", "unterminated-label-value", "format"),
    Entry("OBS125", "unquoted-label-value", "format"),
    Entry("OBS126", "unknown-escape", "format"),
    Entry("OBS127", "label-syntax", "format"),
    Entry("OBS128", "missing-comma", "format"),
    Entry("OBS129", "extra-comma", "format"),
    Entry("OBS130", "duplicate-label", "format"),
    Entry("OBS131", "missing-value", "format"),
    Entry("OBS132", "decimal-comma", "format"),
    Entry("OBS133", "invalid-value", "format"),
    Entry("OBS134", "invalid-timestamp", "format"),
    Entry("OBS135", "timestamp-unit", "format"),
    Entry("OBS136", "two-samples-on-one-line", "format"),
    Entry("OBS137", "unexpected-text", "format"),
    Entry("OBS138", "whitespace", "format"),
    Entry("OBS139", "blank-line", "format"),
    Entry("OBS140", "exemplar-in-text-format", "format"),
    Entry("OBS141", "invalid-exemplar", "format"),
    Entry("OBS142", "misplaced-exemplar", "format"),
    Entry("OBS150", "glued-comment", "format"),
    Entry("OBS151", "invalid-comment", "format"),
    Entry("OBS152", "unknown-type", "format"),
    Entry("OBS153", "wrong-case-type", "format"),
    Entry("OBS154", "second-type", "format"),
    Entry("OBS155", "conflicting-type", "format"),
    Entry("OBS156", "second-help", "format"),
    Entry("OBS157", "second-unit", "format"),
    Entry("OBS158", "late-metadata", "format"),
    Entry("OBS159", "invalid-unit", "format"),
    Entry("OBS170", "interleaved-family", "format"),
    Entry("OBS171", "interleaved-series", "format"),
    Entry("OBS172", "clashing-names", "format"),
    Entry("OBS173", "wrong-sample-suffix", "format"),
    Entry("OBS174", "duplicate-series", "format"),
    Entry("OBS175", "timestamp-order", "format"),
    Entry("OBS176", "nan-counter", "format"),
    Entry("OBS177", "negative-counter", "format"),
    Entry("OBS178", "histogram-without-inf", "format"),
    Entry("OBS179", "falling-buckets", "format"),
    Entry("OBS180", "bucket-count-mismatch", "format"),
    Entry("OBS181", "duplicate-bucket", "format"),
    Entry("OBS182", "bucket-order", "format"),
    Entry("OBS183", "invalid-le", "format"),
    Entry("OBS184", "invalid-quantile", "format"),
    Entry("OBS185", "missing-count", "format"),
    Entry("OBS186", "missing-sum", "format"),
    Entry("OBS187", "sum-with-negative-buckets", "format"),
    Entry("OBS188", "invalid-info-value", "format"),
    Entry("OBS189", "invalid-stateset", "format"),
    Entry("OBS201", "wrong-type", "contract"),
    Entry("OBS202", "unknown-metric", "contract"),
    Entry("OBS203", "missing-label", "contract"),
    Entry("OBS204", "unknown-label", "contract"),
    Entry("OBS205", "renamed-label", "contract"),
    Entry("OBS206", "value-outside-domain", "contract"),
    Entry("OBS207", "flag-value", "contract"),
    Entry("OBS208", "ratio-value", "contract"),
    Entry("OBS209", "count-value", "contract"),
    Entry("OBS210", "absent-metric", "contract"),
    Entry("OBS211", "declared-without-samples", "contract"),
    Entry("OBS212", "domain-not-initialised", "contract"),
    Entry("OBS213", "legacy-without-replacement", "contract"),
    Entry("OBS214", "provisional-with-samples", "contract"),
    Entry("OBS215", "unequal-series", "contract"),
    Entry("OBS216", "version-label", "contract"),
    Entry("OBS217", "near-miss-metric", "contract"),
    Entry("OBS301", "forbidden-label", "cardinality"),
    Entry("OBS302", "identifier-value", "cardinality"),
    Entry("OBS303", "url-value", "cardinality"),
    Entry("OBS304", "address-value", "cardinality"),
    Entry("OBS305", "free-text-value", "cardinality"),
    Entry("OBS306", "too-many-values", "cardinality"),
    Entry("OBS307", "metric-budget", "cardinality"),
    Entry("OBS308", "instance-budget", "cardinality"),
    Entry("OBS309", "target-label", "cardinality"),
    Entry("OBS310", "created-series", "cardinality"),
    Entry("OBS311", "label-growth", "cardinality"),
    Entry("OBS401", "missing-help", "style"),
    Entry("OBS402", "counter-without-total", "style"),
    Entry("OBS403", "total-on-non-counter", "style"),
    Entry("OBS404", "reserved-suffix", "style"),
    Entry("OBS405", "reserved-label", "style"),
    Entry("OBS406", "type-in-name", "style"),
    Entry("OBS407", "colon-in-name", "style"),
    Entry("OBS408", "camel-case", "style"),
    Entry("OBS409", "unit-in-name", "style"),
    Entry("OBS410", "inconsistent-labels", "style"),
    Entry("OBS411", "explicit-timestamp", "style"),
)
"""Every check of one body, by code."""

LIVE_CHECKS = (
    Entry("OBS501", "counter-decrease", "live"),
    Entry("OBS502", "several-processes", "live"),
    Entry("OBS503", "vanished-series", "live"),
    Entry("OBS504", "label-churn", "live"),
    Entry("OBS505", "growing-label", "live"),
    Entry("OBS506", "frozen-body", "live"),
    Entry("OBS507", "generation-decrease", "live"),
    Entry("OBS508", "drifting-twins", "live"),
)
"""Checks of a target that is looked at again and again; see `obs.checks.live.trail`."""

OF_NUMBERS = frozenset({"OBS207", "OBS208", "OBS209", "OBS215"})
"""Checks of one body that look at numbers. What the others say depends on names and labels alone, so it holds for any
body with the same label sets."""


@cache
def by_slug() -> dict[str, Entry]:
    """Return the checks by slug; a diagnosis of the parser has the slug of its check."""
    return {entry.slug: entry for entry in ALL_CHECKS}


def select(
    wanted: Collection[str], unwanted: Collection[str] = (), among: tuple[Entry, ...] = ALL_CHECKS
) -> tuple[Entry, ...]:
    """Return the checks of `among` that `--select` (empty: all) and `--ignore` leave, in order.

    Both name categories, codes or slugs. Raise UsageError for a word that is none of them, or when nothing is left.
    """
    chosen = _named(wanted, "--select", among) if wanted else set(among)
    left = chosen - _named(unwanted, "--ignore", among)
    if not left:
        raise UsageError([Problem("--select, --ignore", "no check is left to run", "ignore less")])
    return tuple(entry for entry in among if entry in left)


def _named(words: Collection[str], where: str, among: tuple[Entry, ...]) -> set[Entry]:
    found: set[Entry] = set()
    problems = []
    for word in words:
        matching = {entry for entry in among if word.lower() in _words(entry)}
        found |= matching
        if not matching:
            problems.append(_unknown(word, where, among))
    if problems:
        raise UsageError(problems)
    return found


def _words(entry: Entry) -> tuple[str, str, str]:
    return entry.category, entry.slug, entry.code.lower()


def _unknown(word: str, where: str, among: tuple[Entry, ...]) -> Problem:
    from obs.documents.suggest import nearest  # noqa: PLC0415 - a typo alone pays for the import

    known = sorted({word for entry in among for word in (entry.category, entry.code, entry.slug)})
    near = nearest(word, known)
    remedy = f"did you mean `{near}`?" if near else "`obs lint --list` shows them"
    return Problem(where, f"`{word}` is no category, code or slug", remedy)
