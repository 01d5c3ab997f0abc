"""The sidecar's own metrics, as declared in registry/obs.registry.json: names, types and HELP come from there.

Label values are words of this code, of the registry or of the configuration; none comes from a scraped body.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from obs import __version__
from obs.adapters.files import read_text
from obs.adapters.resources import data_folder
from obs.adapters.sidecar.state import Histogram, TargetState, Totals
from obs.checks.manifest.negotiate import Stance
from obs.exposition.render import SampleFamily, render, render_value
from obs.exposition.scrape import Format, MetricType, Series
from obs.model.finding import Severity
from obs.model.metric import Registry

_Labels = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class View:
    """What is exposed: all targets, the totals, and what is judged by."""

    states: Sequence[TargetState]
    totals: Totals
    registry: Registry
    fail_on: Severity


def own_metrics(view: View) -> bytes:
    """Return the body of /metrics in the text format."""
    families = [*_targets(view), *_registry(view), *_totals(view.totals)]
    return render((_family(name, samples) for name, samples in families), Format.TEXT)


def _family(name: str, samples: Iterable[Series]) -> SampleFamily:
    kind, text = _declared()[name]
    return SampleFamily(name, kind, text, samples=tuple(samples))


@cache
def _declared() -> dict[str, tuple[MetricType, str]]:
    path = data_folder() / "registry" / "obs.registry.json"
    metrics = json.loads(read_text(path))["metrics"]
    return {metric["name"]: (MetricType(metric["type"]), metric["help"]) for metric in metrics}


def _targets(view: View) -> Iterator[tuple[str, list[Series]]]:
    states = view.states
    judged = [(state.target.name, state.verdict) for state in states if state.verdict is not None]

    def each(name: str, values: Iterable[tuple[str, float]]) -> tuple[str, list[Series]]:
        return name, [Series(name, (("target", target),), float(value)) for target, value in values]

    verdicts = [(state.target.name, state.conformant(view.fail_on)) for state in states]
    yield "obs_targets", [Series("obs_targets", (), float(len(states)))]
    yield each(
        "obs_target_expected", ((s.target.name, s.negotiation.stance is not Stance.OFF) for s in states)
    )
    yield each("obs_target_conformant", ((name, value) for name, value in verdicts if value is not None))
    yield each("obs_target_warm", ((name, verdict.warm) for name, verdict in judged))
    yield "obs_target_findings", [*_findings(states)]
    yield each("obs_target_series", ((name, verdict.series) for name, verdict in judged))
    yield each("obs_target_body_bytes", ((name, verdict.size) for name, verdict in judged))
    yield each("obs_target_unknown_metrics", ((name, verdict.unknown) for name, verdict in judged))
    yield each("obs_target_budget_used_ratio", ((name, min(verdict.used, 1.0)) for name, verdict in judged))
    yield "obs_target_scrapes_total", [*_outcomes(states)]
    # A target that serves no metrics is not one that could not be read: it has no such time.
    expected = (state for state in states if state.negotiation.stance is not Stance.OFF)
    last = ((state.target.name, int(state.last_success)) for state in expected)
    yield each("obs_target_last_success_timestamp_seconds", last)
    yield "obs_target_contract_info", [*_contracts(states)]


def _findings(states: Sequence[TargetState]) -> Iterator[Series]:
    for state in states:
        counts: Counter[tuple[str, str]] = Counter(state.verdict.counts if state.verdict else {})
        for finding in state.negotiation.findings:
            counts[finding.code, finding.severity.word] += finding.count
        for (code, severity), number in sorted(counts.items()):
            labels = (("code", code), ("severity", severity), ("target", state.target.name))
            yield Series("obs_target_findings", labels, float(number))


def _outcomes(states: Sequence[TargetState]) -> Iterator[Series]:
    for state in states:
        for outcome, number in state.outcomes.items():
            labels = (("outcome", outcome.value), ("target", state.target.name))
            yield Series("obs_target_scrapes_total", labels, float(number))


def _contracts(states: Sequence[TargetState]) -> Iterator[Series]:
    for state in states:
        agreed = state.negotiation
        labels = (("contract", agreed.contract), ("schema", agreed.schema), ("target", state.target.name))
        yield Series("obs_target_contract_info", labels, 1.0)


def _registry(view: View) -> Iterator[tuple[str, list[Series]]]:
    counts = Counter(name for state in view.states if state.verdict for name in state.verdict.present)
    present = [
        Series("obs_metric_targets", (("metric", metric.name),), float(counts[metric.name]))
        for metric in view.registry.metrics
    ]
    yield "obs_metric_targets", present
    labels = (
        ("release", __version__),
        ("schema", view.registry.schema_version),
        ("sha256", view.registry.sha256),
    )
    yield "obs_registry_build_info", [Series("obs_registry_build_info", labels, 1.0)]


def _totals(totals: Totals) -> Iterator[tuple[str, list[Series]]]:
    yield "obs_scrape_duration_ms", [*_histogram("obs_scrape_duration_ms", totals.scrapes)]
    yield "obs_check_duration_ms", [*_histogram("obs_check_duration_ms", totals.checks)]
    yield _counted("obs_scrapes_late_total", {(): totals.late})
    yield _counted("obs_config_reloads_total", {(("result", key),): n for key, n in totals.reloads.items()})
    yield _counted(
        "obs_discovery_reads_total", {(("result", key),): n for key, n in totals.discoveries.items()}
    )
    yield _counted("obs_requests_refused_total", {(): totals.refused_requests})


def _counted(name: str, values: dict[_Labels, int]) -> tuple[str, list[Series]]:
    return name, [Series(name, labels, float(value)) for labels, value in values.items()]


def _histogram(name: str, histogram: Histogram) -> Iterator[Series]:
    running = 0
    for bound, count in zip((*histogram.bounds, float("inf")), histogram.counts, strict=True):
        running += count
        yield Series(f"{name}_bucket", (("le", render_value(bound)),), float(running))
    yield Series(f"{name}_sum", (), float(round(histogram.total)))
    yield Series(f"{name}_count", (), float(running))
