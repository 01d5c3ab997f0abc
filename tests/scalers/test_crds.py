"""Every mode and option against the CRDs of KEDA, unknown fields being errors."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.scalers.fleets import CLAIM, PUSH, REACTIVE, generate, with_scaling

SHARD = "fleets: [{name: shards, mode: shard}]\n"
SETTINGS = {
    CLAIM: {
        "target": 8,
        "target_per_capacity": 1.5,
        "polling_interval": "30s",
        "cooldown": "10m",
        "initial_cooldown": "1m",
        "fallback_replicas": 5,
        "fallback_failures": 5,
        "scale_up_window": "1m",
        "scale_up_percent": 50,
        "scale_up_pods": 1,
        "scale_down_window": "5m",
        "scale_down_percent": 10,
        "scale_down_pods": 1,
        "query": "sum(rabbitmq_queue_messages)",
    },
    PUSH: {"target": 8, "cooldown": "10m", "scale_down_window": "20m"},
    REACTIVE: {"saturation_target": 0.5, "signals": "[agent_active_subagents, agent_saturation]"},
}
HEADS = (
    "",
    "prometheus: {authentication: token}\n",
    *(f'kubernetes: {{keda_version: "2.{minor}"}}\n' for minor in (8, 12, 14, 17, 20)),
)
TAILS = ("", "    tasks: short\n", "    tasks: long\n")


def variants() -> list[str]:
    """Return configurations that together use every mode, length, version and setting."""
    whole = [
        head + text + tail for head, text, tail in itertools.product(HEADS, (CLAIM, PUSH, REACTIVE), TAILS)
    ]
    single = [
        with_scaling(text, **{key: value})
        for text, settings in SETTINGS.items()
        for key, value in settings.items()
    ]
    return [*whole, *single, SHARD]


def test_every_scaler_is_valid_against_the_crds(tmp_path: Path) -> None:
    """No error in any document of any variant."""
    shared = os.environ.get("OBS_SHARED")
    if not shared:
        pytest.skip("OBS_SHARED does not name the folder with the CRDs")
    files = []
    for index, text in enumerate(variants()):
        for artifact in generate(text).values():
            if artifact.kubernetes:
                file = tmp_path / f"{index}.yaml"
                file.write_bytes(artifact.content)
                files.append(str(file))
    script = Path(shared) / "checks" / "crd_schema.py"
    done = subprocess.run([sys.executable, script, *files], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert f"{len(files)} " not in done.stderr
