"""What `obs generate` costs: against importing its own dependencies, and as the registry grows."""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.measure import REPO, Row, process, python

IMPORTS = "import grafanalib.core, jinja2, yaml, jsonschema, typer, prometheus_client"


def rows() -> list[Row]:
    """Return the cold-start ratio and the growth ratio."""
    with tempfile.TemporaryDirectory() as folder:
        return [_cold_start(Path(folder)), _growth(Path(folder))]


def _cold_start(folder: Path) -> Row:
    command = [sys.executable, "-m", "obs", "generate", "--out", str(folder / "deploy")]
    yardstick, job = python(IMPORTS, runs=9), process(command, runs=9)
    detail = f"{job.wall:.3f} s against {yardstick.wall:.3f} s"
    return Row("generate, cold start", job.wall / yardstick.wall, 3, f"python -c '{IMPORTS}'", detail)


def _growth(folder: Path) -> Row:
    costs = {}
    for size in (1_000, 10_000):
        path = folder / f"{size}.json"
        path.write_text(json.dumps(synthetic_registry(size)))
        command = [
            sys.executable,
            "-m",
            "obs",
            "generate",
            "--registry",
            str(path),
            "--out",
            str(folder / str(size)),
        ]
        costs[size] = process(command, runs=1 if size > 1_000 else 3)
    small, large = costs[1_000].wall, costs[10_000].wall
    return Row(
        "generate, 10,000 metrics",
        large / small,
        12,
        "generate, 1,000 metrics",
        f"{large:.2f} s against {small:.2f} s",
    )


def synthetic_registry(size: int) -> dict[str, Any]:
    """Return the frozen registry grown to `size` metrics: copies of its own under new names."""
    data: dict[str, Any] = json.loads((REPO / "registry" / "metrics.registry.json").read_text())
    templates = [metric for metric in data["metrics"] if metric["type"] != "histogram"]
    for number in range(size - len(data["metrics"])):
        metric = dict(templates[number % len(templates)])
        total = "_total" if metric["type"] == "counter" else ""
        metric["name"] = metric["neutral_name"] = f"agent_extra_{number:05d}{total}"
        metric |= {
            "autoscaling_signal": False,
            "cost_signal": False,
            "aliases_scaling": [],
            "status": "stable",
        }
        data["metrics"].append(metric)
    return data
