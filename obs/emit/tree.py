"""All emitters in order: the tree that `obs generate` writes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from obs.emit.base import Emitter
from obs.emit.bundle import kustomization, readme
from obs.emit.cardinality import CardinalityEmitter
from obs.emit.dashboards import DashboardsEmitter
from obs.emit.docs import metrics_page
from obs.emit.jobs import JobsEmitter
from obs.emit.rules import RulesEmitter
from obs.emit.scalers import ScalersEmitter
from obs.emit.scrape import ScrapeEmitter
from obs.emit.sidecar import SidecarEmitter
from obs.errors import NothingObservedError, Problem
from obs.model.artifact import Artifact
from obs.specs.sources import Sources


def emitters() -> tuple[Emitter, ...]:
    """Return the emitters whose artifacts depend on the sources alone."""
    return (
        DashboardsEmitter(),
        RulesEmitter(),
        ScrapeEmitter(),
        CardinalityEmitter(),
        JobsEmitter(),
        ScalersEmitter(),
        SidecarEmitter(),
    )


def render(sources: Sources) -> tuple[Artifact, ...]:
    """Return every artifact, sorted by path.

    The docs, the kustomization and the README describe the other artifacts, so they are made after them. Raise an
    ObsError when the sources ask for nonsense: then there is no artifact at all.
    """
    artifacts = [artifact for emitter in emitters() for artifact in emitter.emit(sources)]
    if not artifacts:
        raise NothingObservedError([Problem("", "these sources make no artifact at all", "check obs.yaml")])
    artifacts.append(metrics_page(sources, artifacts))
    artifacts.append(kustomization(sources, artifacts))
    artifacts.append(readme(sources, artifacts))
    _check_paths(artifacts)
    return tuple(sorted(artifacts, key=lambda artifact: artifact.path))


def _check_paths(artifacts: Iterable[Artifact]) -> None:
    counts = Counter(artifact.path for artifact in artifacts)
    twice = sorted(path for path, count in counts.items() if count > 1)
    if twice:
        raise AssertionError(f"two emitters write {', '.join(twice)}")
