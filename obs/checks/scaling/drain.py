"""The rule about pods that are killed before they have handed back their work."""

from __future__ import annotations

from obs.checks.scaling.across import WORKLOAD, Found, workloads
from obs.checks.scaling.examples import CLAIM, beside, edited
from obs.checks.scaling.rule import Bundle, BundleRule, Facts, Flaw, page
from obs.checks.scaling.view import at, whole_number
from obs.model.finding import Severity

DRAIN_ANNOTATION = "obs.dev/drain-seconds"
"""How long a pod of the fleet needs to finish or hand back its work; obs writes it, anyone may."""

DRAIN_MARGIN = 10
KUBERNETES_GRACE = 30
"""terminationGracePeriodSeconds where a pod names none."""

_DRAINING = edited(
    CLAIM, ("  namespace: agents\n", f'  namespace: agents\n  annotations: {{{DRAIN_ANNOTATION}: "60"}}\n')
)


def _grace(bundle: Bundle, facts: Facts) -> Found:
    del facts
    for scaler, document in workloads(bundle):
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


RULES = (
    BundleRule(
        page(
            "K017",
            "grace-too-short",
            Severity.ERROR,
            "Pods are killed before they have drained.",
            """Scaling down ends pods. An agent that gets SIGTERM finishes or hands back what it works on;
            when the grace period ends first, the work is lost until its lease expires.""",
            bad=beside(_DRAINING, edited(WORKLOAD, ("Seconds: 90", "Seconds: 60"))),
            good=beside(_DRAINING, WORKLOAD),
            remedy="Set terminationGracePeriodSeconds to the drain timeout and ten seconds.",
        ),
        _grace,
    ),
)
