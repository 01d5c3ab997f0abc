"""The sidecar's engine once: wait until a target is warm, then give the verdict."""

from __future__ import annotations

import asyncio
import io

from obs.adapters.sidecar.client import Outcome
from obs.adapters.sidecar.configuration import Configuration
from obs.adapters.sidecar.log import Log
from obs.adapters.sidecar.run import rules_of
from obs.adapters.sidecar.state import TargetState
from obs.adapters.sidecar.tls import ClientContexts
from obs.adapters.sidecar.watching import Watching
from obs.checks.manifest.negotiate import Stance
from obs.errors import NothingObservedError, Problem, UnreadableError
from obs.model.report import TargetResult


def check(config: Configuration, interval: float) -> TargetResult:
    """Return the judgement of the first target of `config` when it is warm; until then it is scraped each `interval`.

    Raise UnreadableError when there is no answer, NothingObservedError when the manifest says that there is nothing.
    """
    rules = rules_of(config)
    watching = Watching(config, rules, ClientContexts(), Log(stream=io.StringIO()))
    state = TargetState(config.targets[0])
    asyncio.run(_until_warm(watching, state, interval))
    return _result(state)


async def _until_warm(watching: Watching, state: TargetState, interval: float) -> None:
    """Look until the verdict is one on a warm process; one that keeps restarting gets twice the time."""
    clock = asyncio.get_running_loop().time
    began, warmup = clock(), watching.rules.warmup
    while True:
        await watching.look(state, clock())
        warm_at = state.past.warm_at
        if state.negotiation.stance is not Stance.SCRAPE or (state.verdict and state.verdict.warm):
            break
        if clock() > began + (warmup if warm_at is None else 2 * warmup + interval):
            break
        until_warm = began + warmup if warm_at is None else warm_at
        await asyncio.sleep(max(0.001, min(interval, until_warm - clock() + 0.001)))
    await watching.stop()


def _result(state: TargetState) -> TargetResult:
    url = state.target.url
    if state.negotiation.stance is Stance.OFF:
        message = "the manifest says that it serves no metrics"
        raise NothingObservedError([Problem(url, message, "switch the surface on, or check another agent")])
    verdict = state.verdict
    answered = state.outcome in {Outcome.OK, Outcome.PARSE, Outcome.NOT_METRICS, Outcome.TOO_LARGE, None}
    if verdict is None or not answered:
        raise UnreadableError([Problem(url, state.detail, "check the URL, and that it is running")])
    findings = (*state.negotiation.findings, *verdict.findings)
    return TargetResult(
        url, findings, verdict.series, verdict.samples, verdict.size, left_out=verdict.left_out
    )
