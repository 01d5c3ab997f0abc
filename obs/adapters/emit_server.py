"""Serves a synthetic fleet over HTTP: scrapes, targets for Prometheus, and switches."""

from __future__ import annotations

import json
import socket
import sys
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from obs.adapters.addresses import parse_address
from obs.adapters.emit_targets import prometheus_config, targets
from obs.adapters.live_fleet import LiveFleet, Reply
from obs.documents.suggest import did_you_mean
from obs.errors import ObsError, Problem, UnreadableError, UsageError
from obs.model.config import Mode
from obs.synth.mutant import Mutant
from obs.synth.scenario import Scenario
from obs.synth.surroundings import coordination_body, keda_body, kubernetes_body, scaler_body

INDEX = """\
obs emit: a synthetic fleet

GET    /agents/<i>/metrics              what agent i exposes
GET    /coordination/<fleet>/metrics    its coordination server (claim fleets)
GET    /scaler/<fleet>/metrics          the external scaler's view of it
GET    /platform/metrics                kube-state-metrics and KEDA; each alone under
                                        /platform/kubernetes/metrics and /platform/keda/metrics
GET    /targets.json                    agents, in the form of http_sd and file_sd
GET    /targets/<job>.json              agents, coordination, scaler, kubernetes or keda
GET    /prometheus.yml                  a configuration that scrapes all of it (?scrape_interval=1s)
GET    /scenario                        what each agent goes through
PUT    /scenario/<name>                 switch, all or ?fleet=<name> or ?agent=<i>
GET    /mutant                          which agents break a rule
PUT    /mutant/<code>                   break one, all or ?fleet=<name> or ?agent=<i>
DELETE /mutant                          be sound again
"""


@dataclass(frozen=True, slots=True)
class _Answer:
    status: int
    body: bytes
    content_type: str = "text/plain; charset=utf-8"


class _NotFoundError(Exception):
    """There is nothing at this path; the text says what there is."""


@dataclass(slots=True)
class EmitServer:
    """An HTTP server of a fleet. `address` is where it really listens."""

    fleet: LiveFleet
    find_mutant: Callable[[str], Mutant]
    platform: bool
    _server: ThreadingHTTPServer
    _stop: threading.Event

    @property
    def address(self) -> str:
        """Return `host:port`; an IPv6 host in brackets."""
        host, port = self._server.server_address[:2]
        return f"[{host!s}]:{port}" if ":" in str(host) else f"{host!s}:{port}"

    def serve(self) -> None:
        """Serve until `stop` is called from another thread or a signal handler."""
        ticking = threading.Thread(target=self._tick, name="obs-emit-clock", daemon=True)
        ticking.start()
        try:
            self._server.serve_forever(poll_interval=0.1)
        finally:
            self._stop.set()
            self._server.server_close()
            ticking.join()

    def stop(self) -> None:
        """Make `serve` return; safe in a signal handler, as it waits for nobody."""
        self._stop.set()
        threading.Thread(target=self._server.shutdown, daemon=True).start()

    def _tick(self) -> None:
        """Move the world on even when nobody scrapes, so that no scrape has a long wait."""
        while not self._stop.wait(0.5):
            self.fleet.now()


def open_server(
    fleet: LiveFleet, listen: str, find_mutant: Callable[[str], Mutant], *, platform: bool = True
) -> EmitServer:
    """Return a server bound to `listen` (`host:port`, port 0: any free one).

    Raise UsageError when `listen` makes no sense, UnreadableError when the address cannot be had.
    """
    host, port = parse_address(listen)
    server_class = _SixServer if ":" in host else _Server
    try:
        server = server_class((host, port), _Handler)
    except OSError as error:
        problem = Problem(
            listen, f"cannot listen there: {error.strerror or error}", "choose another --listen"
        )
        raise UnreadableError([problem]) from error
    made = EmitServer(fleet, find_mutant, platform, server, threading.Event())
    server.owner = made
    return made


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128
    owner: EmitServer

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing when a client goes away in the middle; anything else is a defect and is shown."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


class _SixServer(_Server):
    address_family = socket.AF_INET6


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "obs-emit"
    sys_version = ""
    timeout = 30
    server: _Server

    def do_GET(self) -> None:
        self._answer(_get)

    def do_PUT(self) -> None:
        self._answer(_put)

    def do_DELETE(self) -> None:
        self._answer(_delete)

    def _answer(self, act: Callable[[EmitServer, list[str], Mapping[str, str], str], _Answer]) -> None:
        self._drop_body()
        parts = urlsplit(self.path)
        path = [unquote(part) for part in parts.path.split("/") if part]
        query = {name: values[-1] for name, values in parse_qs(parts.query).items()}
        try:
            answer = act(
                self.server.owner, path, query, self.headers.get("Host") or self.server.owner.address
            )
        except _NotFoundError as error:
            answer = _Answer(404, f"{error}\n\n{INDEX}".encode())
        except ObsError as error:
            answer = _Answer(400, f"{error}\n".encode())
        self.send_response(answer.status)
        self.send_header("Content-Type", answer.content_type)
        self.send_header("Content-Length", str(len(answer.body)))
        self.end_headers()
        self.wfile.write(answer.body)

    def _drop_body(self) -> None:
        """Read what a PUT sent along, so that the next request on the connection starts in the right place."""
        length = self.headers.get("Content-Length", "0")
        self.rfile.read(min(int(length), 65_536) if length.isdigit() else 0)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  # the base class's name
        """Say nothing: a line for each scrape would drown what matters."""


def _get(owner: EmitServer, path: list[str], query: Mapping[str, str], host: str) -> _Answer:
    match path:
        case []:
            return _Answer(200, INDEX.encode())
        case ["healthz"]:
            return _Answer(200, b"ok\n")
        case ["agents", index, "metrics"]:
            reply = owner.fleet.scrape(_agent(owner, index))
            if reply is None:
                return _Answer(503, b"the process is down\n")
            return _sent(reply)
        case ["coordination" | "scaler" as what, fleet, "metrics"]:
            return _fleet_surroundings(owner, what, fleet)
        case ["platform", *part, "metrics"] if owner.platform:
            return _platform(owner, part)
        case ["targets.json"]:
            return _json(targets(owner.fleet.world.plan, host)["agents"])
        case ["targets", name] if name.endswith(".json"):
            return _json(_job(targets(owner.fleet.world.plan, host), name.removesuffix(".json")))
        case ["prometheus.yml"]:
            interval = query.get("scrape_interval", "5s")
            text = prometheus_config(owner.fleet.settings.registry, host, interval, platform=owner.platform)
            return _Answer(200, text, "application/yaml")
        case ["scenario"]:
            return _json(_scenarios(owner))
        case ["mutant"]:
            return _json({str(agent): slug for agent, slug in owner.fleet.mutants().items()})
    raise _NotFoundError(f"nothing at /{'/'.join(path)}")


def _put(owner: EmitServer, path: list[str], query: Mapping[str, str], _host: str) -> _Answer:
    match path:
        case ["scenario", name]:
            owner.fleet.switch(read_scenario(name), _chosen(owner, query))
            return _json(_scenarios(owner))
        case ["mutant", code]:
            owner.fleet.mutate(owner.find_mutant(code), _chosen(owner, query))
            return _json({str(agent): slug for agent, slug in owner.fleet.mutants().items()})
    raise _NotFoundError(f"nothing to switch at /{'/'.join(path)}")


def _delete(owner: EmitServer, path: list[str], query: Mapping[str, str], _host: str) -> _Answer:
    if path[:1] != ["mutant"]:
        raise _NotFoundError(f"nothing to switch off at /{'/'.join(path)}")
    owner.fleet.mutate(None, _chosen(owner, query))
    return _json({str(agent): slug for agent, slug in owner.fleet.mutants().items()})


def read_scenario(name: str) -> Scenario:
    """Return the scenario called `name`; raise UsageError with a suggestion when there is none."""
    known = [str(scenario) for scenario in Scenario]
    if name not in known:
        raise UsageError(
            [Problem("", f"no scenario `{name}`", f"{did_you_mean(name, known)} (known: {', '.join(known)})")]
        )
    return Scenario(name)


def _agent(owner: EmitServer, index: str) -> int:
    many = len(owner.fleet.world.agents)
    if not index.isdigit() or int(index) >= many:
        raise _NotFoundError(f"no agent {index}; there are {many}, numbered from 0")
    return int(index)


def _chosen(owner: EmitServer, query: Mapping[str, str]) -> tuple[int, ...] | None:
    """Return the agents a switch is for; None for all of them."""
    plan = owner.fleet.world.plan
    unknown = sorted(set(query) - {"agent", "fleet"})
    if unknown:
        raise UsageError([Problem("", f"no parameter `{unknown[0]}`", "choose with ?agent= or ?fleet=")])
    if "agent" in query:
        return (_agent(owner, query["agent"]),)
    if "fleet" in query:
        return tuple(agent.index for agent in plan.members[plan.fleet_index(query["fleet"])])
    return None


def _scenarios(owner: EmitServer) -> dict[str, str]:
    return {str(agent): str(scenario) for agent, scenario in enumerate(owner.fleet.now().scenarios)}


def _fleet_surroundings(owner: EmitServer, what: str, name: str) -> _Answer:
    world = owner.fleet.now()
    index = world.plan.fleet_index(name)
    if world.plan.fleets[index].mode is not Mode.CLAIM:
        raise _NotFoundError(f"fleet {name} has no shared backlog, it is {world.plan.fleets[index].mode}")
    body = coordination_body(world, index) if what == "coordination" else scaler_body(world, index)
    return _sent(owner.fleet.plain(body))


def _platform(owner: EmitServer, part: list[str]) -> _Answer:
    world = owner.fleet.now()
    match part:
        case []:
            return _sent(owner.fleet.plain((*kubernetes_body(world), *keda_body(world))))
        case ["kubernetes"]:
            return _sent(owner.fleet.plain(kubernetes_body(world)))
        case ["keda"]:
            return _sent(owner.fleet.plain(keda_body(world)))
    raise _NotFoundError(f"nothing at /platform/{'/'.join(part)}")


def _job(jobs: Mapping[str, list[dict[str, Any]]], name: str) -> list[dict[str, Any]]:
    if name not in jobs:
        raise _NotFoundError(f"no job {name}; there are {', '.join(jobs)}")
    return jobs[name]


def _sent(reply: Reply) -> _Answer:
    return _Answer(200, reply.body, reply.content_type)


def _json(value: object) -> _Answer:
    return _Answer(200, (json.dumps(value, indent=1) + "\n").encode(), "application/json")
