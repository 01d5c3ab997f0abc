"""`make bench`: every ratio the project promises, measured here and now. Name areas to run only those."""

from __future__ import annotations

import importlib
import sys

from benchmarks.measure import Row

AREAS = (
    "exposition",
    "generate",
    "lint",
    "rules",
    "sidecar",
    "simulate",
)
"""Modules of this package; each has `rows() -> list[Row]`."""


def main(wanted: list[str]) -> int:
    """Run the wanted areas (all when none is named) and print a row a figure; return 1 when a limit is missed."""
    unknown = sorted(set(wanted) - set(AREAS))
    if unknown:
        print(f"unknown: {', '.join(unknown)}; areas: {', '.join(AREAS)}", file=sys.stderr)
        return 2
    missed = False
    for area in wanted or AREAS:
        for row in importlib.import_module(f"benchmarks.{area}").rows():
            show(row)
            missed = missed or row.verdict == "MISS"
    return int(missed)


def show(row: Row) -> None:
    """Print one row."""
    limit = f"at most {row.limit:g}" if row.limit else "no limit"
    print(
        f"{row.verdict or '-':>4}  {row.name}: {row.value:.2f} ({limit}) against {row.against}; {row.detail}",
        flush=True,
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
