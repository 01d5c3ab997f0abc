"""What reading an exposition costs: against promtool and prometheus_client on the same file, whole processes.

`python -m benchmarks.exposition FILE` writes the body that is measured.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.measure import Cost, Row, process, python

SERIES, FAMILIES = 100_000, 1_000
BOUNDS = tuple("0.005 0.01 0.025 0.05 0.1 0.25 0.5 1 2.5 5 10 30 60 120 300 600 900 +Inf".split())


def body(series: int = SERIES, families: int = FAMILIES) -> bytes:
    """Return a sound text body: four in ten families counters, two gauges, four histograms of 18 buckets.

    Each sample has two or three labels. It holds `series` samples, rounded up to whole histograms.
    """
    return "".join(_family(number, series // families) for number in range(families)).encode()


def _family(number: int, size: int) -> str:
    match number % 10:
        case 0 | 1 | 2 | 3:
            name, kind, lines = f"app{number:04d}_requests_total", "counter", _plain
        case 4 | 5:
            name, kind, lines = f"app{number:04d}_queue_bytes", "gauge", _plain
        case _:
            name, kind, lines = f"app{number:04d}_wait_seconds", "histogram", _histogram
    return f"# HELP {name} Made for a measurement.\n# TYPE {name} {kind}\n" + "".join(lines(name, size))


def _plain(name: str, size: int) -> Iterator[str]:
    for i in range(size):
        yield f'{name}{{zone="z{i % 4}",method="m{i // 4 % 5}",status="s{i // 20}"}} {i * 37}\n'


def _histogram(name: str, size: int) -> Iterator[str]:
    for child in range(-(-size // (len(BOUNDS) + 2))):
        labels = f'method="m{child}",route="r{child % 3}"'
        for rank, bound in enumerate(BOUNDS):
            yield f'{name}_bucket{{{labels},le="{bound}"}} {rank * 10 + child}\n'
        yield f"{name}_sum{{{labels}}} {child * 1.5}\n"
        yield f"{name}_count{{{labels}}} {(len(BOUNDS) - 1) * 10 + child}\n"


READERS = {
    "obs": "from obs.exposition import parse; parse(open({!r}, 'rb').read())",
    "prometheus_client": "from prometheus_client.parser import text_string_to_metric_families as read\n"
    "for family in read(open({!r}).read()): pass",
}


def rows() -> list[Row]:
    """Return the ratios to promtool and prometheus_client, the memory ratio, and the growth with the body."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "body.prom"
        path.write_bytes(body())
        large = Path(folder) / "large.prom"
        large.write_bytes(body(SERIES * 5, FAMILIES * 5))
        return _rows(path, large)


def _rows(path: Path, large: Path) -> list[Row]:
    size = path.stat().st_size
    ours, theirs = _read("obs", path, 5), _read("prometheus_client", path, 1)
    # 3: promtool's word for "lint findings"
    promtool = process(["sh", "-c", f"exec promtool check metrics < {path}"], runs=5, ok=(0, 3))
    grown, base = _read("obs", large, 3), python("import obs.exposition", runs=5)
    what = f"{SERIES} series, {FAMILIES} families, {size / 1e6:.1f} MB"
    return [
        Row("parse", ours.wall / promtool.wall, 1, "promtool check metrics", _detail(what, ours, promtool)),
        Row("parse", ours.wall / theirs.wall, 1 / 8, "prometheus_client", _detail(what, ours, theirs)),
        Row("parse, peak memory", ours.peak / size, 12, "the body", f"{ours.peak / 1e6:.0f} MB"),
        Row(
            "parse, five times the body",
            (grown.wall - base.wall) / (ours.wall - base.wall),
            7,
            "the body; start-up taken off both",
            f"{grown.wall:.2f} s against {ours.wall:.2f} s",
        ),
    ]


def _read(reader: str, path: Path, runs: int) -> Cost:
    return python(READERS[reader].format(str(path)), runs=runs)


def _detail(what: str, ours: Cost, theirs: Cost) -> str:
    return f"{ours.wall:.3f} s against {theirs.wall:.3f} s; {what}"


if __name__ == "__main__":
    Path(sys.argv[1]).write_bytes(body())
