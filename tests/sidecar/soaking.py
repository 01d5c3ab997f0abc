"""Scrapes a target as fast as it can, in a process of its own; prints the resident set twice, in KiB."""

from __future__ import annotations

import asyncio
import io
import os
import sys
from pathlib import Path

from obs.adapters.sidecar.configuration import configuration
from obs.adapters.sidecar.log import Log
from obs.adapters.sidecar.run import rules_of
from obs.adapters.sidecar.state import TargetState
from obs.adapters.sidecar.tls import ClientContexts
from obs.adapters.sidecar.watching import Watching


class Silence(io.StringIO):
    """A log that keeps nothing."""

    def write(self, text: str) -> int:
        """Forget a line."""
        return len(text)


def resident() -> int:
    """The resident set of this process in KiB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") // 1024


async def main(url: str, first: int, last: int) -> None:
    """Scrape `last` times; print the resident set after `first` and at the end."""
    config = configuration(["--target", url, "--warmup", "0s"], {})
    loop = Watching(config, rules_of(config), ClientContexts(), Log(stream=Silence()))
    state = TargetState(config.targets[0])
    for turn in range(last):
        if turn == first:
            sys.stdout.write(f"{resident()}\n")
        await loop.look(state, asyncio.get_running_loop().time())
    sys.stdout.write(f"{resident()}\n")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
