"""What the sidecar was asked to do: default < file < environment < flag, the contract's precedence (section 10).

As there, a list in the file or the environment replaces the one below it, and repeated flags add to it. An empty
variable counts as not set (section 11). Every problem is told at once, before anything is bound.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from obs.adapters.files import read_text
from obs.adapters.scrape_access import Access
from obs.adapters.sidecar.settings import SETTINGS, Setting
from obs.adapters.sidecar.targets import Target, named, read_target
from obs.documents.suggest import did_you_mean
from obs.errors import ConfigInvalidError, ObsError, Problem
from obs.model.finding import Severity


@dataclass(frozen=True, slots=True)
class Configuration:
    """All settings with their values. Times are in seconds, sizes in bytes.

    `targets` are those named one by one; `origins` say where the value of each setting comes from.
    """

    targets: tuple[Target, ...]
    targets_file: tuple[str, ...]
    http_sd: tuple[str, ...]
    dns_sd: tuple[tuple[str, int], ...]
    discovery_interval: float
    listen: tuple[str, int]
    listen_cert: str | None
    listen_key: str | None
    interval: float
    timeout: float
    warmup: float
    registry: Path | None
    rules: Path | None
    manifest: str | None
    manifest_command: tuple[str, ...]
    profile: str
    select: tuple[str, ...]
    ignore: tuple[str, ...]
    fail_on: Severity
    concurrency: int
    max_bytes: int
    max_series: int
    access: Access
    origins: Mapping[str, str] = field(default_factory=dict)


def configuration(arguments: Sequence[str], environment: Mapping[str, str]) -> Configuration:
    """Return the configuration of a command line; raise ConfigInvalidError with every problem."""
    problems: list[Problem] = []
    flags, file = _flags(arguments, problems)
    file = file or environment.get("OBS_CONFIG") or None
    layers = _Layers(problems)
    layers.defaults()
    if file:
        layers.file(file)
    layers.environment(environment)
    layers.flags(flags)
    found = layers.values
    _check_pairs(found, layers.origins, problems)
    if problems:
        raise ConfigInvalidError(problems)
    return _built(found, layers.origins)


def _flags(arguments: Sequence[str], problems: list[Problem]) -> tuple[list[tuple[Setting, str]], str | None]:
    """Return each flag with its text in order, and the file of `--config`."""
    known = {setting.flag: setting for setting in SETTINGS}
    flags: list[tuple[Setting, str]] = []
    file = None
    rest = list(arguments)
    while rest:
        word, equals, value = rest.pop(0).partition("=")
        if word not in {*known, "--config", "-c"}:
            hint = (
                did_you_mean(word, [*known, "--config"])
                if word.startswith("-")
                else "name targets with --target URL"
            )
            problems.append(Problem(word, "no such flag" if word.startswith("-") else "not a flag", hint))
            if word.startswith("-") and not equals and rest and not rest[0].startswith("-"):
                rest.pop(0)  # most likely its value
            continue
        if not equals:
            if not rest:
                problems.append(Problem(word, "needs a value", "see obs sidecar --help"))
                continue
            value = rest.pop(0)
        if word in known:
            flags.append((known[word], value))
        else:
            file = value
    return flags, file


class _Layers:
    """Puts one layer over the other and remembers which one each value came from."""

    def __init__(self, problems: list[Problem]) -> None:
        self.problems = problems
        self.values: dict[str, Any] = {}
        self.origins: dict[str, str] = {}

    def defaults(self) -> None:
        for setting in SETTINGS:
            empty: list[Any] | None = [] if setting.many else None
            self.values[setting.name] = empty if setting.default is None else setting.read(setting.default)
            self.origins[setting.name] = "default"

    def file(self, path: str) -> None:
        try:
            data = _document(path)
        except ObsError as error:
            self.problems += error.problems
            return
        known = {setting.name: setting for setting in SETTINGS}
        for key, value in data.items():
            if key not in known:
                self.problems.append(
                    Problem(f"{path}: $.{key}", f"no such setting `{key}`", did_you_mean(key, known))
                )
                continue
            self._file_value(known[key], value, f"{path}: $.{key}")

    def _file_value(self, setting: Setting, value: Any, where: str) -> None:
        if setting.many:
            items = value if isinstance(value, list) else [value]
            self.values[setting.name] = []
            for at, item in enumerate(items):
                self._add(setting, item, f"{where}[{at}]" if isinstance(value, list) else where)
        elif isinstance(value, (dict, list)) or value is None:
            self.problems.append(
                Problem(where, "must be one value", f"write {setting.name}: {setting.value}")
            )
            return
        else:
            self._set(setting, str(value), where)
        self.origins[setting.name] = "file"

    def environment(self, environment: Mapping[str, str]) -> None:
        for setting in SETTINGS:
            value = environment.get(setting.variable, "")
            if not value.strip():
                continue
            if setting.many:
                self.values[setting.name] = []
                for word in value.split(","):
                    self._add(setting, word.strip(), setting.variable)
            else:
                self._set(setting, value, setting.variable)
            self.origins[setting.name] = "environment"

    def flags(self, flags: Sequence[tuple[Setting, str]]) -> None:
        seen: set[str] = set()
        for setting, value in flags:
            if setting.many:
                self._add(setting, value, setting.flag)
            elif setting.name in seen:
                self.problems.append(Problem(setting.flag, "given twice", "give it once"))
            else:
                self._set(setting, value, setting.flag)
            seen.add(setting.name)
            self.origins[setting.name] = "flag"

    def _add(self, setting: Setting, value: Any, where: str) -> None:
        if setting.name == "target" and isinstance(value, dict):
            self.values["target"].append((where, value))
            return
        if not isinstance(value, str):
            self.problems.append(Problem(where, f"{value!r:.80} is not text", f"write a {setting.value}"))
            return
        words = value.split(",") if setting.value == "WORD" else [value]
        for word in words:
            read = self._read(setting, word.strip(), where)
            if read is not None:
                self.values[setting.name].append((where, {"url": read}) if setting.name == "target" else read)

    def _set(self, setting: Setting, value: str, where: str) -> None:
        read = self._read(setting, value, where)
        if read is not None:
            self.values[setting.name] = read

    def _read(self, setting: Setting, value: str, where: str) -> Any:
        try:
            return setting.read(value)
        except ValueError as error:
            self.problems.append(Problem(where, str(error)))
            return None


def _document(path: str) -> Mapping[str, Any]:
    """Return the mapping in a JSON or YAML file; YAML is only imported for what is not JSON."""
    content = read_text(Path(path))
    if path.endswith(".json"):
        from obs.documents.load import load_json  # noqa: PLC0415 - the module imports YAML

        data = load_json(content, path)
    else:
        from obs.documents.load import load_yaml  # noqa: PLC0415

        data = load_yaml(content, path).data
    if data is None:
        return {}
    if not isinstance(data, dict):
        raise ConfigInvalidError([Problem(path, "holds no settings", "write `name: value` lines")])
    return data


def _check_pairs(found: Mapping[str, Any], origins: Mapping[str, str], problems: list[Problem]) -> None:
    """Note settings that contradict each other."""
    for one, other in (("cert", "key"), ("listen_cert", "listen_key")):
        if bool(found[one]) != bool(found[other]):
            given, missing = (one, other) if found[one] else (other, one)
            problems.append(Problem(given, f"without {missing}", "give both"))
    if found["manifest"] and found["manifest_command"]:
        problems.append(
            Problem("manifest", "both a manifest and a command that prints one", "give one of them")
        )
    if found["timeout"] > found["interval"] and origins["timeout"] != "default":
        problems.append(Problem("timeout", "longer than the interval", "shorten it, or scrape less often"))
    if not (found["target"] or found["targets_file"] or found["http_sd"] or found["dns_sd"]):
        remedy = "give --target URL, --targets-file FILE, --http-sd URL or --dns-sd HOST:PORT"
        problems.append(Problem("", "nothing to scrape", remedy))
    access = _access(found)
    for where, data in found["target"]:
        try:
            read_target(data, access, where)
        except ObsError as error:
            problems += error.problems
    command = found["manifest_command"]
    if command:
        try:
            empty = not shlex.split(command)
        except ValueError as error:
            problems.append(Problem("manifest_command", f"`{command}`: {error}", "check the quotes"))
        else:
            if empty:
                problems.append(Problem("manifest_command", "is empty", "leave it out"))


def _access(found: Mapping[str, Any]) -> Access:
    def path(name: str) -> Path | None:
        return Path(found[name]) if found[name] else None

    return Access(
        timeout=min(found["timeout"], found["interval"]),
        max_bytes=found["max_bytes"],
        token_file=path("bearer_token_file"),
        certificate=path("cert"),
        key=path("key"),
        authority=path("ca"),
        user_agent="obs-sidecar",
    )


def _built(found: Mapping[str, Any], origins: Mapping[str, str]) -> Configuration:
    access = _access(found)
    targets = named(read_target(data, access, where) for where, data in found["target"])
    plain = {
        name: found[name]
        for name in (
            "discovery_interval", "listen", "listen_cert", "listen_key", "interval", "warmup", "manifest", "profile",
            "fail_on", "concurrency", "max_bytes", "max_series",
        )
    }  # fmt: skip
    lists: dict[str, Any] = {
        name: tuple(found[name]) for name in ("targets_file", "http_sd", "dns_sd", "select", "ignore")
    }
    return Configuration(
        targets=targets,
        timeout=access.timeout,
        registry=Path(found["registry"]) if found["registry"] else None,
        rules=Path(found["rules"]) if found["rules"] else None,
        manifest_command=tuple(shlex.split(found["manifest_command"] or "")),
        access=access,
        origins=origins,
        **plain,
        **lists,
    )
