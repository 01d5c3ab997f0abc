"""One small body for every diagnosis, with the verdict expected: the table that several suites read."""

from __future__ import annotations

from dataclasses import dataclass

from obs.exposition import DiagnosisKind as Kind

TEXT = "text/plain; version=0.0.4; charset=utf-8"
OPENMETRICS = "application/openmetrics-text; version=1.0.0; charset=utf-8"


@dataclass(frozen=True, slots=True)
class Fault:
    """A body with exactly one diagnosis, at `line`:`column`; `fatal`: a server drops the scrape."""

    kind: Kind
    body: bytes
    line: int
    column: int
    fatal: bool
    content_type: str = TEXT
    note: str = ""

    def __str__(self) -> str:
        media = "om" if self.content_type.startswith("app") else "text"
        return f"{self.kind}-{media}-{self.line}-{self.column}{self.note and '-'}{self.note}"


def _text(
    kind: Kind, body: str | bytes, line: int, column: int, *, fatal: bool, note: str = "", as_: str = TEXT
) -> Fault:
    return Fault(kind, body if isinstance(body, bytes) else body.encode(), line, column, fatal, as_, note)


def _om(kind: Kind, body: str, line: int, column: int, *, fatal: bool, note: str = "") -> Fault:
    return Fault(kind, body.encode(), line, column, fatal, OPENMETRICS, note)


_H = "# TYPE wait_ms histogram\n"

FAULTS = (
    # the body as a whole
    _text(Kind.GZIP_BODY, b"\x1f\x8b\x08\x00\x00\x00\x00\x00", 1, 1, fatal=True),
    _text(Kind.GZIP_BODY, b"\x28\xb5\x2f\xfd\x04\x00", 1, 1, fatal=True, note="zstd"),
    _text(Kind.HTML_BODY, "<!doctype html>\n<title>Log in</title>\n", 1, 1, fatal=True),
    _text(Kind.HTML_BODY, "\n  <html>\n", 1, 1, fatal=True, note="after-blanks"),
    _text(Kind.NOT_EXPOSITION, '{"status": "ok"}\n', 1, 1, fatal=True),
    _text(Kind.UTF16_BODY, "queue 1\n".encode("utf-16"), 1, 1, fatal=True),
    _text(Kind.BYTE_ORDER_MARK, "\ufeffqueue 1\n", 1, 1, fatal=True),
    _text(Kind.INVALID_UTF8, b'queue{zone="caf\xe9"} 1\nqueue{zone="b"} 2\n', 1, 16, fatal=True),
    _text(Kind.CRLF, "queue 1\r\nlag 2\r\n", 1, 8, fatal=True),
    _text(Kind.CRLF, "queue 1\nlag 2\r\n", 2, 6, fatal=True, note="mixed"),
    _text(Kind.MISSING_FINAL_NEWLINE, "queue 1\nlag 2", 2, 6, fatal=False),
    _text(Kind.TRUNCATED_BODY, 'queue 1\nlag{zone="eu', 2, 13, fatal=True),
    _text(Kind.TRUNCATED_BODY, "queue 1\nlag", 2, 4, fatal=True, note="name"),
    _om(Kind.TRUNCATED_BODY, "queue 1\nlag 2", 2, 6, fatal=True),
    _om(Kind.MISSING_EOF, "queue 1\n", 2, 1, fatal=True),
    _om(Kind.MISSING_EOF, "", 1, 1, fatal=True, note="empty"),
    _om(Kind.TEXT_AFTER_EOF, "queue 1\n# EOF\nlag 2\n", 3, 1, fatal=True),
    # names
    _text(Kind.METRIC_NAME, "my-queue 1\n", 1, 1, fatal=True, note="dash"),
    _text(Kind.METRIC_NAME, "my.queue 1\n", 1, 1, fatal=True, note="dot"),
    _text(Kind.METRIC_NAME, "my queue 1\n", 1, 1, fatal=True, note="space"),
    _text(Kind.METRIC_NAME, 'my queue{a="b"} 1\n', 1, 1, fatal=True, note="space-labels"),
    _text(Kind.METRIC_NAME, "2queue 1\n", 1, 1, fatal=True, note="digit"),
    _text(Kind.METRIC_NAME, "naïve 1\n", 1, 1, fatal=True, note="letter"),
    _text(Kind.METRIC_NAME, '{zone="eu"} 1\n', 1, 1, fatal=True, note="none"),
    _text(Kind.METRIC_NAME, "# TYPE my-queue gauge\n", 1, 8, fatal=True, note="type"),
    _om(Kind.METRIC_NAME, "my.queue 1\n# EOF\n", 1, 1, fatal=True),
    _text(Kind.LABEL_NAME, 'queue{my-zone="eu"} 1\n', 1, 7, fatal=True, note="dash"),
    _text(Kind.LABEL_NAME, 'queue{a="b",2zone="eu"} 1\n', 1, 13, fatal=True, note="digit"),
    _text(Kind.QUOTED_NAME, '{"my.queue"} 1\n', 1, 2, fatal=False, note="metric"),
    _text(Kind.QUOTED_NAME, 'queue{"my.zone"="eu"} 1\n', 1, 7, fatal=False, note="label"),
    # label values
    _text(Kind.UNESCAPED_QUOTE, 'queue{zone="the "eu" one"} 1\n', 1, 17, fatal=True),
    _text(Kind.UNESCAPED_QUOTE, 'queue{a="b",zone="19", rack"} 1\n', 1, 21, fatal=True, note="comma"),
    _text(Kind.UNTERMINATED_VALUE, 'queue{zone="eu} 1\n', 1, 12, fatal=True),
    _text(Kind.UNQUOTED_VALUE, "queue{zone=eu} 1\n", 1, 12, fatal=True),
    _text(Kind.UNQUOTED_VALUE, "queue{zone='eu'} 1\n", 1, 12, fatal=True, note="single"),
    _text(Kind.UNKNOWN_ESCAPE, 'queue{path="C:\\dir"} 1\n', 1, 15, fatal=False),
    _text(Kind.LABEL_SYNTAX, "queue{zone} 1\n", 1, 7, fatal=True, note="no-value"),
    _text(Kind.LABEL_SYNTAX, 'queue{zone="eu" 1\n', 1, 17, fatal=True, note="open"),
    _text(Kind.LABEL_SYNTAX, 'queue{zone="eu"x} 1\n', 1, 16, fatal=True, note="after"),
    _text(Kind.LABEL_SYNTAX, 'queue{zone "eu"} 1\n', 1, 7, fatal=True, note="no-equals"),
    _text(Kind.MISSING_COMMA, 'queue{a="1" b="2"} 1\n', 1, 13, fatal=False),
    _text(Kind.EXTRA_COMMA, 'queue{a="1",,b="2"} 1\n', 1, 13, fatal=True),
    _text(Kind.EXTRA_COMMA, "queue{,} 1\n", 1, 7, fatal=True, note="alone"),
    _text(Kind.MISSING_COMMA, 'queue{a="1"b="2"} 1\n', 1, 12, fatal=False, note="glued"),
    _om(Kind.MISSING_COMMA, 'queue{a="1"b="2"} 1\n# EOF\n', 1, 12, fatal=True),
    _om(Kind.EXTRA_COMMA, 'queue{a="1",} 1\n# EOF\n', 1, 13, fatal=True),
    _text(Kind.DUPLICATE_LABEL, 'queue{a="1",b="2",a="3"} 1\n', 1, 19, fatal=True),
    # numbers
    _text(Kind.MISSING_VALUE, "queue\n", 1, 6, fatal=True),
    _text(Kind.MISSING_VALUE, 'queue{a="1"} \n', 1, 14, fatal=True, note="labels"),
    _text(Kind.DECIMAL_COMMA, "queue 1,5\n", 1, 7, fatal=True),
    _text(Kind.DECIMAL_COMMA, "queue -12,5e3\n", 1, 7, fatal=True, note="exponent"),
    _text(Kind.METRIC_NAME, "jobs in queue 4\n", 1, 1, fatal=True, note="blanks"),
    _text(Kind.INVALID_VALUE, "jobs null 1700000001000\n", 1, 6, fatal=True, note="null-with-timestamp"),
    _text(Kind.INVALID_VALUE, "queue 0xff\n", 1, 7, fatal=True, note="hex"),
    _text(Kind.INVALID_VALUE, "queue 1_000\n", 1, 7, fatal=True, note="groups"),
    _text(Kind.INVALID_VALUE, "queue -nan\n", 1, 7, fatal=True, note="nan"),
    _text(Kind.INVALID_VALUE, "queue 1e999\n", 1, 7, fatal=True, note="huge"),
    _text(Kind.INVALID_VALUE, "queue true\n", 1, 7, fatal=True, note="word"),
    _text(Kind.INVALID_VALUE, "queue \uff11\n", 1, 7, fatal=True, note="fullwidth"),
    _text(Kind.INVALID_TIMESTAMP, "queue 1 1700000000.5\n", 1, 9, fatal=True),
    _text(Kind.INVALID_TIMESTAMP, "queue 1 99999999999999999999\n", 1, 9, fatal=True, note="huge"),
    _om(Kind.INVALID_TIMESTAMP, "queue 1 yesterday\n# EOF\n", 1, 9, fatal=True),
    _text(Kind.TIMESTAMP_UNIT, "queue 1 1700000001\n", 1, 1, fatal=False),
    _text(Kind.TIMESTAMP_UNIT, "queue 1 1700000001000000\n", 1, 1, fatal=False, note="microseconds"),
    _text(Kind.TIMESTAMP_UNIT, "queue 1 1700000001000000000\n", 1, 1, fatal=False, note="nanoseconds"),
    _om(Kind.TIMESTAMP_UNIT, "queue 1 1700000001000\n# EOF\n", 1, 1, fatal=False),
    _text(Kind.TWO_SAMPLES, "queue 1 lag 2\n", 1, 9, fatal=True),
    _text(Kind.TWO_SAMPLES, 'queue 1 1700000000000 lag{a="b"} 2\n', 1, 23, fatal=True, note="stamp"),
    _text(Kind.UNEXPECTED_TEXT, "queue 1 1700000000000 ms\n", 1, 23, fatal=True),
    _text(Kind.UNEXPECTED_TEXT, "queue 1 # jobs\n", 1, 9, fatal=True, note="comment"),
    _om(Kind.WHITESPACE, "queue  1\n# EOF\n", 1, 7, fatal=True),
    _om(Kind.WHITESPACE, "queue 1 \n# EOF\n", 1, 8, fatal=True, note="trailing"),
    _om(Kind.WHITESPACE, " queue 1\n# EOF\n", 1, 1, fatal=True, note="leading"),
    _om(Kind.BLANK_LINE, "queue 1\n\n# EOF\n", 2, 1, fatal=True),
    _text(Kind.EXEMPLAR_IN_TEXT, '# TYPE runs counter\nruns 1 # {id="7"} 1\n', 2, 8, fatal=True),
    _om(Kind.INVALID_EXEMPLAR, "# TYPE runs counter\nruns_total 1 # {id=7} 1\n# EOF\n", 2, 17, fatal=True),
    _om(
        Kind.MISPLACED_EXEMPLAR, '# TYPE queue gauge\nqueue 1 # {id="7"} 1\n# EOF\n', 2, 9, fatal=False
    ),
    _om(Kind.MISPLACED_EXEMPLAR, '# TYPE d summary\nd_sum 1 # {id="7"} 1\n# EOF\n', 2, 9, fatal=False, note="sum"),
    _om(
        Kind.INVALID_EXEMPLAR,
        f'# TYPE r counter\nr_total 1 # {{id="{"x" * 127}"}} 1\n# EOF\n',
        2,
        13,
        fatal=False,
        note="long",
    ),
    _om(
        Kind.INVALID_EXEMPLAR,
        '# TYPE r counter\nr_total 1 # {id="1"} 1 soon\n# EOF\n',
        2,
        24,
        fatal=True,
        note="stamp",
    ),
    _om(Kind.INVALID_EXEMPLAR, '# TYPE r counter\nr_total 1 # {id="1"}\n# EOF\n', 2, 21, fatal=True, note="no-value"),
    _text(Kind.INVALID_TIMESTAMP, "queue 1 -5\n", 1, 9, fatal=True, note="negative"),
    _text(Kind.WHITESPACE, " \tqueue 1\n", 1, 1, fatal=True, note="leading"),
    _om(
        Kind.MISPLACED_EXEMPLAR,
        '# TYPE r counter\nr_created 1 # {id="7"} 1\n# EOF\n',
        2,
        13,
        fatal=False,
        note="created",
    ),
    _om(
        Kind.MISPLACED_EXEMPLAR,
        '# TYPE r_bucket gauge\nr_bucket 1 # {id="7"} 1\n# EOF\n',
        2,
        12,
        fatal=False,
        note="bucket",
    ),
    _om(
        Kind.MISPLACED_EXEMPLAR,
        '# TYPE r_total gauge\nr_total 1 # {id="7"} 1\n# EOF\n',
        2,
        11,
        fatal=False,
        note="total",
    ),
    _text(Kind.WHITESPACE, "# TYPE queue gauge \nqueue 1\n", 1, 19, fatal=True, note="type"),
    # comments
    _text(Kind.GLUED_COMMENT, "#TYPE queue gauge\nqueue 1\n", 1, 2, fatal=False),
    _text(Kind.GLUED_COMMENT, "# type queue gauge\nqueue 1\n", 1, 3, fatal=False, note="case"),
    _text(Kind.COMMENT_SYNTAX, "# TYPE queue\n", 1, 12, fatal=True, note="no-type"),
    _om(Kind.COMMENT_SYNTAX, "# a remark\n# EOF\n", 1, 1, fatal=True),
    _text(Kind.UNKNOWN_TYPE, "# TYPE queue meter\nqueue 1\n", 1, 14, fatal=True),
    _text(Kind.UNKNOWN_TYPE, "# TYPE queue stateset\nqueue 1\n", 1, 14, fatal=True, note="of-openmetrics"),
    _om(Kind.UNKNOWN_TYPE, "# TYPE queue untyped\nqueue 1\n# EOF\n", 1, 14, fatal=True),
    _text(Kind.TYPE_CASE, "# TYPE queue Gauge\nqueue 1\n", 1, 14, fatal=True),
    _text(Kind.SECOND_TYPE, "# TYPE queue gauge\n# TYPE queue gauge\nqueue 1\n", 2, 1, fatal=False),
    _text(Kind.CONFLICTING_TYPE, "# TYPE queue gauge\n# TYPE queue counter\nqueue 1\n", 2, 1, fatal=False),
    _text(Kind.SECOND_HELP, "# HELP queue Jobs.\n# HELP queue Tasks.\nqueue 1\n", 2, 1, fatal=False),
    _om(Kind.SECOND_UNIT, "# UNIT a_ms ms\n# UNIT a_ms ms\n# EOF\n", 2, 1, fatal=False),
    _text(Kind.LATE_METADATA, "queue 1\n# TYPE queue gauge\n", 2, 1, fatal=False),
    _text(Kind.LATE_METADATA, "queue 1\n# HELP queue Jobs.\n", 2, 1, fatal=False, note="help"),
    _om(Kind.INVALID_UNIT, "# UNIT queue jobs\n# EOF\n", 1, 14, fatal=True),
    _om(Kind.INVALID_UNIT, "# TYPE a_x info\n# UNIT a_x x\n# EOF\n", 2, 1, fatal=False, note="info"),
    # families and series
    _text(Kind.INTERLEAVED_FAMILY, 'queue{a="1"} 1\nlag 1\nqueue{a="2"} 1\n', 3, 1, fatal=False),
    _om(
        Kind.INTERLEAVED_SERIES,
        '# TYPE d summary\nd_sum{a="1"} 1\nd_sum{a="2"} 1\nd_count{a="1"} 1\n# EOF\n',
        4,
        1,
        fatal=False,
    ),
    _om(Kind.CLASHING_NAMES, "# TYPE a_created gauge\n# TYPE a counter\n# EOF\n", 2, 1, fatal=False),
    _text(
        Kind.CLASHING_NAMES,
        "# TYPE d summary\nd_sum 1\nd_count 1\n# TYPE d_sum gauge\nd_sum 1\n",
        4,
        1,
        fatal=False,
    ),
    _om(Kind.SAMPLE_SUFFIX, "# TYPE runs counter\nruns 1\n# EOF\n", 2, 1, fatal=False),
    _text(Kind.SAMPLE_SUFFIX, f"{_H}wait_ms 1\n", 2, 1, fatal=False),
    _text(Kind.DUPLICATE_SERIES, 'queue{a="1",b="2"} 1\nqueue{b="2",a="1"} 1\n', 2, 1, fatal=False),
    _text(Kind.DUPLICATE_SERIES, 'queue{a=""} 1\nqueue 2\n', 2, 1, fatal=False, note="empty"),
    _om(Kind.TIMESTAMP_ORDER, "# TYPE a gauge\na 1 20\na 1 10\n# EOF\n", 3, 1, fatal=False),
    _text(Kind.NAN_COUNTER, "# TYPE runs_total counter\nruns_total NaN\n", 2, 1, fatal=False),
    _text(Kind.NEGATIVE_COUNTER, "# TYPE runs_total counter\nruns_total -1\n", 2, 1, fatal=False),
    _text(Kind.NO_INF_BUCKET, f'{_H}wait_ms_bucket{{le="1"}} 1\nwait_ms_count 1\n', 2, 1, fatal=False),
    _text(
        Kind.FALLING_BUCKETS,
        f'{_H}wait_ms_bucket{{le="1"}} 2\nwait_ms_bucket{{le="+Inf"}} 1\nwait_ms_count 1\n',
        3,
        1,
        fatal=False,
    ),
    _text(
        Kind.FALLING_BUCKETS,
        f'{_H}wait_ms_bucket{{le="10"}} 1\nwait_ms_bucket{{le="9"}} 2\nwait_ms_bucket{{le="+Inf"}} 2\n'
        "wait_ms_count 2\n",
        2,
        1,
        fatal=False,
        note="numeric",
    ),
    _text(Kind.COUNT_MISMATCH, f'{_H}wait_ms_bucket{{le="+Inf"}} 1\nwait_ms_count 2\n', 3, 1, fatal=False),
    _text(
        Kind.DUPLICATE_BUCKET,
        f'{_H}wait_ms_bucket{{le="1"}} 1\nwait_ms_bucket{{le="1.0"}} 1\nwait_ms_bucket{{le="+Inf"}} 1\n'
        "wait_ms_count 1\n",
        3,
        1,
        fatal=False,
    ),
    _om(
        Kind.BUCKET_ORDER,
        '# TYPE d histogram\nd_bucket{le="2"} 1\nd_bucket{le="1"} 1\nd_bucket{le="+Inf"} 1\n# EOF\n',
        3,
        1,
        fatal=False,
    ),
    _text(
        Kind.BUCKET_LABEL,
        f'{_H}wait_ms_bucket{{le="low"}} 1\nwait_ms_bucket{{le="+Inf"}} 1\nwait_ms_count 1\n',
        2,
        1,
        fatal=False,
    ),
    _text(
        Kind.BUCKET_LABEL,
        f'{_H}wait_ms_bucket 1\nwait_ms_bucket{{le="+Inf"}} 1\nwait_ms_count 1\n',
        2,
        1,
        fatal=False,
        note="missing",
    ),
    _text(Kind.QUANTILE_LABEL, '# TYPE d summary\nd{quantile="1.5"} 1\n', 2, 1, fatal=False),
    _text(Kind.QUANTILE_LABEL, "# TYPE d summary\nd 1\n", 2, 1, fatal=False, note="missing"),
    _text(Kind.MISSING_COUNT, f'{_H}wait_ms_bucket{{le="+Inf"}} 1\n', 2, 1, fatal=False),
    _om(
        Kind.MISSING_SUM, '# TYPE d histogram\nd_bucket{le="+Inf"} 1\nd_count 1\n# EOF\n', 3, 1, fatal=False
    ),
    _om(
        Kind.NEGATIVE_BUCKET_SUM,
        '# TYPE d histogram\nd_bucket{le="-1"} 1\nd_bucket{le="+Inf"} 1\nd_sum -2\nd_count 1\n# EOF\n',
        4,
        1,
        fatal=False,
    ),
    _om(Kind.INFO_VALUE, '# TYPE build info\nbuild_info{v="1"} 2\n# EOF\n', 2, 1, fatal=False),
    _om(Kind.STATESET, '# TYPE mode stateset\nmode{mode="on"} 2\n# EOF\n', 2, 1, fatal=False),
    _om(Kind.STATESET, "# TYPE mode stateset\nmode 1\n# EOF\n", 2, 1, fatal=False, note="label"),
)  # fmt: skip

# Bodies without any diagnosis, which a server must store.
SOUND = {
    "empty": (TEXT, ""),
    "blank-lines": (TEXT, "\n\nqueue 1\n \t\n"),
    "free-blanks": (TEXT, 'queue\t{ a = "1" ,\tb = "2" , }\t 1 \t1700000000000 \n'),
    "no-blank-after-braces": (TEXT, 'queue{a="1"}1\n'),
    "empty-braces": (TEXT, "queue{} 1\n"),
    "comments": (TEXT, "# a remark\n#\n#remark\n# EOF\n  # TYPE queue gauge\nqueue 1\n"),
    "bare-help": (TEXT, "# HELP queue\n# TYPE queue gauge\nqueue 1\n"),
    "signs-in-values": (TEXT, 'queue{a="{x},b=\\"1\\" # {y} 7"} 1\n'),
    "escapes": (TEXT, 'queue{a="back\\\\slash \\"quoted\\" line\\nfeed"} 1\n'),
    "numbers": (TEXT, "a NaN\nb +Inf\nc -inf\nd Infinity\ne 1e3\nf .5\ng 5.\nh 08\ni +1\nj nan\n"),
    "untyped-histogram": (TEXT, 'd_bucket{le="1"} 1\nd_sum 1\nd_count 1\nd_bucket{le="2"} 2\n'),
    "own-suffixes": (TEXT, "# TYPE lag_sum counter\nlag_sum 1\n# TYPE nodes_count gauge\nnodes_count -3\n"),
    "summary-named-total": (TEXT, "# TYPE d_total summary\nd_total_sum 1\nd_total_count 1\n"),
    "metadata-without-samples": (TEXT, "# HELP runs_total Runs.\n# TYPE runs_total counter\n"),
    "one-child-histogram": (TEXT, f'{_H}wait_ms_bucket{{le="+Inf"}} 1\nwait_ms_sum 3\nwait_ms_count 1\n'),
    "negative-sum-in-text": (
        TEXT,
        f'{_H}wait_ms_bucket{{le="-1"}} 1\nwait_ms_bucket{{le="+Inf"}} 1\nwait_ms_sum NaN\nwait_ms_count 1\n',
    ),
    "om-eof-only": (OPENMETRICS, "# EOF\n"),
    "om-eof-without-feed": (OPENMETRICS, "queue 1\n# EOF"),
    "om-counter": (OPENMETRICS, "# TYPE runs counter\nruns_total 1\nruns_created 1700000000.5\n# EOF\n"),
    "om-points": (OPENMETRICS, "# TYPE a gauge\na 1 10\na 2 20.5\n# EOF\n"),
    "om-exemplar": (OPENMETRICS, '# TYPE runs counter\nruns_total 1 # {id="7"} 1 1700000000.25\n# EOF\n'),
    "om-gaugehistogram-exemplar": (
        OPENMETRICS,
        '# TYPE d gaugehistogram\nd_bucket{le="+Inf"} 1 # {id="7"} 1\nd_gsum 1\nd_gcount 1\n# EOF\n',
    ),
    "om-escape-unknown": (OPENMETRICS, 'queue{path="C:\\dir"} 1\n# EOF\n'),
    "om-stateset": (OPENMETRICS, '# TYPE mode stateset\nmode{mode="on"} 1\nmode{mode="off"} 0\n# EOF\n'),
    "om-info": (OPENMETRICS, '# TYPE build info\nbuild_info{v="1"} 1\n# EOF\n'),
    "om-unit": (OPENMETRICS, "# TYPE a_ms gauge\n# UNIT a_ms ms\na_ms 1\n# EOF\n"),
}
