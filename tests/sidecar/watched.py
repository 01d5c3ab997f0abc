"""A sidecar's loop in the test's own process, on real sockets."""

from __future__ import annotations

import asyncio
import io
from pathlib import Path
from typing import Any

from obs.adapters.sidecar.configuration import Configuration, configuration
from obs.adapters.sidecar.log import Log
from obs.adapters.sidecar.run import rules_of
from obs.adapters.sidecar.state import TargetState
from obs.adapters.sidecar.tls import ClientContexts
from obs.adapters.sidecar.watching import Watching


def configured(*targets: str, **flags: Any) -> Configuration:
    """A configuration from flags, as a person would give them."""
    words = [word for target in targets for word in ("--target", target)]
    for name, value in flags.items():
        words += ["--" + name.replace("_", "-"), str(value)]
    return configuration(words, {})


def watching(config: Configuration, log: io.StringIO | None = None) -> Watching:
    """The loop of a configuration."""
    return Watching(config, rules_of(config), ClientContexts(), Log(stream=log or io.StringIO()))


def look(url: str, times: int = 1, **flags: Any) -> TargetState:
    """Scrape and judge one target `times` times; what is known of it then."""
    config = configured(url, **{"interval": "1s", "timeout": "500ms", "warmup": "0s", **flags})

    async def go() -> TargetState:
        loop = watching(config)
        state = TargetState(config.targets[0])
        for _ in range(times):
            await loop.look(state, asyncio.get_running_loop().time())
        await loop.stop()
        return state

    return asyncio.run(go())


HERE = Path(__file__).parent
