"""Rules about what happens when the signal cannot be read."""

from __future__ import annotations

from collections.abc import Iterator

from obs.checks.scaling.examples import CLAIM, EXTERNAL, edited, without
from obs.checks.scaling.rule import COORDINATION, Facts, Flaw, Rule, page
from obs.checks.scaling.view import Scaler
from obs.model.finding import Severity

_FALLBACK = """\
  fallback:
    failureThreshold: 3
    replicas: 2
    behavior: currentReplicasIfHigher"""

KEEPS_REPLICAS = "currentReplicasIfHigher"


def _external(scaler: Scaler, facts: Facts) -> Iterator[Flaw]:
    del facts
    if scaler.fallback and any(trigger.external for trigger in scaler.triggers):
        yield Flaw(
            scaler.fallback.path,
            "`fallback` beside an external trigger: while the external scaler cannot be reached KEDA counts no failure,"
            " so the fallback never starts",
            "drop it, run two replicas of the scaler, and alert on a fleet stranded at zero",
        )


def _replicas(scaler: Scaler, facts: Facts) -> Iterator[Flaw]:
    del facts
    fallback = scaler.fallback
    if fallback is None or fallback.replicas is None:
        return
    where = (*fallback.path, "replicas")
    if fallback.replicas < 1:
        yield Flaw(
            where,
            f"`fallback.replicas` is {fallback.replicas}: an unreadable signal then ends in KEDA's step to zero",
            "set it to 1 or more",
        )
    elif scaler.maximum is not None and fallback.replicas > scaler.maximum:
        yield Flaw(
            where,
            f"`fallback.replicas` {fallback.replicas} is above `maxReplicaCount` {scaler.maximum}",
            f"set it to {scaler.maximum} or less",
        )


def _empty(scaler: Scaler, facts: Facts) -> Iterator[Flaw]:
    if facts.keda is not None and facts.keda < (2, 8):
        return
    for trigger in scaler.prometheus:
        series = trigger.shape.series if trigger.shape else ()
        if not series or trigger.text("ignoreNullValues", "true") == "false":
            continue
        off_pod = any(name.startswith(COORDINATION) for name in series)
        yield Flaw(
            trigger.at("ignoreNullValues"),
            '`ignoreNullValues` is not "false": a lost scrape is an empty result, read as 0, and the fleet shrinks',
            'set `ignoreNullValues: "false"`',
            None if off_pod or scaler.minimum == 0 else Severity.WARNING,
        )


def _none(scaler: Scaler, facts: Facts) -> Iterator[Flaw]:
    del facts
    if (
        scaler.fallback is None
        and scaler.prometheus
        and not any(trigger.external for trigger in scaler.triggers)
    ):
        yield Flaw(
            (*scaler.spec, "fallback"),
            "there is no `fallback`: while Prometheus cannot be asked, the fleet stays as it is, also at 0",
            f"add `fallback: {{failureThreshold: 3, replicas: 2, behavior: {KEEPS_REPLICAS}}}`",
        )


def _shrinks(scaler: Scaler, facts: Facts) -> Iterator[Flaw]:
    known = facts.keda is None or facts.keda >= (2, 17)
    if known and scaler.fallback and scaler.fallback.behavior != KEEPS_REPLICAS:
        yield Flaw(
            (*scaler.fallback.path, "behavior"),
            f"`fallback.behavior` is {scaler.fallback.behavior}: a busy fleet can be shrunk, or an idle one"
            " kept asleep,"
            " on a signal that nobody can read",
            f"set `behavior: {KEEPS_REPLICAS}`",
        )


RULES = (
    Rule(
        page(
            "K006",
            "fallback-never-starts",
            Severity.WARNING,
            "`fallback` is set beside an external trigger.",
            """KEDA asks an external scaler for its metrics before it reads them. When that first call fails,
            the loop that counts failures does not run, and the fallback that the manifest promises never
            starts.""",
            bad=edited(EXTERNAL, ("  maxReplicaCount: 50\n", f"  maxReplicaCount: 50\n{_FALLBACK}\n")),
            good=EXTERNAL,
            remedy="Drop the fallback; make the scaler itself highly available, and alert.",
        ),
        _external,
    ),
    Rule(
        page(
            "K007",
            "fallback-replicas",
            Severity.ERROR,
            "`fallback.replicas` is 0 or above the maximum.",
            """With 0 the fallback is skipped and the branch that scales to zero runs, on nothing but an
            error. Above the maximum it promises what the HPA will not give.""",
            bad=edited(CLAIM, ("    replicas: 2", "    replicas: 0")),
            good=CLAIM,
            remedy="Set it between 1 and maxReplicaCount.",
        ),
        _replicas,
    ),
    Rule(
        page(
            "K019",
            "empty-is-zero",
            Severity.ERROR,
            "An empty query result is read as 0.",
            """By default KEDA takes an empty vector for the value 0. A target that is not scraped for a few
            minutes then looks like an empty queue, and the fleet is removed in the middle of its work.""",
            bad=edited(CLAIM, ('ignoreNullValues: "false"', 'ignoreNullValues: "true"')),
            good=CLAIM,
            remedy='Set ignoreNullValues to "false", together with a fallback.',
        ),
        _empty,
        fragments=True,
    ),
    Rule(
        page(
            "K020",
            "no-fallback",
            Severity.WARNING,
            "Nothing says what to do while the signal cannot be read.",
            """Without a fallback KEDA and the HPA keep the number of replicas they have. That is safe above
            zero, but a fleet that sleeps when the outage begins does not wake before it ends.""",
            bad=without(CLAIM, _FALLBACK),
            good=CLAIM,
            remedy="Add a fallback that never shrinks the fleet.",
        ),
        _none,
    ),
    Rule(
        page(
            "K034",
            "fallback-shrinks",
            Severity.WARNING,
            "The fallback can take replicas away from a busy fleet.",
            """The default behaviour of a fallback is static: a fleet of 40 goes to the 2 that the fallback
            names as soon as Prometheus is away for a minute.""",
            bad=without(CLAIM, "    behavior: currentReplicasIfHigher"),
            good=CLAIM,
            remedy="Use currentReplicasIfHigher (KEDA 2.17 and newer).",
        ),
        _shrinks,
    ),
)
