"""Runs the sidecar from its command line to its last signal."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from obs import __version__
from obs.adapters.packaged import packaged_registry
from obs.adapters.sidecar import tls
from obs.adapters.sidecar.configuration import Configuration, configuration
from obs.adapters.sidecar.discovery import FILES_EVERY, Discovery
from obs.adapters.sidecar.exposition import View, own_metrics
from obs.adapters.sidecar.log import Log, identity
from obs.adapters.sidecar.server import Answer, Server
from obs.adapters.sidecar.settings import SETTINGS
from obs.adapters.sidecar.verdict import Rules
from obs.adapters.sidecar.watching import Watching
from obs.checks.budgets import Budgets, of_registry, read_budgets
from obs.checks.catalogue import ALL_CHECKS, LIVE_CHECKS, select
from obs.checks.check import Profile
from obs.errors import ConfigInvalidError, ObsError, Problem, UnreadableError
from obs.exposition import Limits
from obs.model.check import CheckDoc
from obs.model.metric import Registry

METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8"


def main(arguments: Sequence[str], environment: Mapping[str, str]) -> int:
    """Run until SIGTERM or SIGINT; return the exit code. Raise ObsError before anything is bound."""
    try:
        config = configuration(arguments, environment)
        rules = rules_of(config)
        loop = asyncio.new_event_loop()
        sidecar = Sidecar(arguments, environment, config, rules)
        sidecar.discovery.read_files(strict=True)
    except UnreadableError as error:  # a file of the configuration: as wrong as any other value of it
        raise ConfigInvalidError(error.problems) from error
    loop.set_exception_handler(sidecar.unexpected)
    # The loop is not closed in good order: that would wait for a look-up of a name that may hang for minutes.
    return loop.run_until_complete(sidecar.run())


def finish(code: int) -> None:
    """End the process now; threads that wait for a name server are not waited for."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def rules_of(config: Configuration) -> Rules:
    """Return what bodies are judged by; raise ObsError when a file or a selection of checks is wrong."""
    registry = _registry(config)
    return Rules(
        registry=registry,
        checks=select(config.select, config.ignore, (*ALL_CHECKS, *LIVE_CHECKS)),
        profile=Profile(config.profile),
        budgets=_budgets(config, registry),
        fail_on=config.fail_on,
        warmup=config.warmup,
        limits=Limits(config.max_bytes, config.max_series, max_diagnoses=100),
    )


def _registry(config: Configuration) -> Registry:
    if config.registry is None:
        return packaged_registry()
    from obs.adapters.registries import Inputs, load_registry, load_semantics  # noqa: PLC0415 - reads YAML

    inputs = Inputs(registry=config.registry)
    return load_registry(inputs, load_semantics(inputs))


def _budgets(config: Configuration, registry: Registry) -> Budgets:
    if config.rules is None:
        return of_registry(registry)
    from obs.adapters.files import read_text  # noqa: PLC0415 - rarely used
    from obs.documents.load import load_yaml  # noqa: PLC0415

    return read_budgets(load_yaml(read_text(config.rules), str(config.rules)).data, str(config.rules))


@dataclass(slots=True)
class Sidecar:
    """The process: its parts, and what signals do to them."""

    arguments: Sequence[str]
    environment: Mapping[str, str]
    config: Configuration
    rules: Rules
    log: Log = field(init=False)
    watching: Watching = field(init=False)
    discovery: Discovery = field(init=False)
    _stop: asyncio.Event = field(default_factory=asyncio.Event)
    _reload: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self.log = Log(identity(self.environment))
        contexts = tls.ClientContexts()
        self.watching = Watching(self.config, self.rules, contexts, self.log)
        self.discovery = Discovery(self.config, contexts, self._discovered)

    async def run(self) -> int:
        """Serve and watch until told to stop; return 0, or 2 when the address cannot be used."""
        server = Server(self._routes(), self.watching.totals)
        address = await self._listen(server)
        self._say_hello(address)
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._stop.set)
        loop.add_signal_handler(signal.SIGHUP, self._reload.set)
        self.watching.watch(self.discovery.targets())
        chores = [asyncio.create_task(chore) for chore in (self._files(), self._servers(), self._reloads())]
        await self._stop.wait()
        self.log.note("stopping")
        await server.stop()
        for chore in chores:
            chore.cancel()
        await self.watching.stop()
        self.log.note("stopped")
        return 0

    async def _listen(self, server: Server) -> str:
        config = self.config
        context = None
        if config.listen_cert and config.listen_key:
            context = tls.server(config.listen_cert, config.listen_key)
        host, port = config.listen
        try:
            return await server.start(host, port, context)
        except OSError as error:
            problem = Problem(
                f"{host}:{port}", f"cannot listen: {error.strerror or error}", "choose --listen"
            )
            raise ConfigInvalidError([problem]) from error

    def _say_hello(self, address: str) -> None:
        registry = self.rules.registry
        origins = {name: origin for name, origin in self.config.origins.items() if origin != "default"}
        self.log.note(
            "listening",
            address=address,
            release=__version__,
            registry=registry.schema_version,
            sha256=registry.sha256,
            targets=len(self.discovery.targets()),
            settings=" ".join(f"{name}={origin}" for name, origin in sorted(origins.items())),
        )

    def _routes(self) -> dict[str, Any]:
        return {
            "/": self._page,
            "/metrics": self._metrics,
            "/healthz": lambda: Answer(200, b"ok\n"),
            "/readyz": self._ready,
            "/findings.json": self._findings,
        }

    def _metrics(self) -> Answer:
        watching = self.watching
        view = View(
            list(watching.states.values()), watching.totals, watching.rules.registry, watching.rules.fail_on
        )
        return Answer(200, own_metrics(view), METRICS_TYPE)

    def _ready(self) -> Answer:
        if any(state.settled for state in self.watching.states.values()):
            return Answer(200, b"ready\n")
        return Answer(503, b"no verdict yet\n")

    def _findings(self) -> Answer:
        from obs.adapters.sidecar.pages import findings_json  # noqa: PLC0415 - most sidecars are never asked

        states = list(self.watching.states.values())
        return Answer(200, findings_json(states, self.watching.rules.fail_on), "application/json")

    def _page(self) -> Answer:
        from obs.adapters.sidecar.pages import page  # noqa: PLC0415 - most sidecars are never asked

        registry = self.watching.rules.registry
        about = {
            **identity(self.environment),
            "obs": __version__,
            "registry": f"{registry.schema_version} (sha256 {registry.sha256[:12]})",
        }
        states = list(self.watching.states.values())
        body = page(states, self.watching.rules.fail_on, about, _explained)
        return Answer(200, body, "text/html; charset=utf-8")

    async def _files(self) -> None:
        while True:
            await asyncio.sleep(FILES_EVERY)
            if self.discovery.read_files():
                self.watching.watch(self.discovery.targets())

    async def _servers(self) -> None:
        while True:
            if self.config.http_sd or self.config.dns_sd:
                await self.discovery.ask()
                self.watching.watch(self.discovery.targets())
            await asyncio.sleep(self.config.discovery_interval)

    def _discovered(self, source: str, problem: str) -> None:
        self.watching.totals.discoveries["failed" if problem else "ok"] += 1
        if problem:
            self.log.fail("discovery_failed", source=source.partition("?")[0], reason=problem)

    async def _reloads(self) -> None:
        while True:
            await self._reload.wait()
            self._reload.clear()
            try:
                config = configuration(self.arguments, self.environment)
                rules = rules_of(config)
                discovery = Discovery(config, self.watching.contexts, self._discovered)
                discovery.read_files(strict=True)
            except ObsError as error:
                self.watching.totals.reloads["rejected"] += 1
                for problem in error.problems:
                    self.log.fail("reload_rejected", problem=problem)
                continue
            self._apply(config, rules, discovery)
            await discovery.ask()
            self.watching.watch(discovery.targets())

    def _apply(self, config: Configuration, rules: Rules, discovery: Discovery) -> None:
        fixed = [
            setting.name
            for setting in SETTINGS
            if not setting.reload and getattr(config, setting.name) != getattr(self.config, setting.name)
        ]
        self.config, self.rules, self.discovery = config, rules, discovery
        self.watching.change(config, rules)
        self.watching.totals.reloads["applied"] += 1
        self.log.note("reloaded", targets=len(discovery.targets()))
        if fixed:
            self.log.alarm("needs_restart", settings=" ".join(fixed))

    def unexpected(self, _: asyncio.AbstractEventLoop, context: Mapping[str, Any]) -> None:
        """Log what nobody expected, in one line like everything else."""
        error = context.get("exception")
        self.log.fail("unexpected", message=context.get("message", ""), error=repr(error) if error else "")


def _explained(code: str) -> CheckDoc | None:
    from obs.checks.manifest import CHECKS  # noqa: PLC0415 - only the page asks

    entries = {entry.code: entry for entry in (*ALL_CHECKS, *LIVE_CHECKS)}
    if code in entries:
        return entries[code].doc
    return next((doc for doc in CHECKS if doc.code == code), None)
