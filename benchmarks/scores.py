"""`python -m benchmarks.scores`: how many of the shared cases get the right verdict.

Reads the folder that the environment variable OBS_SHARED names. Prints a line for each case that is wrong, then a
score for each corpus; exits 1 when one is not full.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.findings import FRAGMENT, RIGHT, SECOND, Right
from benchmarks.verdicts import FAULTS, HTTP_FAULTS, SCRAPES
from obs.adapters.registries import Inputs, load_registry, load_semantics
from obs.checks.engine import Options, run
from obs.exposition import Scrape, parse
from obs.model.finding import Severity
from obs.model.metric import Registry

OPENMETRICS = "application/openmetrics-text; version=1.0.0; charset=utf-8"


@dataclass(frozen=True, slots=True)
class Case:
    """One case and the verdict on it: `wrong` is empty when the verdict is right, else what was said instead."""

    name: str
    wrong: str


def shared_folder() -> Path | None:
    """Return the folder of shared cases, or None where there is none."""
    folder = os.environ.get("OBS_SHARED")
    return Path(folder) / "cases" if folder else None


def said(scrape: Scrape) -> tuple[tuple[str, int], ...]:
    """Return kind and line of each diagnosis, in order."""
    return tuple((one.kind.value, one.line) for one in scrape.diagnoses)


def is_accepted(scrape: Scrape) -> bool:
    """Return whether a body breaks no rule of its format; warnings are about what is legal."""
    return not any(one.kind.severity >= Severity.ERROR for one in scrape.diagnoses)


def openmetrics_cases(folder: Path) -> Iterator[Case]:
    """Yield the official parser cases: accept or reject."""
    for test in sorted((folder / "openmetrics_suite").glob("*/test.json")):
        wanted = json.loads(test.read_text())["shouldParse"]
        scrape = parse((test.parent / "metrics").read_bytes(), content_type=OPENMETRICS)
        yield Case(
            test.parent.name,
            "" if is_accepted(scrape) is wanted else f"accepts: {not wanted}, {said(scrape)}",
        )


def scrape_cases(folder: Path) -> Iterator[Case]:
    """Yield the real bodies: valid or not, exactly the expected kinds, and what a server does."""
    for path in sorted((folder / "scrapes").glob("*.json")):
        facts = json.loads(path.read_text())
        scrape = parse((path.parent / facts["file"]).read_bytes(), content_type=facts["content_type"])
        valid = facts["expected"].startswith("valid")
        kinds = frozenset(one.kind.value for one in scrape.diagnoses)
        drops = facts["prometheus_server"].startswith("whole scrape fails")
        right = (
            is_accepted(scrape) is valid
            and kinds == SCRAPES.get(facts["name"], frozenset())
            and scrape.rejected_by_server is drops
        )
        yield Case(
            facts["name"], "" if right else f"said {sorted(kinds)}, rejected: {scrape.rejected_by_server}"
        )


def fault_cases(folder: Path) -> Iterator[Case]:
    """Yield the reported faults that are about text: exactly the expected diagnoses on their lines."""
    for line in (folder / "faults.jsonl").read_text().splitlines():
        fault = json.loads(line)
        name = fault["id"]
        if name in FAULTS:
            found, wanted = said(parse(fault["input"].encode())), FAULTS[name]
        elif name in HTTP_FAULTS:
            body, wanted = HTTP_FAULTS[name]
            found = said(parse(body, content_type="text/plain; version=0.0.4"))
        else:
            continue
        yield Case(name, "" if found == wanted else f"said {found}, wanted {wanted}")


def finding_cases(folder: Path) -> Iterator[Case]:
    """Yield the reported faults that `obs lint` reads: exactly the right findings, severities and lines."""
    inputs = Inputs()
    registry = load_registry(inputs, load_semantics(inputs))
    for line in (folder / "faults.jsonl").read_text().splitlines():
        fault = json.loads(line)
        for right in filter(None, (RIGHT.get(fault["id"]), SECOND.get(fault["id"]))):
            body = fault["input"].encode() if right.body is None else right.body
            yield Case(fault["id"], _wrong_findings(body, right, registry))


def _wrong_findings(body: bytes, right: Right, registry: Registry) -> str:
    scrape = parse(body, content_type=right.content_type)
    found = tuple(
        (one.code, one.severity.word, one.location.line)
        for one in run(scrape, registry, Options(profile=right.profile))
        if right.whole or one.code not in FRAGMENT
    )
    return "" if found == right.findings else f"found {found}, right is {right.findings}"


CORPORA: tuple[tuple[str, Callable[[Path], Iterator[Case]]], ...] = (
    ("openmetrics_suite", openmetrics_cases),
    ("scrapes", scrape_cases),
    ("faults", fault_cases),
    ("findings", finding_cases),
)


def main() -> int:
    """Print the scores; return the exit code."""
    folder = shared_folder()
    if folder is None:
        print("OBS_SHARED is not set: name the folder with the shared cases", file=sys.stderr)
        return 2
    full = True
    for title, cases in CORPORA:
        verdicts = tuple(cases(folder))
        wrong = [case for case in verdicts if case.wrong]
        for case in wrong:
            print(f"  {title}/{case.name}: {case.wrong}")
        print(f"{title}: {len(verdicts) - len(wrong)}/{len(verdicts)}")
        full = full and bool(verdicts) and not wrong
    return 0 if full else 1


if __name__ == "__main__":
    sys.exit(main())
