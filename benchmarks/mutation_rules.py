"""Counts how many mutants of the generated alerts their own unit tests notice.

    python -m benchmarks.mutation_rules [--jobs N] [--every N] [--only ALERT]

It prints the share that was killed and each that survived. The bar is 95 per cent.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.rules.mutants import Bench, Mutant, mutants_of
from tests.rules.trees import deploy

CLAIM = """
fleets:
  - {name: w, mode: claim, replicas: {min: 0, max: 50}, backlog: {namespace: agents, service: c}}
"""
REACTIVE = "fleets:\n  - {name: w, mode: reactive, replicas: {min: 2, max: 30}}\n"
"""One fleet at a time: an alert that is written out for each fleet is tested on the first."""


def benches(folder: Path) -> Iterator[tuple[Bench, set[str]]]:
    """Yield a bench and the alerts to mutate in it: every alert once."""
    seen: set[str] = set()
    for name, config in (("claim", CLAIM), ("reactive", REACTIVE)):
        (folder / name).mkdir()
        bench = Bench(deploy(folder / name, config))
        yield bench, set(bench.alerts) - seen
        seen |= set(bench.alerts)


def all_mutants(folder: Path) -> Iterator[tuple[Bench, Mutant]]:
    """Yield every mutant with its bench."""
    for bench, names in benches(folder):
        for name in sorted(names):
            for mutant in mutants_of(bench.alerts[name]):
                yield bench, mutant


def main() -> None:
    """Run the mutants and print what came of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--every", type=int, default=1, help="only each Nth mutant")
    parser.add_argument("--only", default="", help="only this alert")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary, ThreadPoolExecutor(asked.jobs) as pool:
        folder = Path(temporary)
        chosen = [one for one in all_mutants(folder) if asked.only in ("", one[1].alert)][:: asked.every]
        survived = pool.map(
            lambda numbered: numbered[1][0].survives(numbered[1][1], folder / str(numbered[0])),
            enumerate(chosen),
        )
        left = [mutant for (_, mutant), alive in zip(chosen, survived, strict=True) if alive]
    for mutant in left:
        print(f"survived: {mutant}")
    killed = len(chosen) - len(left)
    print(f"mutants of rules: {killed} of {len(chosen)} killed ({100 * killed / len(chosen):.1f}%)")


if __name__ == "__main__":
    main()
