"""Rules about ScaledObjects and the documents beside them: who else owns the replicas."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from obs.checks.scaling.examples import CLAIM, REACTIVE, beside, edited
from obs.checks.scaling.rule import Bundle, BundleRule, Facts, Flaw, page
from obs.checks.scaling.view import Scaler, at, mapping
from obs.documents.load import Document
from obs.model.finding import Severity

PROFILE_ANNOTATION = "obs.dev/profile"
WORKLOAD = """\
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


def workloads(bundle: Bundle) -> Iterator[tuple[Scaler, Document]]:
    """Yield each ScaledObject with the documents of its workload."""
    named = _named(bundle.others)
    for scaler in bundle.scalers:
        for document in named.get((scaler.target_kind, scaler.target_name), ()):
            if scaler.whole and _near(document, scaler):
                yield scaler, document


def _owned(bundle: Bundle, facts: Facts) -> Found:
    del facts
    for scaler, document in workloads(bundle):
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
            bad=beside(CLAIM, edited(WORKLOAD, ("spec:\n", "spec:\n  replicas: 1\n"))),
            good=beside(CLAIM, WORKLOAD),
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
