"""Days in a minute: memory does not grow while a target changes."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from itertools import count

import pytest

from tests.home import REPO
from tests.sidecar.bodies import TEXT, full_body
from tests.sidecar.hostile import GOOD, HostileServer, response

SCRAPES, FIRST = 20_000, 1_000
GROWTH = 1024  # KiB


def changing(turn: int) -> bytes:
    """A target in motion: counts, restarts, other label sets, findings, defects, nonsense."""
    text = full_body(turn % 400 + 1)
    match turn % 50:
        case 7:
            text += f'# TYPE agent_odd_{turn % 97} gauge\nagent_odd_{turn % 97}{{id="{turn}"}} 1\n'
        case 13:
            text = text.replace("agent_up 1", "agent_up 2")
        case 19:
            text += f"agent_broken{{ {turn}\n"
        case 23:
            return response(b"<html>")
        case 29:
            return response(GOOD, status="503 Service Unavailable")
        case 31:
            text = text.replace("# HELP agent_ready", f"# HELP agent_ready {turn}")
    return response(text.encode(), content_type=TEXT)


@pytest.mark.slow
def test_memory_stays_where_it_is() -> None:
    """After 20,000 scrapes of a changing target the resident set is at most 1 MiB above that after 1,000."""
    turns = count()
    prepared = [changing(turn) for turn in range(2_000)]

    async def answer(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(prepared[next(turns) % len(prepared)])
        await writer.drain()

    with HostileServer({"metrics": answer}) as server:
        command = [
            sys.executable,
            "-m",
            "tests.sidecar.soaking",
            server.url("metrics"),
            str(FIRST),
            str(SCRAPES),
        ]
        done = subprocess.run(command, cwd=REPO, capture_output=True, text=True, timeout=280, check=True)
    first, last = map(int, done.stdout.split())
    assert last - first <= GROWTH, f"{first} KiB after {FIRST} scrapes, {last} KiB after {SCRAPES}"
