"""An Alertmanager configuration to start from: who is told of what, and what silences what."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from obs.emit.rules.settle import Alert
from obs.model.rule import Urgency

SHARED = ("cluster", "namespace", "fleet", "pod", "instance")
"""Labels by which the alert that silences and the one that is silenced are about the same thing."""

_RECEIVERS = {Urgency.CRITICAL: "page", Urgency.WARNING: "ticket", Urgency.INFO: "log"}
_REPEAT = {Urgency.CRITICAL: "1h", Urgency.WARNING: "12h", Urgency.INFO: "3d"}
_GROUP_WAIT = "1m"
"""Longer than an evaluation or two, so that an alert and the one that silences it are seen together."""

_PLACE = "https://alerts.example.com"


def alertmanager(alerts: tuple[Alert, ...]) -> dict[str, Any]:
    """Return the configuration (Alertmanager documentation, configuration)."""
    return {
        "route": {
            "receiver": "log",
            "group_by": ["alertname", "cluster", "namespace", "fleet"],
            "group_wait": _GROUP_WAIT,
            "group_interval": "5m",
            "repeat_interval": "12h",
            "routes": [
                {
                    "receiver": _RECEIVERS[urgency],
                    "matchers": [f'severity="{urgency}"'],
                    "repeat_interval": _REPEAT[urgency],
                }
                for urgency in Urgency
            ],
        },
        "inhibit_rules": list(_inhibitions(alerts)),
        "receivers": [
            {"name": name, "webhook_configs": [{"url": f"{_PLACE}/{name}", "send_resolved": True}]}
            for name in _RECEIVERS.values()
        ],
    }


def _inhibitions(alerts: tuple[Alert, ...]) -> Iterable[dict[str, Any]]:
    """Yield one rule for each silencing alert and set of labels that it shares with those it silences."""
    by_name = {alert.rule.name: alert for alert in alerts}
    silenced: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for alert in alerts:
        for name in alert.spec.inhibited_by:
            if name in by_name:
                labels = alert.labels & by_name[name].labels
                equal = tuple(label for label in SHARED if label in labels)
                silenced.setdefault((name, equal), []).append(alert.rule.name)
    for (name, equal), targets in sorted(silenced.items()):
        yield {
            "source_matchers": [f'alertname="{name}"'],
            "target_matchers": [f'alertname=~"{"|".join(sorted(targets))}"'],
            "equal": list(equal),
        }
