"""Rules about a trigger's metadata: strings, what must be there, and what must not."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from obs.checks.scaling.examples import CLAIM, EXTERNAL, edited, without
from obs.checks.scaling.rule import Facts, Flaw, Rule, page
from obs.checks.scaling.view import PROMETHEUS, Scaler, Trigger
from obs.model.finding import Severity

LEAST_THRESHOLD = 0.001
"""KEDA turns a threshold into a quantity of thousandths; less is 0, and the HPA refuses that."""

_NUMBERS = ("threshold", "activationThreshold")
_REQUIRED = {
    PROMETHEUS: ("serverAddress", "query", "threshold"),
    "external": ("scalerAddress",),
    "external-push": ("scalerAddress",),
}
_SECRET_KEY = re.compile(
    r"(?i)(password|passwd|secret|apikey|api_key|bearertoken|\btoken|privatekey|clientkey)"
)
_SECRET_VALUE = re.compile(
    r"(?i)(authorization\s*[=:]|bearer\s+\S|://[^/@\s]*@|[?&](token|api_?key|password|secret)=)"
)


def _strings(scaler: Scaler, facts: Facts) -> Iterator[Flaw]:
    del facts
    for trigger in scaler.triggers:
        for key, value in trigger.metadata.items():
            if not isinstance(value, str):
                shown = trigger.text(key)
                yield Flaw(
                    trigger.at(key),
                    f"`{key}: {shown}` is not text: the API server refuses metadata that is not a string",
                    f'write `{key}: "{shown}"`',
                )
        yield from _numbers(trigger)


def _numbers(trigger: Trigger) -> Iterator[Flaw]:
    for key in _NUMBERS:
        if key not in trigger.metadata:
            continue
        number = trigger.number(key)
        if number is None or not math.isfinite(number):
            yield Flaw(
                trigger.at(key), f"`{key}` is `{trigger.text(key)}`, not a number", 'write one, such as "4"'
            )
        elif key == "threshold" and number < LEAST_THRESHOLD:
            yield Flaw(
                trigger.at(key),
                f"`threshold` is {number:g}: KEDA keeps three decimals, and the HPA refuses a target of 0",
                f'use "{LEAST_THRESHOLD}" or more',
            )
        elif number < 0:
            yield Flaw(trigger.at(key), f"`{key}` is {number:g}, below 0", 'use "0"')


def _missing(scaler: Scaler, facts: Facts) -> Iterator[Flaw]:
    del facts
    for trigger in scaler.triggers:
        for key in _REQUIRED.get(trigger.kind, ()):
            if not trigger.metadata.get(key):
                yield Flaw(
                    trigger.at(key), f"a {trigger.kind} trigger needs `{key}`", "add it to the metadata"
                )
        if trigger.external and "://" in trigger.text("scalerAddress"):
            yield Flaw(
                trigger.at("scalerAddress"),
                f"`{trigger.text('scalerAddress')}` is a URL; gRPC wants host:port",
                "write it without the scheme",
            )


def _secrets(scaler: Scaler, facts: Facts) -> Iterator[Flaw]:
    del facts
    for trigger in scaler.triggers:
        for key in trigger.metadata:
            if key.endswith("FromEnv") or key == "query":
                continue
            named = _SECRET_KEY.search(key)
            if named or _SECRET_VALUE.search(trigger.text(key)):
                yield Flaw(
                    trigger.at(key),
                    f"`{key}` holds a credential: whoever may read the ScaledObject, or runs an external"
                    " scaler, sees it",
                    "put it in a Secret and name a TriggerAuthentication in authenticationRef",
                )


def _unsafe(scaler: Scaler, facts: Facts) -> Iterator[Flaw]:
    del facts
    for trigger in scaler.triggers:
        if trigger.text("unsafeSsl") == "true":
            yield Flaw(
                trigger.at("unsafeSsl"),
                "`unsafeSsl` is on: anybody on the way can answer for the source, and decide how many pods run",
                "give KEDA the CA through a TriggerAuthentication",
            )


def _authentication(scaler: Scaler, facts: Facts) -> Iterator[Flaw]:
    del facts
    for trigger in scaler.triggers:
        if trigger.text("authModes") and not trigger.authentication:
            yield Flaw(
                trigger.at("authModes"),
                f"`authModes: {trigger.text('authModes')}` without an authenticationRef: there is nothing"
                " to log in with",
                "name a TriggerAuthentication in authenticationRef",
            )


RULES = (
    Rule(
        page(
            "K013",
            "metadata-not-text",
            Severity.ERROR,
            "A metadata value is not a string, or not a usable number in one.",
            """The metadata of a trigger is a map of strings: an unquoted 5 or false is refused by the API
            server. A threshold below a thousandth becomes 0, which the HPA refuses.""",
            bad=edited(
                CLAIM,
                ('threshold: "4"', "threshold: 4"),
                ('ignoreNullValues: "false"', "ignoreNullValues: false"),
            ),
            good=CLAIM,
            remedy="Quote every value.",
        ),
        _strings,
        fragments=True,
    ),
    Rule(
        page(
            "K043",
            "metadata-missing",
            Severity.ERROR,
            "A trigger lacks what KEDA needs to read it.",
            "KEDA reports the ScaledObject as not ready and scales nothing.",
            bad=without(CLAIM, '        threshold: "4"'),
            good=CLAIM,
            remedy="Add the entry.",
        ),
        _missing,
    ),
    Rule(
        page(
            "K026",
            "secret-in-metadata",
            Severity.ERROR,
            "A credential stands in the trigger's metadata.",
            """A ScaledObject is no Secret: many may read it, it stands in the repository, and the whole
            metadata is sent to an external scaler.""",
            bad=edited(CLAIM, ("http://prometheus.", "http://keda:hunter2@prometheus.")),
            good=CLAIM,
            remedy="Use a TriggerAuthentication.",
        ),
        _secrets,
        fragments=True,
    ),
    Rule(
        page(
            "K027",
            "certificate-unchecked",
            Severity.ERROR,
            "The certificate of the source is not checked.",
            "Whoever can answer in place of the source decides how many pods run, and what they cost.",
            bad=edited(EXTERNAL, ("        signal:", '        unsafeSsl: "true"\n        signal:')),
            good=EXTERNAL,
            remedy="Give KEDA the CA.",
        ),
        _unsafe,
        fragments=True,
    ),
    Rule(
        page(
            "K044",
            "authentication-missing",
            Severity.ERROR,
            "authModes is set and no authentication is named.",
            "KEDA cannot build the trigger: the ScaledObject is not ready and nothing scales.",
            bad=edited(
                CLAIM, ('        threshold: "4"', '        authModes: bearer\n        threshold: "4"')
            ),
            good=CLAIM,
            remedy="Name a TriggerAuthentication in authenticationRef.",
        ),
        _authentication,
        fragments=True,
    ),
)
