"""Which targets there are: named one by one, in file_sd files, or by an http_sd server.

A target's name becomes the value of the label `target`: it comes from the configuration, never from a body, and holds
no secret.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from obs.adapters.scrape_access import Access
from obs.adapters.sidecar.settings import split_url, url
from obs.documents.suggest import did_you_mean
from obs.errors import ConfigInvalidError, Problem

MOST_TARGETS = 10_000
"""Targets one process takes; a longer list is cut, and said to be."""

_KEYS = ("url", "name", "manifest", "bearer_token_file", "ca", "cert", "key")


@dataclass(frozen=True, slots=True)
class Target:
    """What is scraped: `name` is unique among the targets; `manifest` is a file or URL (empty: none of its own)."""

    name: str
    url: str
    access: Access
    manifest: str = ""


def read_target(data: dict[str, Any], access: Access, where: str) -> Target:
    """Return the target in one entry of the configuration; raise ConfigInvalidError with every problem."""
    problems = [
        Problem(f"{where}.{key}", f"no such key `{key}`", did_you_mean(key, _KEYS))
        for key in data
        if key not in _KEYS
    ]
    wrong = [key for key in _KEYS if key in data and not (isinstance(data[key], str) and data[key])]
    problems += [Problem(f"{where}.{key}", "must be a text that is not empty") for key in wrong]
    address = ""
    if "url" not in data:
        problems.append(Problem(where, "has no `url`", "write url: http://host:port/metrics"))
    elif "url" not in wrong:
        try:
            address = url(data["url"])
        except ValueError as error:
            problems.append(Problem(f"{where}.url", str(error)))
    if ("cert" in data) != ("key" in data):
        problems.append(Problem(where, "has one of `cert` and `key`", "give both"))
    if problems:
        raise ConfigInvalidError(problems)

    def path(key: str, default: Path | None) -> Path | None:
        return Path(data[key]) if key in data else default

    own = replace(
        access,
        token_file=path("bearer_token_file", access.token_file),
        authority=path("ca", access.authority),
        certificate=path("cert", access.certificate),
        key=path("key", access.key),
    )
    return Target(data.get("name", "") or _name(address), address, own, data.get("manifest", ""))


def read_groups(data: Any, access: Access, source: str) -> tuple[Target, ...]:
    """Return the targets of file_sd or http_sd data; raise ConfigInvalidError when it is none.

    A list of `{"targets": ["host:port", ...], "labels": {...}}`; of the labels `__scheme__` and `__metrics_path__` are
    used (`http` and `/metrics` without them), the others are for Prometheus.
    """
    problems: list[Problem] = []
    found: list[Target] = []
    if not isinstance(data, list):
        raise ConfigInvalidError(
            [Problem(source, "no list of target groups", 'write [{"targets": ["host:port"]}]')]
        )
    for at, group in enumerate(data):
        where = f"{source}: $[{at}]"
        if not isinstance(group, dict) or not isinstance(group.get("targets"), list):
            problems.append(
                Problem(where, "a group has a list `targets`", 'write {"targets": ["host:port"]}')
            )
            continue
        for address in group["targets"]:
            try:
                found.append(_of_group(address, group.get("labels"), access))
            except ValueError as error:
                problems.append(Problem(f"{where}.targets", str(error)))
    if problems:
        raise ConfigInvalidError(problems)
    return tuple(found)


def _of_group(address: Any, labels: Any, access: Access) -> Target:
    if not isinstance(address, str):
        raise ValueError(f"{address!r:.80} is not an address; write host:port")  # noqa: TRY004 - of data, not of code
    given = labels if isinstance(labels, dict) else {}
    scheme, path = str(given.get("__scheme__", "http")), str(given.get("__metrics_path__", "/metrics"))
    full = address if "://" in address else f"{scheme}://{address}{path}"
    return Target(_name(url(full)), url(full), access)


def _name(address: str) -> str:
    """Return `host:port`, with the path where it is not /metrics: neither a URL nor a secret belongs into a label."""
    parts = split_url(address)
    host = "localhost" if parts.hostname in {"127.0.0.1", "::1"} else str(parts.hostname)
    shown = f"[{host}]" if ":" in host else host
    port = parts.port or (443 if parts.scheme == "https" else 80)
    return f"{shown}:{port}{'' if parts.path in {'', '/metrics'} else parts.path}"


def named(targets: Iterable[Target]) -> tuple[Target, ...]:
    """Return the targets without repeated URLs, in order, each under a name of its own, at most `MOST_TARGETS`."""
    by_url: dict[str, Target] = {}
    for target in targets:
        by_url.setdefault(target.url, target)
        if len(by_url) >= MOST_TARGETS:
            break
    return tuple(_unique(by_url.values()))


def _unique(targets: Iterable[Target]) -> Iterator[Target]:
    taken: set[str] = set()
    for target in targets:
        name, number = target.name, 2
        while name in taken:
            name, number = f"{target.name}#{number}", number + 1
        taken.add(name)
        yield replace(target, name=name)
