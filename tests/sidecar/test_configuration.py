"""Where a value comes from: default < file < environment < flag, as the contract orders them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from obs.adapters.sidecar.configuration import configuration
from obs.adapters.sidecar.settings import SETTINGS, Setting
from obs.adapters.sidecar.targets import MOST_TARGETS, named, read_groups
from obs.cli.sidecar import usage
from obs.errors import ConfigInvalidError

TARGET = ["--target", "http://x/metrics"]


def file(folder: Path, **values: object) -> list[str]:
    """Flags that name a file with these values."""
    path = folder / "sidecar.json"
    path.write_text(json.dumps(values))
    return ["--config", str(path)]


def test_the_order_of_the_layers(tmp_path: Path) -> None:
    """Each layer wins over the one before it, and it is known which one did."""
    flags = [*TARGET, *file(tmp_path, interval="40s", warmup="40s", timeout="4s")]
    environment = {"OBS_INTERVAL": "30s", "OBS_WARMUP": "30s"}
    read = configuration([*flags, "--interval", "20s"], environment)
    assert (read.interval, read.warmup, read.timeout, read.discovery_interval) == (20, 30, 4, 30)
    assert [read.origins[name] for name in ("interval", "warmup", "timeout", "discovery_interval")] == [
        "flag", "environment", "file", "default",
    ]  # fmt: skip


def test_lists_replace_below_and_flags_add(tmp_path: Path) -> None:
    """A list of the environment replaces that of the file; repeated flags add to it."""
    flags = file(tmp_path, target=["file:1"])
    names = lambda read: [target.name for target in read.targets]  # noqa: E731 - of this test alone
    assert names(configuration(flags, {})) == ["file:1"]
    assert names(configuration(flags, {"OBS_TARGET": "one:1, two:2"})) == ["one:1", "two:2"]
    both = configuration([*flags, "--target", "flag:1", "--target", "flag:2"], {"OBS_TARGET": "one:1"})
    assert names(both) == ["one:1", "flag:1", "flag:2"]


def test_an_empty_variable_is_not_set() -> None:
    """Contract section 11: an empty value coerces to unset."""
    assert configuration(TARGET, {"OBS_INTERVAL": "", "OBS_MANIFEST": " "}).interval == 15


def test_every_problem_is_told_at_once(tmp_path: Path) -> None:
    """Flags, environment and file: all that is wrong, each with its place."""
    flags = [
        *file(tmp_path, intervall="5s", warmup=[1], target=[{"url": "x:1", "nam": "a"}]),
        "--listen",
        "here",
    ]
    with pytest.raises(ConfigInvalidError) as caught:
        configuration(flags, {"OBS_MAX_BYTES": "much"})
    said = str(caught.value)
    for part in (
        "$.intervall",
        "did you mean `interval`?",
        "$.warmup",
        "$.target[0].nam",
        "--listen",
        "OBS_MAX_BYTES",
    ):
        assert part in said


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.name)
def test_a_default_is_a_value_one_could_write(setting: Setting) -> None:
    """What the help shows as default is accepted, and the flag is in the help."""
    assert setting.flag in usage()
    if setting.default is not None:
        setting.read(setting.default)


def test_a_short_interval_shortens_the_default_timeout() -> None:
    """A scrape never takes longer than the interval, unless somebody asked for nonsense."""
    assert configuration([*TARGET, "--interval", "2s"], {}).timeout == 2


@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("127.0.0.1:9090", "localhost:9090"),
        ("http://[::1]:9090/metrics", "localhost:9090"),
        ("https://agent.example/metrics", "agent.example:443"),
        ("http://agent:9090/other?token=secret", "agent:9090/other"),
        ("http://[2001:db8::1]:9090/metrics", "[2001:db8::1]:9090"),
    ],
)
def test_a_name_is_no_url_and_no_secret(address: str, name: str) -> None:
    """The value of the label `target` is an address without scheme, query and credentials."""
    assert configuration(["--target", address], {}).targets[0].name == name


def test_two_targets_never_share_a_name() -> None:
    """Different URLs with one name are told apart by a number; the same URL is one target."""
    flags = [
        word for query in ("?a=1", "?a=2", "?a=1") for word in ("--target", f"http://x:1/metrics{query}")
    ]
    assert [target.name for target in configuration(flags, {}).targets] == ["x:1", "x:1#2"]


def test_the_number_of_targets_is_bounded() -> None:
    """A discovery that went mad does not make the process do so."""
    access = configuration(TARGET, {}).access
    groups = [{"targets": [f"h{number}:1" for number in range(MOST_TARGETS + 5)]}]
    assert len(named(read_groups(groups, access, "sd"))) == MOST_TARGETS
