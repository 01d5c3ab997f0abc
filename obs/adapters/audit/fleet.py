"""Puts together again what each instance exposes, from what a server stored of it, and has it judged.

The labels that the scrape attached are those of the instance's `up`; what the server renamed to `exported_...` gets
its own name back. What the server does not store (order, comments, text) cannot be judged: the audit asks for names,
labels, values and budgets, which are the contract and its cardinality.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from obs.adapters.audit.api import PrometheusApi, Sample
from obs.checks.audit.not_observed import DOC as NOT_OBSERVED
from obs.checks.engine import Options, run
from obs.errors import NothingObservedError, Problem
from obs.exposition import Format, MetricType, SampleFamily, Series, parse, render
from obs.model.finding import Finding, Location
from obs.model.metric import Kind, Registry
from obs.model.report import TargetResult
from obs.promql.build import quote, regex_any
from obs.promql.catalog import TARGET_LABELS
from obs.report.collapse import shape_key

CHUNK = 50
"""Instances that are asked for in one query."""

NAMED = 5
"""Instances that a message names; ten are in the related places, the rest is counted."""

_RELATED = 10
_Key = tuple[str, str]
_RENAMED = "exported_"
_Types = Mapping[str, tuple[tuple[str, str], ...]]


@dataclass(frozen=True, slots=True)
class Audit:
    """What is asked for: `selector` are further matchers (`namespace="agents"`), `options` how bodies are judged."""

    api: PrometheusApi
    registry: Registry
    options: Options
    selector: str = ""


@dataclass(frozen=True, slots=True)
class Seen:
    """One instance: its name for people, what it exposes as text, and the findings in it."""

    name: str
    series: int
    findings: tuple[Finding, ...]


def audit(wanted: Audit) -> TargetResult:
    """Return one judgement of the fleet: each finding once, with the instances it is true of.

    Raise UnreadableError when the server cannot be asked, NothingObservedError when it knows no instance.
    """
    ups = {_key(sample): sample for sample in wanted.api.vector(_up(wanted))}
    exposing = [_key(sample) for sample in wanted.api.vector(_exposing(wanted))]
    if not exposing:
        message = f"no series called {wanted.registry.prefix}*{' with ' + wanted.selector if wanted.selector else ''}"
        raise NothingObservedError(
            [Problem(wanted.api.base, message, "check --selector and the scrape jobs")]
        )
    types = wanted.api.metadata()
    silent = _silent(exposing, ups)
    seen = [*_instances(wanted, [key for key in exposing if key not in silent], ups, types)]
    findings = [
        *_grouped(seen),
        *_declared(wanted, types),
        *(_unobserved(name) for name in sorted(silent.values())),
    ]
    found = tuple(
        replace(finding, location=replace(finding.location, source=wanted.api.base)) for finding in findings
    )
    series = sum(one.series for one in seen)
    return TargetResult(wanted.api.base, found, series, series)


def _key(sample: Sample) -> _Key:
    return sample.labels.get("job", ""), sample.labels.get("instance", "")


def _matchers(wanted: Audit, *more: str) -> str:
    return "{" + ",".join(part for part in (*more, wanted.selector) if part) + "}"


def _up(wanted: Audit) -> str:
    return f"up{_matchers(wanted)}"


def _named(wanted: Audit) -> str:
    return f'__name__=~"{wanted.registry.prefix}.+"'


def _exposing(wanted: Audit) -> str:
    return f"group by (job, instance) ({_matchers(wanted, _named(wanted))})"


def _silent(exposing: Sequence[_Key], ups: Mapping[_Key, Sample]) -> dict[_Key, str]:
    """Return the instances of the same jobs that cannot be judged, with their names.

    They have no series at all, or their last scrape failed: a server may answer with what it had before.
    """
    known, jobs = set(exposing), {job for job, _ in exposing}
    return {
        key: _name(up.labels, key)
        for key, up in ups.items()
        if key[0] in jobs and (key not in known or up.value == 0)
    }


def _instances(
    wanted: Audit, keys: Sequence[_Key], ups: Mapping[_Key, Sample], types: _Types
) -> Iterator[Seen]:
    by_job: dict[str, list[str]] = {}
    for job, instance in sorted(keys):
        by_job.setdefault(job, []).append(instance)
    for job, instances in by_job.items():
        for start in range(0, len(instances), CHUNK):
            some = regex_any(instances[start : start + CHUNK])
            matchers = _matchers(wanted, _named(wanted), f"job={quote(job)}", f"instance=~{quote(some)}")
            samples: dict[_Key, list[Sample]] = {}
            for sample in wanted.api.vector(matchers):
                samples.setdefault(_key(sample), []).append(sample)
            for key, mine in sorted(samples.items()):
                yield _judged(wanted, key, mine, ups.get(key), types)


def _judged(wanted: Audit, key: _Key, samples: Sequence[Sample], up: Sample | None, types: _Types) -> Seen:
    attached = set(up.labels) if up else set(TARGET_LABELS)
    name = _name(up.labels if up else samples[0].labels, key)
    series = [_own(sample, attached) for sample in samples]
    body = render(_families(series, wanted.registry, types), Format.TEXT)
    scrape = parse(body, source=name)
    return Seen(name, scrape.series_count, run(scrape, wanted.registry, wanted.options))


def _name(labels: Mapping[str, str], key: _Key) -> str:
    """Return what people call an instance: its pod where it has one."""
    if labels.get("pod"):
        return "/".join(filter(None, (labels.get("namespace"), labels["pod"])))
    return "/".join(filter(None, key))


def _own(sample: Sample, attached: set[str]) -> Series:
    """Return a sample with the labels that the target itself exposed."""
    labels = {}
    for label, value in sample.labels.items():
        bare = label.removeprefix(_RENAMED)
        if label.startswith(_RENAMED) and bare in attached:
            labels[bare] = value
        elif label not in attached and label != "__name__":
            labels[label] = value
    return Series(sample.labels["__name__"], tuple(sorted(labels.items())), sample.value)


def _families(series: Iterable[Series], registry: Registry, types: _Types) -> Iterator[SampleFamily]:
    groups: dict[str, list[Series]] = {}
    for one in series:
        groups.setdefault(_family_of(one.name, registry, types), []).append(one)
    for name, members in sorted(groups.items()):
        metric = registry.by_name.get(name)
        declared = types.get(name, ())
        kind = metric.kind.value if metric else (declared[0][0] if declared else "")
        text = metric.help if metric else (declared[0][1] if declared else "")
        yield SampleFamily(name, _kind(kind), text or "Not declared.", samples=tuple(members))


def _family_of(name: str, registry: Registry, types: _Types) -> str:
    for suffix in ("_bucket", "_sum", "_count"):
        base = name.removesuffix(suffix)
        metric = registry.by_name.get(base)
        if base != name and name not in registry.by_name and name not in types:
            if metric is not None and metric.kind is Kind.HISTOGRAM:
                return base
            if any(kind in {"histogram", "summary"} for kind, _ in types.get(base, ())):
                return base
    return name


def _kind(word: str) -> MetricType:
    try:
        return MetricType(word)
    except ValueError:
        return MetricType.UNTYPED


def _grouped(seen: Sequence[Seen]) -> Iterator[Finding]:
    """Yield each finding once, with the instances it is true of."""
    groups: dict[tuple[str, ...], tuple[Finding, list[str]]] = {}
    for instance in seen:
        for finding in instance.findings:
            names = groups.setdefault(shape_key(finding), (finding, []))[1]
            if not names or names[-1] != instance.name:
                names.append(instance.name)
    for finding, names in groups.values():
        yield _about(finding, names, len(seen))


def _about(finding: Finding, names: Sequence[str], total: int) -> Finding:
    shown = ", ".join(names[:NAMED]) + (f" and {len(names) - NAMED} more" if len(names) > NAMED else "")
    return replace(
        finding,
        message=f"{finding.message} (on {len(names)} of {total} instances: {shown})",
        location=Location(""),
        excerpt="",
        excerpt_offset=0,
        related=tuple(Location(name) for name in names[:_RELATED]),
        count=len(names),
    )


def _declared(wanted: Audit, types: _Types) -> Iterator[Finding]:
    """Yield wrong types: a server keeps them for the fleet as a whole, not for each instance."""
    families = [
        SampleFamily(metric.name, _kind(kind), metric.help)
        for metric in wanted.registry.metrics
        for kind in sorted(
            {kind for kind, _ in types.get(metric.name, ())} - {metric.kind.value, "unknown", ""}
        )[:1]
    ]
    checks = tuple(entry for entry in wanted.options.checks if entry.slug == "wrong-type")
    if not families or not checks:
        return
    # A body without one sample is judged by its format alone.
    some = SampleFamily("up", MetricType.GAUGE, "Up.", samples=(Series("up", (), 1.0),))
    scrape = parse(render([*families, some], Format.TEXT), source=wanted.api.base)
    for finding in run(scrape, wanted.registry, replace(wanted.options, checks=checks)):
        yield replace(finding, location=Location(""), excerpt="", excerpt_offset=0, related=())


def _unobserved(name: str) -> Finding:
    doc = NOT_OBSERVED
    message = f"`{name}` is scraped, and the scrape fails or brings nothing of the registry"
    return Finding(doc.code, doc.slug, doc.category, doc.severity, message, Location(""), doc.remedy, name)
