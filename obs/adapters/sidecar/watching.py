"""Scrapes every target on its own schedule, so that one that hangs delays no other.

The schedule is fixed: a target is due at its phase, which follows from its name, plus whole intervals; a late scrape
does not shift the next. Targets whose last scrape timed out share half of the places, so the others always find one.
"""

from __future__ import annotations

import asyncio
import time
import zlib
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from obs.adapters.sidecar.client import Fetched, Outcome, TlsContexts, fetch
from obs.adapters.sidecar.configuration import Configuration
from obs.adapters.sidecar.log import Log
from obs.adapters.sidecar.manifests import EVERY, NoManifestError, read_manifest, run_command
from obs.adapters.sidecar.state import TargetState, Totals
from obs.adapters.sidecar.targets import Target
from obs.adapters.sidecar.verdict import Judge, Past, Rules, unacceptable
from obs.checks.manifest.negotiate import Negotiation, Stance, negotiate, unreadable

LARGE = 64 << 10
"""Bytes of a body that is judged in a thread: meanwhile other targets are scraped and the server answers."""

LATE = 0.1
"""Share of the interval after which a scrape counts as late."""

SPREAD = 0.01
"""Seconds for each target over which the first scrapes are spread, at most the interval."""

PATIENCE = 5
"""How many times as long as its last body took to judge a target is left alone: one that sends megabytes of defects
cannot keep a processor busy.
"""

GRACE = 1.0
"""Seconds that a scrape in flight gets when the process ends."""


@dataclass(slots=True)
class Watching:
    """All targets with their tasks. `states` are in the order of the configuration."""

    config: Configuration
    rules: Rules
    contexts: TlsContexts
    log: Log
    totals: Totals = field(default_factory=Totals)
    states: dict[str, TargetState] = field(default_factory=dict)
    _tasks: dict[str, asyncio.Task[None]] = field(default_factory=dict)
    _busy: set[str] = field(default_factory=set)
    _stopping: bool = False
    _places: asyncio.Semaphore = field(init=False)
    _slow_places: asyncio.Semaphore = field(init=False)
    _judge: Judge = field(init=False)
    _thread_judge: Judge = field(init=False)
    _thread: ThreadPoolExecutor | None = None

    def __post_init__(self) -> None:
        self._places = asyncio.Semaphore(self.config.concurrency)
        self._slow_places = asyncio.Semaphore(max(1, self.config.concurrency // 2))
        self._judge, self._thread_judge = Judge(self.rules), Judge(self.rules)

    def change(self, config: Configuration, rules: Rules) -> None:
        """Go on with another configuration; by other rules the past is judged anew."""
        self.config, self.rules = config, rules
        self._judge, self._thread_judge = Judge(rules), Judge(rules)
        for state in self.states.values():
            state.past, state.negotiated_at = Past(), None

    def watch(self, targets: Iterable[Target]) -> None:
        """Watch exactly these targets: begin with new ones, drop others, keep what is known of the rest."""
        wanted = {target.name: target for target in targets}
        for name in [name for name, state in self.states.items() if wanted.get(name) != state.target]:
            self._tasks.pop(name).cancel()
            del self.states[name]
        kept: Mapping[str, TargetState] = self.states
        self.states = {name: kept.get(name) or TargetState(target) for name, target in wanted.items()}
        spread = min(self.config.interval, SPREAD * len(wanted))
        for name, state in self.states.items():
            if name not in self._tasks:
                phase = zlib.crc32(name.encode()) / 2**32 * spread
                self._tasks[name] = asyncio.create_task(self._watch(state, phase))

    async def stop(self) -> None:
        """End: scrapes in flight may finish for a second."""
        self._stopping = True
        for name, task in self._tasks.items():
            if name not in self._busy:
                task.cancel()
        if self._tasks:
            _, late = await asyncio.wait(self._tasks.values(), timeout=GRACE)
            for task in late:
                task.cancel()
            if late:
                await asyncio.wait(late, timeout=GRACE)
        if self._thread is not None:
            self._thread.shutdown(wait=False, cancel_futures=True)

    async def _watch(self, state: TargetState, phase: float) -> None:
        clock = asyncio.get_running_loop().time
        due = clock() + phase
        while not self._stopping:
            await asyncio.sleep(max(0.0, due - clock()))
            await self.look(state, due)
            interval = self.config.interval
            behind = max(clock() - due, state.cost * PATIENCE)
            due += interval * max(1, -(-behind // interval))

    async def look(self, state: TargetState, due: float) -> None:
        """Negotiate if need be, then scrape and judge once, when there is a place."""
        self._busy.add(state.target.name)
        try:
            if state.outcome is Outcome.TIMEOUT:
                async with self._slow_places, self._places:
                    await self._look(state, None)
            else:
                async with self._places:
                    await self._look(state, due)
        finally:
            self._busy.discard(state.target.name)

    async def _look(self, state: TargetState, due: float | None) -> None:
        now = asyncio.get_running_loop().time()
        if due is not None and now - due > self.config.interval * LATE:
            self.totals.late += 1
        await self._negotiate(state, now)
        if state.negotiation.stance is not Stance.SCRAPE:
            return
        fetched = await fetch(state.target.url, state.target.access, self.contexts)
        self.totals.scrapes.observe(fetched.seconds * 1000)
        state.last_scrape = time.time()
        before = state.outcome, state.conformant(self.rules.fail_on)
        if fetched.outcome is Outcome.OK:
            await self._judged(state, fetched)
        else:
            verdict = unacceptable(state.target.name, fetched)
            state.fetched_nothing(fetched.outcome, fetched.detail, verdict)
        after = state.outcome, state.conformant(self.rules.fail_on)
        if after != before:
            self._tell(state)

    async def _judged(self, state: TargetState, fetched: Fetched) -> None:
        loop = asyncio.get_running_loop()
        name, past, profile = state.target.name, state.past, state.negotiation.profile
        started = time.perf_counter()
        if len(fetched.body) <= LARGE:
            outcome, verdict, past = self._judge.judge(name, fetched, past, loop.time(), profile)
        else:
            if self._thread is None:
                self._thread = ThreadPoolExecutor(1, "obs-judge")
            outcome, verdict, past = await loop.run_in_executor(
                self._thread, self._thread_judge.judge, name, fetched, past, loop.time(), profile
            )
        state.cost = time.perf_counter() - started
        self.totals.checks.observe(state.cost * 1000)
        if past.trail is not None and past.trail.age == 1 and past.trail.looks > 1:
            state.negotiated_at = None  # another process may say something else
        state.judged(outcome, verdict, past, time.time())

    async def _negotiate(self, state: TargetState, now: float) -> None:
        source = state.target.manifest or self.config.manifest or ""
        if not source and not self.config.manifest_command:
            return
        if state.negotiated_at is not None and now - state.negotiated_at < EVERY:
            return
        shown = source.partition("?")[0] or self.config.manifest_command[0]
        try:
            if source:
                text = await read_manifest(source, state.target, self.contexts)
            else:
                text = await run_command(self.config.manifest_command)
        except NoManifestError as error:
            self.log.alarm("manifest_unreadable", target=state.target.name, manifest=shown, reason=error)
            if state.negotiation.contract == Negotiation().contract:
                state.negotiation = unreadable(shown, str(error))
            return
        before = state.negotiation.stance
        state.agreed(negotiate(text, shown, self.rules.registry), now, self.rules.fail_on)
        if state.negotiation.stance is not before:
            self._tell(state)

    def _tell(self, state: TargetState) -> None:
        verdict = state.verdict
        fields = {
            "target": state.target.name,
            "conformant": state.conformant(self.rules.fail_on),
            "stance": state.negotiation.stance.value,
            "outcome": state.outcome.value if state.outcome else None,
            "detail": state.detail,
            "findings": " ".join(sorted({code for code, _ in verdict.counts})) if verdict else "",
        }
        if fields["conformant"] or state.negotiation.stance is Stance.OFF:
            self.log.note("verdict", **fields)
        else:
            self.log.alarm("verdict", **fields)
