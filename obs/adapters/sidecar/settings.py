"""The settings of the sidecar: one table, from which flags, environment, file, help and docs are made."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import SplitResult, urlsplit

from obs.model.finding import Severity

PREFIX = "OBS_"
"""What the environment variables of settings start with."""

_DURATION = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h)?")
_FACTORS = (("ms", 0.001), ("s", 1.0), ("m", 60.0), ("h", 3600.0))
_SIZE = re.compile(r"(\d+)(KiB|MiB|B)?")
_SIZES = (("B", 1), ("KiB", 1 << 10), ("MiB", 1 << 20))


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting: `name` is the key in the file, `--name` with dashes the flag, `OBS_NAME` the variable.

    `read` takes the text and returns the value, or raises ValueError with what is wrong and what to write; `default` is
    text too, as a person would write it (None: not set). `many` may be given several times. `reload` says whether
    SIGHUP applies a new value.
    """

    name: str
    read: Callable[[str], Any]
    default: str | None
    value: str
    help: str
    many: bool = False
    reload: bool = True

    @property
    def flag(self) -> str:
        """Return the flag."""
        return "--" + self.name.replace("_", "-")

    @property
    def variable(self) -> str:
        """Return the environment variable."""
        return PREFIX + self.name.upper()


def text(value: str) -> str:
    """Return a text that is not empty."""
    if not value.strip():
        raise ValueError("is empty; leave it out instead")
    return value


def seconds(value: str) -> float:
    """Return a duration in seconds: `10`, `10s`, `500ms`, `2m`, `1h`."""
    found = _DURATION.fullmatch(value.strip())
    if found is None:
        raise ValueError(f"`{value}` is not a duration; write 500ms, 15s or 2m")
    return float(found[1]) * dict(_FACTORS)[found[2] or "s"]


def positive_seconds(value: str) -> float:
    """Return a duration above 0, a day at the most."""
    duration = seconds(value)
    if not 0.01 <= duration <= 86400:
        raise ValueError(f"`{value}` is out of range; choose 10ms to 24h")
    return duration


def size(value: str) -> int:
    """Return a number of bytes: `1048576`, `512KiB`, `8MiB`; at least 1 KiB, at most 1 GiB."""
    found = _SIZE.fullmatch(value.strip())
    if found is None:
        raise ValueError(f"`{value}` is not a size; write 8MiB or a number of bytes")
    amount = int(found[1]) * dict(_SIZES)[found[2] or "B"]
    if not 1 << 10 <= amount <= 1 << 30:
        raise ValueError(f"`{value}` is out of range; choose 1KiB to 1024MiB")
    return amount


def count(value: str) -> int:
    """Return a whole number from 1 to 10 million."""
    if not value.strip().isdecimal() or not 1 <= int(value) <= 10_000_000:
        raise ValueError(f"`{value}` is not a whole number from 1 on")
    return int(value)


def severity(value: str) -> Severity:
    """Return a severity by its word."""
    try:
        return Severity.from_word(value.strip())
    except KeyError as error:
        raise ValueError(f"`{value}` is not a severity; write error, warning or info") from error


def profile(value: str) -> str:
    """Return the name of a profile."""
    if value not in {"producer", "consumer"}:
        raise ValueError(f"`{value}` is not a profile; write producer or consumer")
    return value


def url(value: str) -> str:
    """Return an http(s) URL without credentials; `host:port` stands for `http://host:port/metrics`."""
    full = value.strip() if "://" in value else f"http://{value.strip()}/metrics"
    parts = split_url(full)
    if parts.username is not None or parts.password is not None:
        raise ValueError("holds a user name or password; use --bearer-token-file or a client certificate")
    return full


def split_url(value: str) -> SplitResult:
    """Return the parts of an http(s) URL; raise ValueError when it is none that can be fetched."""
    problem = f"`{_cut(value)}` is not a URL that can be scraped; write http://host:port/metrics"
    if not value.isascii() or not value.isprintable() or " " in value or len(value) > 2000:
        raise ValueError(problem)
    try:
        parts = urlsplit(value)
        valid = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError as error:
        raise ValueError(problem) from error
    if not valid:
        raise ValueError(problem)
    return parts


def listen(value: str) -> tuple[str, int]:
    """Return host (empty: all) and port of `:9464`, `127.0.0.1:9464`, `[::1]:9464`; port 0 takes a free one."""
    host, colon, port = value.strip().rpartition(":")
    if not colon or not port.isdecimal() or int(port) > 65535:
        raise ValueError(f"`{value}` is not an address to listen at; write :9464 or 127.0.0.1:9464")
    if host.startswith("[") and host.endswith("]"):
        host = host[1:-1]
    elif ":" in host:
        raise ValueError(f"`{value}`: write an IPv6 address in brackets, [::1]:9464")
    return host, int(port)


def host_and_port(value: str) -> tuple[str, int]:
    """Return a host name and a port: `agents.prod.svc.cluster.local:9090`."""
    host, colon, port = value.strip().rpartition(":")
    if not colon or not host or not port.isdecimal() or not 1 <= int(port) <= 65535:
        raise ValueError(f"`{_cut(value)}` is no host name with a port; write agents.prod.svc:9090")
    split_url(f"http://{host}:{port}/metrics")
    return host, int(port)


def _cut(value: str) -> str:
    return value if len(value) <= 80 else value[:80] + "..."


SETTINGS = (
    Setting("target", url, None, "URL", "What to scrape; host:port is enough.", many=True),
    Setting(
        "targets_file",
        text,
        None,
        "FILE",
        "Targets as Prometheus file_sd reads them, JSON or YAML.",
        many=True,
    ),
    Setting(
        "http_sd", url, None, "URL", "Where targets are asked for, as Prometheus http_sd does.", many=True
    ),
    Setting(
        "dns_sd",
        host_and_port,
        None,
        "HOST:PORT",
        "Each address of this name, as of a headless Service.",
        many=True,
    ),
    Setting(
        "discovery_interval", positive_seconds, "30s", "TIME", "How often names and URLs are asked again."
    ),
    Setting("listen", listen, ":9464", "ADDRESS", "Where the verdict is served.", reload=False),
    Setting("listen_cert", text, None, "FILE", "Serve TLS with this certificate, PEM.", reload=False),
    Setting("listen_key", text, None, "FILE", "Its private key, PEM.", reload=False),
    Setting("interval", positive_seconds, "15s", "TIME", "How often a target is scraped."),
    Setting(
        "timeout", positive_seconds, "10s", "TIME", "What a scrape may take, all of it; at most the interval."
    ),
    Setting("warmup", seconds, "10s", "TIME", "How long a new process may take to expose everything."),
    Setting("registry", text, None, "FILE", "A metrics.registry.json to judge by instead of the frozen one."),
    Setting("rules", text, None, "FILE", "Budgets: the lint/cardinality.yaml of obs generate."),
    Setting("manifest", text, None, "FILE|URL", "The capabilities manifest of the targets."),
    Setting("manifest_command", text, None, "COMMAND", "A command that prints it: 'agent --capabilities'."),
    Setting("profile", profile, "producer", "NAME", "consumer: the drift of a newer minor is only noted."),
    Setting(
        "select", text, None, "WORD", "Only these checks: categories, codes or slugs, by comma.", many=True
    ),
    Setting("ignore", text, None, "WORD", "Not these; as --select.", many=True),
    Setting(
        "fail_on", severity, "error", "SEVERITY", "The least severity that makes a target not conformant."
    ),
    Setting("concurrency", count, "256", "NUMBER", "Most scrapes at once.", reload=False),
    Setting("max_bytes", size, "2MiB", "SIZE", "Largest body that is read, unpacked."),
    Setting("max_series", count, "20000", "NUMBER", "Most series that are read of a body."),
    Setting("bearer_token_file", text, None, "FILE", "A bearer token for the targets; read at each scrape."),
    Setting("ca", text, None, "FILE", "The CAs that may sign the certificate of a target, PEM."),
    Setting("cert", text, None, "FILE", "A client certificate for the targets, PEM."),
    Setting("key", text, None, "FILE", "Its private key, PEM."),
)
"""Every setting, in the order of the help."""
