"""Rules about ScaledObjects and the documents beside them: who else owns the replicas."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from obs.checks.scaling.examples import CLAIM, REACTIVE, beside, edited
from obs.checks.scaling.rule import Bundle, BundleRule, Facts, Flaw, page
from obs.checks.scaling.view import Scaler, at, mapping, whole_number
from obs.documents.load import Document
from obs.model.finding import Severity

DRAIN_ANNOTATION = "obs.dev/drain-seconds"
"""How long a pod of the fleet needs to finish or hand back its work; obs writes it, anyone may."""

PROFILE_ANNOTATION = "obs.dev/profile"
DRAIN_MARGIN = 10
KUBERNETES_GRACE = 30
"""terminationGracePeriodSeconds where a pod names none."""

_WORKLOAD = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: inbox-workers, namespace: agents}
spec:
  template:
    spec: {terminationGracePeriodSeconds: 90}
"""
_SHARDS = """\
apiVersion: agentctl.dev/v1alpha1
kind: AgentFleet
metadata: {name: inbox-workers, namespace: agents}
spec: {scaling: {mode: MODE}}
"""
_DRAINING = edited(
    CLAIM, ("  namespace: agents\n", f'  namespace: agents\n  annotations: {{{DRAIN_ANNOTATION}: "60"}}\n')
)

Found = Iterator[tuple[Document, Flaw]]


def _named(documents: Iterable[Document]) -> dict[tuple[str, str], list[Document]]:
    """Return documents by kind and name."""
    found: dict[tuple[str, str], list[Document]] = {}
    for document in documents:
        data = mapping(document.data)
        key = str(data.get("kind", "")), str(at(data, ("metadata", "name")) or "")
        found.setdefault(key, []).append(document)
    return found


def _near(document: Document, scaler: Scaler) -> bool:
    """Return whether a document is in the scaler's namespace, as far as both say."""
    namespace = str(at(document.data, ("metadata", "namespace")) or "")
    return not namespace or not scaler.namespace or namespace == scaler.namespace


def _workloads(bundle: Bundle) -> Iterator[tuple[Scaler, Document]]:
    named = _named(bundle.others)
    for scaler in bundle.scalers:
        for document in named.get((scaler.target_kind, scaler.target_name), ()):
            if scaler.whole and _near(document, scaler):
                yield scaler, document


def _owned(bundle: Bundle, facts: Facts) -> Found:
    del facts
    for scaler, document in _workloads(bundle):
        replicas = at(document.data, ("spec", "replicas"))
        if replicas is not None:
            yield (
                document,
                Flaw(
                    ("spec", "replicas"),
                    f"`{scaler.target_name}` sets `replicas: {replicas}` and is scaled by `{scaler.name}`:"
                    " every apply sets"
                    " the fleet back to that number",
                    "drop the field (once, by editing the live object's field owner: a plain removal resets it to 1)",
                    related=((scaler.document, ("metadata", "name")),),
                ),
            )


def _shard(bundle: Bundle, facts: Facts) -> Found:
    del facts
    named = _named(bundle.others)
    for scaler in bundle.scalers:
        fleets = [
            document
            for document in named.get(("AgentFleet", scaler.target_name), ())
            if _near(document, scaler) and at(document.data, ("spec", "scaling", "mode")) == "shard"
        ]
        if fleets or scaler.annotations.get(PROFILE_ANNOTATION) == "shard":
            yield (
                scaler.document,
                Flaw(
                    ("spec", "scaleTargetRef"),
                    f"`{scaler.target_name}` is a shard fleet: each replica owns a fixed share, so another"
                    " number of them"
                    " leaves shares without an owner",
                    "drop the ScaledObject; change the number of shards by hand",
                    related=tuple((document, ("spec", "scaling", "mode")) for document in fleets[:1]),
                ),
            )


def _grace(bundle: Bundle, facts: Facts) -> Found:
    del facts
    for scaler, document in _workloads(bundle):
        path = ("spec", "template", "spec", "terminationGracePeriodSeconds")
        written = whole_number(at(document.data, path))
        grace = KUBERNETES_GRACE if written is None else written
        drain = str(scaler.annotations.get(DRAIN_ANNOTATION, ""))
        if drain.isdecimal() and grace < int(drain) + DRAIN_MARGIN:
            least = int(drain) + DRAIN_MARGIN
            yield (
                document,
                Flaw(
                    path,
                    f"terminationGracePeriodSeconds is {grace} and the agent drains for {drain} s: scaling"
                    " down kills it"
                    " before it has handed back its work",
                    f"set it to {least} or more",
                    related=((scaler.document, ("metadata", "annotations", DRAIN_ANNOTATION)),),
                ),
            )
        elif not drain.isdecimal() and written is None:
            yield (
                document,
                Flaw(
                    path,
                    f"terminationGracePeriodSeconds is not set: {KUBERNETES_GRACE} s after a scale-down the"
                    " pod is killed,"
                    " whatever it works on",
                    f"set it to the agent's drain timeout and {DRAIN_MARGIN} s",
                    Severity.WARNING,
                ),
            )


def _two(bundle: Bundle, facts: Facts) -> Found:
    del facts
    hpas = _autoscaled(bundle.others)
    seen: dict[tuple[str, str, str], Scaler] = {}
    for scaler in bundle.scalers:
        if not scaler.whole or not scaler.target_name:
            continue
        key = (scaler.namespace, scaler.target_kind, scaler.target_name)
        if key in seen:
            yield (scaler.document, _second(scaler, seen[key].name, seen[key].document))
        seen.setdefault(key, scaler)
        for document in hpas.get(key[1:], ()):
            name = str(at(document.data, ("metadata", "name")))
            if _near(document, scaler) and name != f"keda-hpa-{scaler.name}":  # that one is KEDA's own
                yield (scaler.document, _second(scaler, name, document))


def _autoscaled(documents: Iterable[Document]) -> dict[tuple[str, str], list[Document]]:
    """Return plain HPAs by the kind and name of what they scale."""
    found: dict[tuple[str, str], list[Document]] = {}
    for document in documents:
        if mapping(document.data).get("kind") == "HorizontalPodAutoscaler":
            target = mapping(at(document.data, ("spec", "scaleTargetRef")))
            key = str(target.get("kind", "")), str(target.get("name", ""))
            found.setdefault(key, []).append(document)
    return found


def _second(scaler: Scaler, other: str, document: Document) -> Flaw:
    return Flaw(
        ("spec", "scaleTargetRef"),
        f"`{scaler.target_name}` is scaled by `{other}` already: two autoscalers undo each other's decisions",
        "keep one; put both signals in it as triggers",
        related=((document, ("spec", "scaleTargetRef")),),
    )


RULES = (
    BundleRule(
        page(
            "K015",
            "replicas-owned-twice",
            Severity.ERROR,
            "A scaled workload sets `.spec.replicas`.",
            """The field then has two owners. Every apply, and every sync of a GitOps controller, takes the
            fleet back to the number in the file, in the middle of a burst.""",
            bad=beside(CLAIM, edited(_WORKLOAD, ("spec:\n", "spec:\n  replicas: 1\n"))),
            good=beside(CLAIM, _WORKLOAD),
            remedy="Drop `.spec.replicas` from the manifest.",
        ),
        _owned,
    ),
    BundleRule(
        page(
            "K016",
            "shard-scaled",
            Severity.ERROR,
            "A shard fleet has a ScaledObject.",
            """Each replica of a shard fleet owns a fixed share and is its only writer. Another number of
            replicas is another partition: work is skipped, or done twice.""",
            bad=beside(CLAIM, _SHARDS.replace("MODE", "shard")),
            good=beside(CLAIM, _SHARDS.replace("MODE", "claim")),
            remedy="Scale shards by hand, together with the number of shards.",
        ),
        _shard,
    ),
    BundleRule(
        page(
            "K017",
            "grace-too-short",
            Severity.ERROR,
            "Pods are killed before they have drained.",
            """Scaling down ends pods. An agent that gets SIGTERM finishes or hands back what it works on;
            when the grace period ends first, the work is lost until its lease expires.""",
            bad=beside(_DRAINING, edited(_WORKLOAD, ("Seconds: 90", "Seconds: 60"))),
            good=beside(_DRAINING, _WORKLOAD),
            remedy="Set terminationGracePeriodSeconds to the drain timeout and ten seconds.",
        ),
        _grace,
    ),
    BundleRule(
        page(
            "K022",
            "two-autoscalers",
            Severity.ERROR,
            "A workload has two autoscalers.",
            "Each sets the replicas to what its own signal asks for; the fleet flaps between the two.",
            bad=beside(
                CLAIM,
                edited(
                    REACTIVE,
                    (
                        "kind: Deployment\n    name: alert-reactors",
                        "kind: Deployment\n    name: inbox-workers",
                    ),
                ),
            ),
            good=beside(CLAIM, REACTIVE),
            remedy="Keep one ScaledObject with several triggers.",
        ),
        _two,
    ),
)
