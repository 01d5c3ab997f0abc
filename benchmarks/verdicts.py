"""The right format verdicts of the shared cases: what the parser must say about each, and on which line.

Facts only: the bodies are read from the folder that OBS_SHARED names.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

Said = tuple[tuple[str, int], ...]  # (diagnosis, line) in order of place

# Every text case of faults.jsonl in the areas parse, cardinality and lint. Those without a diagnosis are valid as
# text; what is wrong with them is for other checks to say.
FAULTS: Mapping[str, Said] = MappingProxyType(
    {
        "P01": (("unescaped-quote", 2),),
        "P02": (),
        "P04": (("missing-final-newline", 3),),
        "P05": (("invalid-metric-name", 2),),
        "P07": (("decimal-comma", 2),),
        "P09": (),
        "P10": (("exemplar-in-text-format", 3),),
        "P11": (("second-help", 4), ("second-type", 5), ("duplicate-series", 6)),
        "P13": (("timestamp-unit", 2),),
        "P14": (),
        "P15": (("second-help", 4), ("conflicting-type", 5)),
        "P17": (),
        "P18": (("invalid-value", 2),),
        "P20": (("falling-buckets", 4), ("histogram-without-inf", 4)),
        "P23": (("two-samples-on-one-line", 2),),
        "P25": (("byte-order-mark", 1),),
        "P27": (),
        "X01": (),
        "X02": (),
        "X05": (),
        "L01": (),
        "L02": (),
    }
)

# The cases of kind `http` are told, not given: a body of the kind told.
HTTP_FAULTS: Mapping[str, tuple[bytes, Said]] = MappingProxyType(
    {
        "P21": (b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03", (("gzip-body", 1),)),
        "P22": (b"<!DOCTYPE html><html><head><title>Sign in</title></head>", (("html-body", 1),)),
    }
)

# Diagnoses of each invalid scrape by kind; a scrape that is not named has none.
SCRAPES: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "crlf_line_endings": frozenset({"crlf-line-endings"}),
        "html_502_bad_gateway": frozenset({"html-body"}),
        "om_prometheus_5mfs_exemplars": frozenset({"sum-with-negative-buckets", "negative-counter"}),
        "om_utf8_quoted_names": frozenset(
            {
                "quoted-name",
                "interleaved-family",
                "interleaved-series",
                "duplicate-series",
                "misplaced-exemplar",
            }
        ),
        "prometheus_common_text_gzip": frozenset({"gzip-body"}),
        "truncated_in_label_value": frozenset({"truncated-body"}),
        "vllm_runtime_excerpt": frozenset({"histogram-without-inf", "missing-count"}),
        "windows_exporter_bom": frozenset({"byte-order-mark"}),
    }
)
