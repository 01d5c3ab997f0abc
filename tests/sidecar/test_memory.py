"""Whatever a target sends: the container stays within its memory, and other targets are on time."""

from __future__ import annotations

from pathlib import Path

import pytest

from obs.emit.sidecar import SidecarEmitter
from tests.home import sources
from tests.sidecar.hostile import BOMB, CHUNKED, GOOD, GZIP, HostileServer, drips, response, says
from tests.sidecar.process import Running, eventually

ROOM = 256 << 10
LIMIT = 64 << 10  # KiB, as the component says


def filled(line: str) -> bytes:
    """A body just under the limit, of one line over and over; `#` in it counts."""
    lines = (line.replace("#", str(number), 1) for number in range(ROOM))
    text = ""
    for one in lines:
        if len(text) + len(one) > ROOM:
            break
        text += one
    return text.encode()


BODIES = {
    "series": 'agent_x_total{a="#"} 1\n',
    "names": "agent_# 1\n",
    "types": "% TYPE m# gauge\n",
    "blank": "\n",
    "broken": "a{ #\n",
    "values": 'agent_x{b="#xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"} 1\n',
}


@pytest.mark.slow
def test_no_body_takes_the_sidecar_over_its_limit() -> None:
    """Bombs, endless bodies and the worst that fits: the peak stays under the limit, a sound target is on time."""
    behaviours = {name: says(response(filled(line).replace(b"%", b"#"))) for name, line in BODIES.items()}
    behaviours["bomb"] = says(response(BOMB, more=GZIP))
    behaviours["endless"] = drips(CHUNKED, b"10000\r\n" + b"a" * 65536 + b"\r\n", pause=0)
    behaviours["good"] = says(response(GOOD))
    with HostileServer(behaviours) as server:
        targets = [word for name in behaviours for word in ("--target", server.url(name))]
        flags = (
            "--interval",
            "1s",
            "--timeout",
            "1s",
            "--warmup",
            "0s",
            "--max-bytes",
            "256KiB",
            "--max-series",
            "5000",
        )
        with Running(*targets, *flags) as sidecar:
            eventually(
                lambda: all(server.seen[name] >= 2 for name in behaviours), "each was scraped twice", 120
            )
            status = Path(f"/proc/{sidecar.process.pid}/status").read_text()
            good = f'obs_target_scrapes_total{{outcome="ok",target="localhost:{server.port}/good"}}'
            assert (sidecar.metric(good) or 0) >= 2
    peak = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM"))
    assert peak <= LIMIT, f"{peak} KiB at the most"


def test_the_manifests_have_these_limits() -> None:
    """What is measured above is what is deployed."""
    component = next(
        one for one in SidecarEmitter().emit(sources()) if "component" in one.path
    ).content.decode()
    assert "--max-bytes=256KiB" in component
    assert "--max-series=5000" in component
    assert "memory: 64Mi" in component
