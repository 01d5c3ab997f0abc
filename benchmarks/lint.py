"""What `obs lint` costs with all contract and cardinality checks: whole processes, the same file, the same run.

`python -m benchmarks.lint FILE` writes the body that is measured.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.exposition import FAMILIES, SERIES, body
from benchmarks.measure import REPO, Cost, Row, in_turns, python

PARSE = (
    "from prometheus_client.parser import text_string_to_metric_families as read\n"
    "for family in read(open({!r}).read()): pass"
)


def agent_body() -> bytes:
    """Return what one agent exposes, so that the contract has something to be held against."""
    command = [sys.executable, "-m", "obs", "emit", "--once"]
    return subprocess.run(command, cwd=REPO, capture_output=True, check=True).stdout


def write(path: str) -> None:
    """Write an agent's body and, below it, what other exporters show: 100,000 series in 1,000 families more."""
    Path(path).write_bytes(agent_body() + body(SERIES, FAMILIES))


def rows() -> list[Row]:
    """Return the ratios to promtool and prometheus_client, the memory ratio, and the start-up."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "lint.prom"
        # Not in this process: a child's largest resident set counts its parent's before exec.
        python(f"from benchmarks.lint import write; write({str(path)!r})", runs=1)
        return _rows(path)


def _rows(path: Path) -> list[Row]:
    size = path.stat().st_size
    lint = [sys.executable, "-m", "obs", "lint", "--select", "format,contract,cardinality", str(path)]
    cost = in_turns(
        {
            "lint": (lint, (0, 1)),
            "promtool": (["sh", "-c", f"exec promtool check metrics < {path}"], (0, 3)),  # 3: lint findings
            "prometheus_client": ([sys.executable, "-c", PARSE.format(str(path))], (0,)),
            "start": ([sys.executable, "-c", "import obs.cli.lint"], (0,)),
        }
    )
    text = path.read_bytes()
    families, lines = text.count(b"# TYPE "), text.count(b"\n")
    what = f"{lines - 2 * families} series, {families} families, {size / 1e6:.1f} MB, made by benchmarks.lint"
    ours = cost["lint"]
    rows = [
        _ratio("lint", ours, cost["promtool"], 1, f"promtool check metrics; {what}"),
        _ratio("lint", ours, cost["prometheus_client"], 1 / 8, f"prometheus_client; {what}"),
    ]
    peak = f"{ours.peak / 1e6:.0f} MB; {what}"
    start = f"{cost['start'].wall:.3f} s until arguments are read"
    return [
        *rows,
        Row("lint, peak memory", ours.peak / size, 12, "the body", peak),
        Row("lint, start-up", cost["start"].wall / ours.wall, 0, "lint", start),
    ]


def _ratio(name: str, ours: Cost, theirs: Cost, limit: float, against: str) -> Row:
    cpu = f"CPU {ours.cpu:.3f} s against {theirs.cpu:.3f} s"
    detail = f"{ours.wall:.3f} s against {theirs.wall:.3f} s; {cpu}"
    return Row(name, ours.wall / theirs.wall, limit, against, detail)


if __name__ == "__main__":
    write(sys.argv[1])
