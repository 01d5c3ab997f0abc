"""The command line of `obs lint`, read without the framework of the other commands (see obs/cli/entry.py)."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from obs.errors import Problem, UsageError

FORMATS = ("text", "json", "sarif", "github", "junit")
PROFILES = ("producer", "consumer")
SEVERITIES = ("error", "warning", "info")

DESCRIPTION = """\
Judge what a target exposes: its format, the registry's contract, budgets of series, conventions.

A FILE may be gzipped (*.gz). A *.yaml file holds ScaledObjects, with the workloads beside them, or
Prometheus rules.
"""

EPILOG = """\
Exit codes: 0 clean, 1 findings at or above --fail-on, 2 usage, 3 an input could not be read, 4 no samples.

Example: curl -s http://localhost:9090/metrics | obs lint -
"""


def _formatter(prog: str) -> argparse.HelpFormatter:
    """Return a formatter of a fixed width: asking the terminal for its own imports compression libraries."""
    return argparse.RawDescriptionHelpFormatter(prog, width=110, max_help_position=32)


class _Parser(argparse.ArgumentParser):
    """Says what is wrong as every other command does."""

    def error(self, message: str) -> NoReturn:
        raise UsageError([Problem("", message, "see obs lint --help")])


def read_arguments(arguments: Sequence[str]) -> argparse.Namespace:
    """Return the options and inputs; raise UsageError, or SystemExit after --help."""
    return _parser().parse_args(list(arguments))


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="obs lint",
        usage="obs lint [OPTIONS] FILE|URL|- ...",
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=_formatter,
        allow_abbrev=False,
        add_help=False,
    )
    parser.add_argument("inputs", nargs="*", metavar="FILE|URL|-", help="what to judge, each by itself")
    _judging(parser.add_argument_group("what is looked for"))
    _telling(parser.add_argument_group("how it is told, and when it fails"))
    _reading(parser.add_argument_group("how inputs are read"))
    other = parser.add_argument_group("other")
    other.add_argument("--list", action="store_true", help="list the checks and exit")
    other.add_argument("-h", "--help", action="help", help="show this and exit")
    return parser


def _judging(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--select", action="append", metavar="WORDS", help="only these: format, contract, "
                       "cardinality, style, scaling, rules, or codes, separated by commas")  # fmt: skip
    group.add_argument("--ignore", action="append", metavar="WORDS", help="not these; as --select")
    group.add_argument("--profile", choices=PROFILES, default="producer", metavar="|".join(PROFILES),
                       help="for a consumer the drift of a newer minor is only noted")  # fmt: skip
    group.add_argument(
        "--registry", type=Path, metavar="FILE", help="a metrics.registry.json to judge by instead"
    )
    group.add_argument("--rules", type=Path, metavar="FILE",
                       help="budgets: the lint/cardinality.yaml that obs generate writes")  # fmt: skip
    group.add_argument(
        "--before", metavar="FILE|URL|-", help="an earlier body of the same target: what has grown?"
    )


def _telling(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--format", choices=FORMATS, default="text", metavar="|".join(FORMATS),
                       help="docs/reports.md describes each")  # fmt: skip
    group.add_argument("--fail-on", choices=SEVERITIES, default="error", metavar="|".join(SEVERITIES),
                       help="the least severity that makes the exit code 1")  # fmt: skip
    group.add_argument("--config", "-c", type=Path, metavar="FILE", help="an obs.yaml: its suppressions hold")
    group.add_argument(
        "--baseline", type=Path, metavar="FILE", help="findings accepted today; only new ones count"
    )
    group.add_argument("--update-baseline", action="store_true",
                       help="write --baseline if it is not there, else shrink it")  # fmt: skip


def _reading(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--content-type", metavar="TYPE", help="the header the body came with, if it is a file"
    )
    group.add_argument("--max-bytes", type=_count, default=64 * 1024 * 1024, metavar="N",
                       help="largest body that is read (67108864)")  # fmt: skip
    group.add_argument("--max-series", type=_count, default=2_000_000, metavar="N",
                       help="most series that are read (2000000)")  # fmt: skip
    group.add_argument("--timeout", type=_seconds, default=10.0, metavar="SECONDS",
                       help="how long a URL may take, body included (10)")  # fmt: skip
    group.add_argument("--bearer-token-file", type=Path, metavar="FILE", help="a bearer token for URLs")
    group.add_argument("--cert", type=Path, metavar="FILE", help="a client certificate for URLs, PEM")
    group.add_argument("--key", type=Path, metavar="FILE", help="its private key, PEM")
    group.add_argument(
        "--ca", type=Path, metavar="FILE", help="the CAs that may sign the server of a URL, PEM"
    )


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"`{text}` is not a whole number from 1 on")
    return int(text)


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0.001 <= value <= 86_400:
        raise argparse.ArgumentTypeError(f"`{text}` is not a number of seconds from 0.001 to 86400")
    return value


def words(values: Sequence[str] | None) -> tuple[str, ...]:
    """Return the words of a repeatable option whose values may also be separated by commas."""
    return tuple(word for value in values or () for part in value.split(",") if (word := part.strip()))
