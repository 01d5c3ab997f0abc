"""What `obs lint` costs with all contract and cardinality checks: whole processes, the same file, the same run.

`python -m benchmarks.lint FILE` writes the body that is measured.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.exposition import FAMILIES, SERIES, body
from benchmarks.measure import REPO, Cost, Row, process, python

PARSE = (
    "from prometheus_client.parser import text_string_to_metric_families as read\n"
    "for family in read(open({!r}).read()): pass"
)
RUNS = 7


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
    ours, promtool = _interleaved(path)
    theirs = python(PARSE.format(str(path)), runs=2)
    text = path.read_bytes()
    families, lines = text.count(b"# TYPE "), text.count(b"\n")
    what = f"{lines - 2 * families} series, {families} families, {size / 1e6:.1f} MB, made by benchmarks.lint"
    bare = python("import obs.cli.lint", runs=RUNS)
    return [
        Row("lint", ours.wall / promtool.wall, 1, "promtool check metrics", _detail(what, ours, promtool)),
        Row("lint", ours.wall / theirs.wall, 1 / 8, "prometheus_client", _detail(what, ours, theirs)),
        Row("lint, CPU", ours.cpu / promtool.cpu, 0, "promtool check metrics", f"{ours.cpu:.3f} s of CPU"),
        Row("lint, peak memory", ours.peak / size, 12, "the body", f"{ours.peak / 1e6:.0f} MB; {what}"),
        Row(
            "lint, start-up", bare.wall / ours.wall, 0, "lint", f"{bare.wall:.3f} s until arguments are read"
        ),
    ]


def _interleaved(path: Path) -> tuple[Cost, Cost]:
    """Return the best of several runs of both, taken in turns: a busy minute of the machine then hits both."""
    lint = [sys.executable, "-m", "obs", "lint", "--select", "format,contract,cardinality", str(path)]
    check = ["sh", "-c", f"exec promtool check metrics < {path}"]
    ours, theirs = [], []
    for _ in range(RUNS):
        ours.append(process(lint, runs=1, ok=(0, 1)))
        theirs.append(process(check, runs=1, ok=(0, 3)))  # 3: promtool's word for "lint findings"
    return _least(ours), _least(theirs)


def _least(costs: list[Cost]) -> Cost:
    return Cost(min(c.wall for c in costs), min(c.cpu for c in costs), min(c.peak for c in costs))


def _detail(what: str, ours: Cost, theirs: Cost) -> str:
    return f"{ours.wall:.3f} s against {theirs.wall:.3f} s; {what}"


if __name__ == "__main__":
    write(sys.argv[1])
