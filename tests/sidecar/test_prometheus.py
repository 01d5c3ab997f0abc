"""A real Prometheus between agents, sidecar, alerts and audit: each sees the same violations."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
import yaml

from obs.adapters.audit.api import PrometheusApi
from obs.adapters.audit.fleet import Audit, audit
from obs.adapters.scrape_access import Access
from obs.checks.catalogue import select
from obs.checks.engine import Options
from obs.emit.rules import RulesEmitter
from tests.home import REPO, sources
from tests.sidecar.process import Running, eventually
from tests.tools import require

pytestmark = [pytest.mark.tools, pytest.mark.slow]
AGENTS = 3
SEEN_BY_BOTH = ("contract", "cardinality")


@dataclass(frozen=True)
class Stack:
    """A fleet, its sidecar and a server that scrapes both."""

    emit: str
    prometheus: str
    sidecar: Running

    def mutate(self, slug: str, agent: int = 0) -> None:
        """Break a rule on one agent; an empty slug mends all."""
        path = f"/mutant/{slug}?agent={agent}" if slug else "/mutant"
        request = urllib.request.Request(self.emit + path, method="PUT" if slug else "DELETE")
        with urllib.request.urlopen(request, timeout=20):
            pass

    def ask(self, expression: str) -> list[dict[str, str]]:
        """The label sets of an instant query."""
        query = urllib.parse.urlencode({"query": expression})
        with urllib.request.urlopen(f"{self.prometheus}/api/v1/query?{query}", timeout=20) as reply:
            return [item["metric"] for item in json.load(reply)["data"]["result"]]

    def codes(self) -> set[str]:
        """What the sidecar finds, of the kinds that a server can see too."""
        findings = json.loads(self.sidecar.get("/findings.json")[1])["findings"]
        return {one["code"] for one in findings if one["category"] in SEEN_BY_BOTH}

    def audit(self) -> dict[str, list[str]]:
        """The instances of each code that the audit finds."""
        checks = select(SEEN_BY_BOTH)
        wanted = Audit(PrometheusApi.at(self.prometheus, Access()), sources().registry, Options(checks))
        found: dict[str, list[str]] = {}
        for finding in audit(wanted).findings:
            found.setdefault(finding.code, []).extend(place.source for place in finding.related)
        return found

    def command(self, *more: str) -> int:
        """The exit code of `obs audit`."""
        command = [sys.executable, "-m", "obs", "audit", "--prometheus", self.prometheus, *more]
        return subprocess.run(command, cwd=REPO, capture_output=True, timeout=60, check=False).returncode


def free_port() -> int:
    """A port that was free a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def configuration(emit: str, sidecar: str, folder: Path) -> None:
    """The server's configuration: the fleet's own, the sidecar, and the generated rules, quickened."""
    with urllib.request.urlopen(f"{emit}/prometheus.yml?scrape_interval=1s", timeout=20) as reply:
        config = yaml.safe_load(reply.read())
    config["scrape_configs"].append({"job_name": "sidecar", "static_configs": [{"targets": [sidecar]}]})
    config["global"]["evaluation_interval"] = "1s"
    config["rule_files"] = [f"{folder}/rules/recording.yaml", f"{folder}/rules/alerts.yaml"]
    packaged = sources()
    quick = replace(
        packaged.config,
        alerting=replace(packaged.config.alerting, for_factor=0.001),
        prometheus=replace(packaged.config.prometheus, scrape_interval=1, evaluation_interval=1),
    )
    for artifact in RulesEmitter().emit(replace(packaged, config=quick)):
        if artifact.path in {"rules/recording.yaml", "rules/alerts.yaml"}:
            (folder / "rules").mkdir(exist_ok=True)
            (folder / artifact.path).write_bytes(artifact.content)
    (folder / "prometheus.yml").write_text(yaml.safe_dump(config))


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """Agents, sidecar and server."""
    program, folder, port = require("prometheus"), tmp_path_factory.mktemp("prometheus"), free_port()
    emit_command = [
        sys.executable,
        "-m",
        "obs",
        "emit",
        "--agents",
        str(AGENTS),
        "--listen",
        "127.0.0.1:0",
        "--speed",
        "5",
    ]
    with ExitStack() as cleanup:
        emit = cleanup.enter_context(
            subprocess.Popen(emit_command, cwd=REPO, stdout=subprocess.PIPE, text=True)
        )
        cleanup.callback(emit.terminate)
        assert emit.stdout is not None
        url = emit.stdout.readline().removeprefix("listening on ").split()[0]
        flags = ("--interval", "1s", "--timeout", "1s", "--warmup", "0s")
        sidecar = cleanup.enter_context(Running("--http-sd", f"{url}/targets.json", *flags))
        configuration(url, sidecar.address, folder)
        server = cleanup.enter_context(
            subprocess.Popen(
                [
                    program,
                    f"--config.file={folder}/prometheus.yml",
                    f"--storage.tsdb.path={folder}/data",
                    f"--web.listen-address=127.0.0.1:{port}",
                ],
                stderr=subprocess.DEVNULL,
            )
        )
        cleanup.callback(server.terminate)
        made = Stack(url, f"http://127.0.0.1:{port}", sidecar)
        eventually(lambda: answers(made), "the server knows all verdicts", 90)
        yield made


def answers(stack: Stack) -> bool:
    """Whether the server has scraped the agents and the sidecar's verdicts on them."""
    try:
        return len(stack.ask("obs_target_conformant == 1")) == len(stack.ask("agent_up")) == AGENTS
    except OSError:
        return False


def firing(stack: Stack, alert: str) -> set[str]:
    """The targets for which an alert fires."""
    return {
        labels.get("target", "") for labels in stack.ask(f'ALERTS{{alertname="{alert}",alertstate="firing"}}')
    }


def test_the_alert_fires_for_a_mutant_and_resolves(stack: Stack) -> None:
    """The generated alert on the sidecar's verdict names the broken target, and falls silent when it is mended."""
    stack.mutate("")
    eventually(lambda: not firing(stack, "AgentContractBroken"), "no alert before", 60)
    stack.mutate("value-outside-domain", agent=1)
    eventually(
        lambda: bool(firing(stack, "AgentContractBroken")),
        lambda: (
            f"the alert fires; {stack.ask('ALERTS')} {stack.ask('obs_target_conformant == 0')} {stack.codes()}"
        ),
        60,
    )
    assert all("/agents/1" in target for target in firing(stack, "AgentContractBroken"))
    stack.mutate("")
    eventually(lambda: not firing(stack, "AgentContractBroken"), "the alert resolves", 90)


VISIBLE = (
    "unknown-metric", "near-miss-metric", "missing-label", "value-outside-domain", "ratio-value", "absent-metric",
    "unequal-series", "forbidden-label", "too-many-values", "wrong-type",
)  # fmt: skip


@pytest.mark.parametrize("slug", VISIBLE)
def test_the_audit_finds_what_the_sidecar_finds(stack: Stack, slug: str) -> None:
    """One broken agent of three: the same codes, and the audit names the instance."""
    stack.mutate("")
    eventually(lambda: not stack.codes(), "sound before", 60)
    stack.mutate(slug, agent=2)
    eventually(lambda: bool(stack.codes()), "the sidecar sees it", 60)
    seen = stack.codes()
    eventually(lambda: set(stack.audit()) == seen, lambda: f"the audit finds {seen}: {stack.audit()}", 60)
    found = stack.audit()
    assert slug == "wrong-type" or len({place for places in found.values() for place in places}) == 1, found
    stack.mutate("")


def test_a_sound_fleet_is_clean(stack: Stack) -> None:
    """No finding, exit 0; a selector that matches nothing is exit 4, and one that is none exit 2."""
    stack.mutate("")
    eventually(lambda: stack.audit() == {}, "clean", 60)
    assert stack.command() == 0
    assert stack.command("--selector", '{fleet="nobody"}') == 4
    assert stack.command("--selector", "{fleet=") == 2


def test_an_instance_whose_scrape_is_dropped_is_not_passed_over(stack: Stack) -> None:
    """One bad line and the server stores nothing: the audit says that nothing of the instance was judged."""
    stack.mutate("unescaped-quote", agent=0)
    eventually(lambda: "OBS520" in stack.audit(), "it is reported", 60)
    assert stack.command() == 1
    stack.mutate("")
