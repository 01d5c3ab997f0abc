"""`obs audit`: a whole fleet, judged by what a Prometheus server knows of it."""

from __future__ import annotations

from typing import Annotated

import typer

from obs.cli import judging
from obs.cli.judging import FailOn, FormatName, ProfileName


def audit(
    prometheus: Annotated[
        str, typer.Option("--prometheus", help="Base URL of Prometheus, Thanos, Mimir or VictoriaMetrics.")
    ],
    selector: Annotated[
        str, typer.Option("--selector", help="Which instances: '{namespace=\"agents\"}'.")
    ] = "",
    timeout: Annotated[str, typer.Option("--timeout", help="What one query may take.")] = "30s",
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
    """Judge a whole fleet without touching a pod: what is missing, unknown, out of domain or over budget, and where.

    Exit codes: 0 clean, 1 findings at or above --fail-on, 2 usage, 3 the server cannot be asked, 4 it knows no agent.

    Example: obs audit --prometheus http://prometheus:9090 --selector '{namespace="agents"}'
    """
    from obs.adapters.audit.api import PrometheusApi
    from obs.adapters.audit.fleet import Audit
    from obs.adapters.audit.fleet import audit as audit_fleet
    from obs.adapters.scrape_access import Access
    from obs.adapters.sidecar.configuration import configuration
    from obs.adapters.sidecar.run import rules_of
    from obs.checks.engine import Options

    given = {"--registry": registry, "--rules": rules, "--profile": profile.value, "--timeout": timeout}
    flags = [word for flag, value in given.items() if value is not None for word in (flag, str(value))]
    chosen = judging.words(select) or ("contract", "cardinality")
    for flag, values in (("--select", chosen), ("--ignore", judging.words(ignore))):
        flags += [word for value in values for word in (flag, value)]
    settled = configuration(["--target", "audit:1", "--interval", "1h", *flags], {})
    judged_by = rules_of(settled)
    access = Access(
        timeout=settled.timeout,
        token_file=token,
        certificate=cert,
        key=key,
        authority=ca,
        user_agent="obs-audit",
    )
    options = Options(judged_by.checks, judged_by.profile, judged_by.budgets)
    wanted = Audit(PrometheusApi.at(prometheus, access), judged_by.registry, options, _matchers(selector))
    raise typer.Exit(judging.told([audit_fleet(wanted)], form, fail_on, config, baseline))


def _matchers(selector: str) -> str:
    """Return the matchers of a selector without its braces; raise UsageError when it is none."""
    from obs.errors import Problem, UsageError

    inner = selector.strip()
    if inner.startswith("{") != inner.endswith("}"):
        raise UsageError(
            [Problem("--selector", f"`{selector}` is no selector", "write '{namespace=\"agents\"}'")]
        )
    inner = inner.removeprefix("{").removesuffix("}").strip().strip(",")
    if inner:
        from promql_parser import parse

        try:
            parse(f"up{{{inner}}}")
        except ValueError as error:
            message = f"`{selector}` is no selector: {error}"
            raise UsageError([Problem("--selector", message, "write '{namespace=\"agents\"}'")]) from error
    return inner
