"""`obs check`: a live target, looked at until it is warm, then judged once."""

from __future__ import annotations

from typing import Annotated

import typer

from obs.cli import judging
from obs.cli.judging import FailOn, FormatName, ProfileName


def check(
    url: Annotated[str, typer.Argument(help="What to scrape; host:port is enough.", metavar="URL")],
    manifest: Annotated[
        str | None, typer.Option("--manifest", help="The capabilities manifest: a file or a URL.")
    ] = None,
    manifest_command: Annotated[
        str | None,
        typer.Option("--manifest-command", help="A command that prints it: 'agent --capabilities'."),
    ] = None,
    warmup: Annotated[
        str, typer.Option("--warmup", help="How long a process may take to expose everything.")
    ] = "10s",
    interval: Annotated[str, typer.Option("--interval", help="How often to look until then.")] = "1s",
    timeout: Annotated[str, typer.Option("--timeout", help="What one scrape may take.")] = "10s",
    registry: judging.RegistryOption = None,
    rules: judging.RulesOption = None,
    select: judging.SelectOption = None,
    ignore: judging.IgnoreOption = None,
    profile: judging.ProfileOption = ProfileName.PRODUCER,
    form: judging.FormatOption = FormatName.TEXT,
    fail_on: judging.FailOnOption = FailOn.ERROR,
    config: judging.ConfigOption = None,
    baseline: judging.BaselineOption = None,
    token: judging.TokenOption = None,
    cert: judging.CertOption = None,
    key: judging.KeyOption = None,
    ca: judging.AuthorityOption = None,
) -> None:
    """Judge a live target as the sidecar does, once: wait until it is warm, then report like obs lint.

    Exit codes: 0 clean, 1 findings at or above --fail-on, 2 usage, 3 no answer, 4 nothing is served.

    Example: obs check http://127.0.0.1:9090/metrics --warmup 5s
    """
    from obs.adapters.sidecar.configuration import configuration
    from obs.adapters.sidecar.once import check as check_once

    given = {
        "--target": url, "--manifest": manifest, "--manifest-command": manifest_command, "--warmup": warmup,
        "--timeout": timeout, "--registry": registry, "--rules": rules, "--profile": profile.value,
        "--fail-on": fail_on.value, "--bearer-token-file": token, "--cert": cert, "--key": key, "--ca": ca,
        "--interval": "1h",
    }  # fmt: skip
    flags = [word for flag, value in given.items() if value is not None for word in (flag, str(value))]
    for flag, values in (("--select", select), ("--ignore", ignore)):
        flags += [word for value in judging.words(values) for word in (flag, value)]
    result = check_once(configuration(flags, {}), _seconds(interval))
    code = judging.told([result], form, fail_on, config, baseline)
    raise typer.Exit(code or (4 if not result.samples else 0))


def _seconds(interval: str) -> float:
    from obs.adapters.sidecar.settings import positive_seconds
    from obs.errors import Problem, UsageError

    try:
        return positive_seconds(interval)
    except ValueError as error:
        raise UsageError([Problem("--interval", str(error))]) from error
