"""Expressions that are written once and hold for each fleet of obs.yaml, with `$fleet` and the like standing in them.

Only what cannot be said for all fleets at once is said this way: absence keeps its labels only when a matcher pins
them, and which workload or coordination server belongs to a fleet is known from obs.yaml alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from obs.model.config import Config, Fleet, Mode
from obs.promql.build import equal, selector

_REPLICAS = {
    "Deployment": ("kube_deployment_spec_replicas", "deployment"),
    "StatefulSet": ("kube_statefulset_replicas", "statefulset"),
}
"""Where kube-state-metrics says how many replicas a workload is meant to have."""


@dataclass(frozen=True, slots=True)
class Each:
    """Which fleets an alert is written out for.

    `modes` is empty for all; `from_zero` asks for fleets that may (True) or may not (False) have no replicas;
    `backlog` for those with a coordination server; `counted` for workloads that kube-state-metrics counts.
    """

    modes: tuple[Mode, ...] = ()
    from_zero: bool | None = None
    backlog: bool = False
    counted: bool = False

    def fleets(self, config: Config) -> tuple[Fleet, ...]:
        """Return the fleets meant, in the order of obs.yaml."""
        return tuple(fleet for fleet in config.fleets if self._means(fleet))

    def _means(self, fleet: Fleet) -> bool:
        return (
            (not self.modes or fleet.mode in self.modes)
            and (self.from_zero is None or self.from_zero == (fleet.min_replicas == 0))
            and (not self.backlog or fleet.backlog is not None)
            and (not self.counted or fleet.workload.kind in _REPLICAS)
        )


def filled(text: str, fleet: Fleet) -> str:
    """Return `text` with the placeholders of one fleet filled in."""
    if "$" not in text:
        return text
    for placeholder, value in _values(fleet).items():
        text = text.replace(placeholder, value)
    return text


def _values(fleet: Fleet) -> Mapping[str, str]:
    name, label = _REPLICAS.get(fleet.workload.kind, ("", ""))
    replicas = {"namespace": fleet.namespace, label: fleet.workload.name}
    backlog = selector("", equal(fleet.backlog.matchers)) if fleet.backlog else "{}"
    return {
        "$fleet": fleet.name,
        "$namespace": fleet.namespace,
        "$workload": fleet.workload.name,
        "$replicas": selector(name, equal(replicas)) if name else "",
        "{$backlog}": backlog,
    }
