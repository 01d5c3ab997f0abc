"""Bodies and examples, judged as `obs lint` judges them."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from functools import cache
from pathlib import Path

from obs.adapters.registries import Inputs, load_registry
from obs.checks.catalogue import ALL_CHECKS, select
from obs.checks.check import Profile
from obs.checks.engine import Options, run
from obs.exposition import parse
from obs.model.finding import Finding
from obs.model.metric import Metric, Registry
from tests.home import registry_data, semantics

UNRELATED = "agent_tokens_per_sec"
"""A provisional metric: a registry must have one, and nobody waits for this one."""


@cache
def home() -> Registry:
    """The packaged registry."""
    return load_registry(Inputs(), semantics())


def registry_of(*names: str) -> Registry:
    """The packaged registry with the named metrics only, so that a body need not have all the others."""
    metrics: tuple[Metric, ...] = tuple(metric for metric in home().metrics if metric.name in names)
    return replace(home(), metrics=metrics)


def named_in(text: str) -> tuple[str, ...]:
    """The metrics of the packaged registry that a text names."""
    return tuple(sorted(set(re.findall(r"\w+", text)) & set(home().by_name)))


def write_registry(path: Path, names: tuple[str, ...]) -> Path:
    """Write a registry file with the named metrics."""
    data = registry_data()
    kept = set(names) or {UNRELATED}
    data["metrics"] = [metric for metric in data["metrics"] if metric["name"] in kept]
    for subset in ("autoscaling_signal_subset", "cost_token_subset"):
        data[subset] = [name for name in data[subset] if name in kept]
    path.write_text(json.dumps(data))
    return path


def judge(
    body: str, *words: str, profile: Profile = Profile.PRODUCER, registry: Registry | None = None
) -> tuple[Finding, ...]:
    """What the checks named by `words` (none: all) find in a body, held against the metrics it names."""
    chosen = select(words) if words else ALL_CHECKS
    against = registry or registry_of(*named_in(body))
    return run(parse(body.encode()), against, Options(chosen, profile))


def codes(findings: tuple[Finding, ...]) -> list[str]:
    """The codes, in order of place."""
    return [finding.code for finding in findings]
