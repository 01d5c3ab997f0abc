"""Mutants that append a metric of nobody's, written in a way the format forbids: one broken line, the rest sound."""

from __future__ import annotations

from collections.abc import Callable

from obs.exposition import Format
from obs.synth.mutant import BOTH, OPENMETRICS_ONLY, TEXT_ONLY, Context, Mutant

_GAUGE = "# HELP NAME_load Load.\n# TYPE NAME_load gauge\n"
_HELP = "# HELP NAME_load Load.\n"
_COUNTER = "# HELP NAME_jobsTOTAL Jobs done.\n# TYPE NAME_jobsTOTAL counter\n"
_HISTOGRAM = "# HELP NAME_wait_seconds Time waited.\n# TYPE NAME_wait_seconds histogram\n"
_SUMMARY = "# HELP NAME_wait_seconds Time waited.\n# TYPE NAME_wait_seconds summary\n"
_BUCKETS = 'NAME_wait_seconds_bucket{le="0.1"} 3\nNAME_wait_seconds_bucket{le="+Inf"} 5\n'
_REST = "NAME_wait_seconds_count 5\nNAME_wait_seconds_sum 2.5\n"


def appended(lines: str) -> Callable[[bytes, Context], bytes]:
    """Return a change that appends lines (before the end of an OpenMetrics body).

    NAME stands for a prefix that is not the registry's, TOTAL for the suffix a counter's family has in the format,
    STAMP for a timestamp in its unit. A
    lone surrogate stands for a byte that is not UTF-8.
    """

    def change(text: bytes, context: Context) -> bytes:
        suffix = "_total" if context.form is Format.TEXT else ""
        stamp = "1767225600000" if context.form is Format.TEXT else "1767225600"
        more = lines.replace("NAME", context.stranger).replace("TOTAL", suffix).replace("STAMP", stamp)
        end = b"# EOF\n" if context.form is Format.OPENMETRICS else b""
        return text.removesuffix(end) + more.encode("utf-8", "surrogateescape") + end

    return change


def _line(slug: str, about: str, lines: str, forms: tuple[Format, ...] = BOTH) -> Mutant:
    return Mutant(slug, about, text=appended(lines), forms=forms)


LINES = (
    _line("invalid-utf8", "a label value in Latin-1", _GAUGE + 'NAME_load{site="caf\udce9"} 1\n'),
    _line("invalid-metric-name", "a metric name with dashes", _GAUGE + "NAME_load 1\nNAME-load-max 4\n"),
    _line("invalid-label-name", "a label name with a dash", _GAUGE + 'NAME_load{cpu-id="0"} 1\n'),
    _line(
        "quoted-name",
        "a metric name in quotes",
        _GAUGE + 'NAME_load 1\n# HELP "NAME.load" Load.\n# TYPE "NAME.load" gauge\n{"NAME.load"} 4\n',
    ),
    _line("unescaped-quote", "a quote inside a label value", _GAUGE + 'NAME_load{size="3.5" disk"} 1\n'),
    _line("unterminated-label-value", "a label value without its end", _GAUGE + 'NAME_load{size="big} 1\n'),
    _line("unquoted-label-value", "a label value without quotes", _GAUGE + "NAME_load{size=big} 1\n"),
    _line("unknown-escape", "a tab written as `\\t`", _GAUGE + 'NAME_load{at="a\\tb"} 1\n', TEXT_ONLY),
    _line("label-syntax", "a label without a value", _GAUGE + "NAME_load{size} 1\n"),
    _line("missing-comma", "two labels without a comma", _GAUGE + 'NAME_load{a="1" b="2"} 1\n'),
    _line("extra-comma", "two commas between labels", _GAUGE + 'NAME_load{a="1",,b="2"} 1\n'),
    _line("duplicate-label", "the same label twice", _GAUGE + 'NAME_load{a="1",a="2"} 1\n'),
    _line("missing-value", "a sample without a value", _GAUGE + "NAME_load\n"),
    _line("decimal-comma", "a decimal comma", _GAUGE + "NAME_load 0,73\n"),
    _line("invalid-value", "a value with its unit", _GAUGE + "NAME_load 12ms\n"),
    _line("invalid-timestamp", "a fraction of a millisecond", _GAUGE + "NAME_load 1 1767225600000.5\n", TEXT_ONLY),
    _line("two-samples-on-one-line", "two samples on one line", _GAUGE + "NAME_load 1 NAME_load 4\n"),
    _line("unexpected-text", "a remark after the value", _GAUGE + "NAME_load 1 STAMP (peak)\n"),
    _line("whitespace", "two blanks before the value", _GAUGE + "NAME_load  1\n", OPENMETRICS_ONLY),
    _line("blank-line", "an empty line", "\n", OPENMETRICS_ONLY),
    _line(
        "exemplar-in-text-format",
        "an exemplar in a format that has none",
        _COUNTER + 'NAME_jobs_total 1 # {span="a1"} 1\n',
        TEXT_ONLY,
    ),
    _line(
        "invalid-exemplar",
        "an exemplar without braces",
        _COUNTER + 'NAME_jobs_total 1 # span="a1" 1\n',
        OPENMETRICS_ONLY,
    ),
    _line(
        "misplaced-exemplar",
        "an exemplar on a gauge",
        _GAUGE + 'NAME_load 1 # {span="a1"} 1\n',
        OPENMETRICS_ONLY,
    ),
    _line("glued-comment", "no blank after the #", _HELP + "#TYPE NAME_load gauge\nNAME_load 1\n", TEXT_ONLY),
    _line("invalid-comment", "a TYPE line without a type", _HELP + "# TYPE NAME_load\nNAME_load 1\n"),
    _line("unknown-type", "a type that does not exist", _HELP + "# TYPE NAME_load level\nNAME_load 1\n"),
    _line("wrong-case-type", "a type in capitals", _HELP + "# TYPE NAME_load GAUGE\nNAME_load 1\n"),
    _line("second-type", "a TYPE line twice", _GAUGE + "# TYPE NAME_load gauge\nNAME_load 1\n"),
    _line("conflicting-type", "two types for one metric", _GAUGE + "# TYPE NAME_load counter\nNAME_load 1\n"),
    _line("second-help", "a HELP line twice", _GAUGE + "# HELP NAME_load The load.\nNAME_load 1\n"),
    _line(
        "second-unit",
        "a UNIT line twice",
        "# HELP NAME_wait_seconds Wait.\n# TYPE NAME_wait_seconds gauge\n"
        + "# UNIT NAME_wait_seconds seconds\n" * 2
        + "NAME_wait_seconds 1\n",
        OPENMETRICS_ONLY,
    ),
    _line("late-metadata", "a TYPE line after the samples", _HELP + "NAME_load 1\n# TYPE NAME_load gauge\n"),
    _line(
        "invalid-unit",
        "a unit that the name lacks",
        _GAUGE + "# UNIT NAME_load seconds\nNAME_load 1\n",
        OPENMETRICS_ONLY,
    ),
    _line(
        "interleaved-family",
        "samples of one metric before and after another",
        _GAUGE + 'NAME_load{cpu="0"} 1\n' + _COUNTER + 'NAME_jobs_total 1\nNAME_load{cpu="1"} 2\n',
    ),
    _line(
        "interleaved-series",
        "the parts of two children mixed",
        _SUMMARY + "".join(f'NAME_wait_seconds_{part}{{q="{q}"}} 1\n' for part in ("count", "sum") for q in "ab"),
        OPENMETRICS_ONLY,
    ),
    _line(
        "clashing-names",
        "a metric that is also part of a histogram",
        _HISTOGRAM + _BUCKETS + _REST
        + "# HELP NAME_wait_seconds_count Waits.\n# TYPE NAME_wait_seconds_count untyped\n"
        + 'NAME_wait_seconds_count{q="b"} 1\n',
        TEXT_ONLY,
    ),
    _line("wrong-sample-suffix", "a counter's sample without `_total`", _COUNTER + "NAME_jobs 1\n", OPENMETRICS_ONLY),
    _line("duplicate-series", "the same series twice", _GAUGE + 'NAME_load{cpu="0"} 1\nNAME_load{cpu="0",site=""} 2\n'),
    _line(
        "timestamp-order",
        "timestamps of one series that fall",
        _GAUGE + "NAME_load 1 1767225600\nNAME_load 2 1767225500\n",
        OPENMETRICS_ONLY,
    ),
    _line("nan-counter", "a counter that is not a number", _COUNTER + "NAME_jobs_total NaN\n"),
    _line("negative-counter", "a counter below zero", _COUNTER + "NAME_jobs_total -5\n"),
    _line(
        "histogram-without-inf",
        "a histogram without its last bucket",
        _HISTOGRAM + 'NAME_wait_seconds_bucket{le="0.1"} 5\n' + _REST,
    ),
    _line(
        "falling-buckets",
        "a bucket that holds less than the one below",
        _HISTOGRAM
        + 'NAME_wait_seconds_bucket{le="0.1"} 3\nNAME_wait_seconds_bucket{le="0.5"} 2\n'
        + 'NAME_wait_seconds_bucket{le="+Inf"} 5\n' + _REST,
    ),
    _line(
        "bucket-count-mismatch",
        "a count that differs from the last bucket",
        _HISTOGRAM + _BUCKETS + "NAME_wait_seconds_count 6\nNAME_wait_seconds_sum 2.5\n",
    ),
    _line(
        "duplicate-bucket",
        "one bound in two spellings",
        _HISTOGRAM + 'NAME_wait_seconds_bucket{le="0.1"} 3\nNAME_wait_seconds_bucket{le="0.10"} 3\n'
        + 'NAME_wait_seconds_bucket{le="+Inf"} 5\n' + _REST,
    ),
    _line(
        "bucket-order",
        "buckets from high to low",
        _HISTOGRAM + 'NAME_wait_seconds_bucket{le="+Inf"} 5\nNAME_wait_seconds_bucket{le="0.1"} 3\n' + _REST,
        OPENMETRICS_ONLY,
    ),
    _line(
        "invalid-le",
        "a bound that is no number",
        _HISTOGRAM + 'NAME_wait_seconds_bucket{le="low"} 3\nNAME_wait_seconds_bucket{le="+Inf"} 5\n' + _REST,
    ),
    _line("invalid-quantile", "a quantile in percent", _SUMMARY + 'NAME_wait_seconds{quantile="99"} 1\n' + _REST),
    _line("missing-count", "a histogram without a count", _HISTOGRAM + _BUCKETS + "NAME_wait_seconds_sum 2.5\n"),
    _line(
        "missing-sum",
        "a histogram without a sum",
        _HISTOGRAM + _BUCKETS + "NAME_wait_seconds_count 5\n",
        OPENMETRICS_ONLY,
    ),
    _line(
        "sum-with-negative-buckets",
        "a sum beside negative buckets",
        _HISTOGRAM + 'NAME_wait_seconds_bucket{le="-1.0"} 3\nNAME_wait_seconds_bucket{le="+Inf"} 5\n' + _REST,
        OPENMETRICS_ONLY,
    ),
    _line(
        "invalid-info-value",
        "an info metric that is 2",
        '# HELP NAME_build Build.\n# TYPE NAME_build info\nNAME_build_info{edition="full"} 2\n',
        OPENMETRICS_ONLY,
    ),
    _line(
        "invalid-stateset",
        "a state that is 2",
        "# HELP NAME_mode Mode.\n# TYPE NAME_mode stateset\n"
         'NAME_mode{NAME_mode="busy"} 2\nNAME_mode{NAME_mode="idle"} 0\n',
        OPENMETRICS_ONLY,
    ),
)  # fmt: skip
