"""What the parser can say about a body: a closed list of diagnoses, each with a place and a remedy.

A diagnosis is raw: it knows the line and the column, not the code, the category or the excerpt of a finding.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from obs.model.finding import Severity


class DiagnosisKind(StrEnum):
    """Every defect of format the parser tells apart; the value is a stable slug."""

    # the body as a whole
    GZIP_BODY = "gzip-body"
    HTML_BODY = "html-body"
    NOT_EXPOSITION = "not-an-exposition"
    UTF16_BODY = "utf16-body"
    BYTE_ORDER_MARK = "byte-order-mark"
    INVALID_UTF8 = "invalid-utf8"
    CRLF = "crlf-line-endings"
    CONTENT_TYPE = "unusable-content-type"
    BODY_LIMIT = "body-limit"
    SERIES_LIMIT = "series-limit"
    MISSING_FINAL_NEWLINE = "missing-final-newline"
    TRUNCATED_BODY = "truncated-body"
    MISSING_EOF = "missing-eof"
    TEXT_AFTER_EOF = "text-after-eof"
    # names and labels of a sample line
    METRIC_NAME = "invalid-metric-name"
    LABEL_NAME = "invalid-label-name"
    QUOTED_NAME = "quoted-name"
    UNESCAPED_QUOTE = "unescaped-quote"
    UNTERMINATED_VALUE = "unterminated-label-value"
    UNQUOTED_VALUE = "unquoted-label-value"
    UNKNOWN_ESCAPE = "unknown-escape"
    LABEL_SYNTAX = "label-syntax"
    MISSING_COMMA = "missing-comma"
    EXTRA_COMMA = "extra-comma"
    DUPLICATE_LABEL = "duplicate-label"
    # numbers and what follows them
    MISSING_VALUE = "missing-value"
    DECIMAL_COMMA = "decimal-comma"
    INVALID_VALUE = "invalid-value"
    INVALID_TIMESTAMP = "invalid-timestamp"
    TIMESTAMP_UNIT = "timestamp-unit"
    TWO_SAMPLES = "two-samples-on-one-line"
    UNEXPECTED_TEXT = "unexpected-text"
    WHITESPACE = "whitespace"
    BLANK_LINE = "blank-line"
    EXEMPLAR_IN_TEXT = "exemplar-in-text-format"
    INVALID_EXEMPLAR = "invalid-exemplar"
    MISPLACED_EXEMPLAR = "misplaced-exemplar"
    # comment lines
    GLUED_COMMENT = "glued-comment"
    COMMENT_SYNTAX = "invalid-comment"
    UNKNOWN_TYPE = "unknown-type"
    TYPE_CASE = "wrong-case-type"
    SECOND_TYPE = "second-type"
    CONFLICTING_TYPE = "conflicting-type"
    SECOND_HELP = "second-help"
    SECOND_UNIT = "second-unit"
    LATE_METADATA = "late-metadata"
    INVALID_UNIT = "invalid-unit"
    # families and series
    INTERLEAVED_FAMILY = "interleaved-family"
    INTERLEAVED_SERIES = "interleaved-series"
    CLASHING_NAMES = "clashing-names"
    SAMPLE_SUFFIX = "wrong-sample-suffix"
    DUPLICATE_SERIES = "duplicate-series"
    TIMESTAMP_ORDER = "timestamp-order"
    NAN_COUNTER = "nan-counter"
    NEGATIVE_COUNTER = "negative-counter"
    NO_INF_BUCKET = "histogram-without-inf"
    FALLING_BUCKETS = "falling-buckets"
    COUNT_MISMATCH = "bucket-count-mismatch"
    DUPLICATE_BUCKET = "duplicate-bucket"
    BUCKET_ORDER = "bucket-order"
    BUCKET_LABEL = "invalid-le"
    QUANTILE_LABEL = "invalid-quantile"
    MISSING_COUNT = "missing-count"
    MISSING_SUM = "missing-sum"
    NEGATIVE_BUCKET_SUM = "sum-with-negative-buckets"
    INFO_VALUE = "invalid-info-value"
    STATESET = "invalid-stateset"

    @property
    def severity(self) -> Severity:
        """Return ERROR for a breach of the format, WARNING for what is legal and almost surely a mistake."""
        return Severity.WARNING if self in _LEGAL else Severity.ERROR


_LEGAL = frozenset({DiagnosisKind.TIMESTAMP_UNIT, DiagnosisKind.GLUED_COMMENT})


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """One defect of format and its place.

    `line` and `column` count from 1, in code points; `end_column` is exclusive; `subject` is the metric it is
    about (may be empty); `related_lines` are the other lines of the story, such as the first of two
    duplicates; `fatal` says that a Prometheus server drops the whole scrape because of it.
    """

    kind: DiagnosisKind
    line: int
    column: int
    end_column: int
    message: str
    remedy: str
    subject: str = ""
    related_lines: tuple[int, ...] = ()
    fatal: bool = False
