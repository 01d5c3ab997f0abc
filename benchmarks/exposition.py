"""What reading and linting an exposition costs: against promtool and prometheus_client, whole processes.

`python -m benchmarks.exposition FILE` writes the body that is measured.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.measure import Cost, Row, in_turns, python

SERIES, FAMILIES = 100_000, 1_000
BOUNDS = (
    *(
        "0.005",
        "0.01",
        "0.025",
        "0.05",
        "0.1",
        "0.25",
        "0.5",
        "1",
        "2.5",
        "5",
        "10",
        "30",
        "60",
        "120",
        "300",
        "600",
    ),
    *("900", "+Inf"),
)
HANDLERS = ("/v1/agents/list", "/v1/agents/subscribe", "/v1/tasks/{task}/cancel", "/healthz")
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
CODES = ("200", "204", "400", "401", "500")


def body(series: int = SERIES, families: int = FAMILIES) -> bytes:
    """Return a sound text body: of ten families four counters, two gauges and four histograms of 18 buckets.

    It holds `series` samples, rounded up to whole histograms. Samples have five labels on
    average and lines 131 bytes, as in real bodies of a Kubernetes API server, etcd, node_exporter, cAdvisor and
    kube-state-metrics taken together (4.9 labels, 130 bytes).
    """
    return "".join(_family(number, series // families) for number in range(families)).encode()


def _family(number: int, size: int) -> str:
    match number % 10:
        case 0 | 1 | 2 | 3:
            name, kind, lines = f"measured_component_{number:04d}_requests_total", "counter", _plain
        case 4 | 5:
            name, kind, lines = f"measured_component_{number:04d}_queue_bytes", "gauge", _plain
        case _:
            name, kind, lines = f"measured_component_{number:04d}_duration_seconds", "histogram", _histogram
    comments = f"# HELP {name} What the component did, by handler and method.\n# TYPE {name} {kind}\n"
    return comments + "".join(lines(name, size))


def _plain(name: str, size: int) -> Iterator[str]:
    for i in range(size):
        handler, method, code = HANDLERS[i % 4], METHODS[i // 4 % 5], CODES[i // 20 % 5]
        where = 'component="agents",zone="eu-west-1a"'
        yield f'{name}{{handler="{handler}",method="{method}",code="{code}",{where}}} {i * 37}\n'


def _histogram(name: str, size: int) -> Iterator[str]:
    for child in range(-(-size // (len(BOUNDS) + 2))):
        labels = (
            f'handler="{HANDLERS[child % 4]}",method="{METHODS[child // 4 % 5]}",code="200",zone="eu-west-1a"'
        )
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
        paths = Path(folder) / "body.prom", Path(folder) / "large.prom"
        for path, factor in zip(paths, (1, 5), strict=True):
            # Not in this process: a child's largest resident set counts its parent's before exec.
            python(f"from benchmarks.exposition import write; write({str(path)!r}, {factor})", runs=1)
        return _rows(*paths)


def write(path: str, factor: int = 1) -> None:
    """Write the body, or one `factor` times as large, to `path`."""
    Path(path).write_bytes(body(SERIES * factor, FAMILIES * factor))


def _rows(path: Path, large: Path) -> list[Row]:
    size = path.stat().st_size
    cost = in_turns(
        {
            "parse": (_reader("obs", path), (0,)),
            "large": (_reader("obs", large), (0,)),
            "start": ([sys.executable, "-c", "import obs.exposition"], (0,)),
            # 3: promtool's word for "lint findings"
            "promtool": (["sh", "-c", f"exec promtool check metrics < {path}"], (0, 3)),
            "client": (_reader("prometheus_client", path), (0,)),
        }
    )
    what = f"{SERIES} series, {FAMILIES} families, {size / 1e6:.1f} MB"
    ours = cost["parse"]
    rows = [
        Row("parse", ours.wall / cost[other].wall, limit, name, _detail(what, ours, cost[other]))
        for limit, other, name in (
            (1, "promtool", "promtool check metrics"),
            (1 / 8, "client", "prometheus_client"),
        )
    ]
    peak = f"{ours.peak / 1e6:.0f} MB; {what}"
    rows.append(Row("parse, peak memory", ours.peak / size, 12, "the body", peak))
    growth = (cost["large"].cpu - cost["start"].cpu) / (cost["parse"].cpu - cost["start"].cpu)
    detail = f"{cost['large'].cpu:.2f} CPU s against {cost['parse'].cpu:.2f}, start-up taken off both"
    return [*rows, Row("parse, five times the body", growth, 7, "the body", detail)]


def _reader(reader: str, path: Path) -> list[str]:
    return [sys.executable, "-c", READERS[reader].format(str(path))]


def _detail(what: str, ours: Cost, theirs: Cost) -> str:
    wall, cpu = (
        f"{a:.3f} s against {b:.3f} s" for a, b in ((ours.wall, theirs.wall), (ours.cpu, theirs.cpu))
    )
    return f"{wall} (CPU: {cpu}); {what}"


if __name__ == "__main__":
    write(sys.argv[1])
