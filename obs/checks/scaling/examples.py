"""Good ScaledObjects that the pages of the rules show, and a way to break one in a single place."""

from __future__ import annotations

CLAIM = """\
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata:
  name: inbox-workers
  namespace: agents
spec:
  scaleTargetRef:
    apiVersion: apps/v1
    kind: Deployment
    name: inbox-workers
  pollingInterval: 15
  cooldownPeriod: 300
  initialCooldownPeriod: 300
  minReplicaCount: 0
  maxReplicaCount: 50
  fallback:
    failureThreshold: 3
    replicas: 2
    behavior: currentReplicasIfHigher
  advanced:
    horizontalPodAutoscalerConfig:
      behavior:
        scaleUp:
          stabilizationWindowSeconds: 0
          policies:
            - {type: Percent, value: 100, periodSeconds: 30}
        scaleDown:
          stabilizationWindowSeconds: 600
          policies:
            - {type: Percent, value: 25, periodSeconds: 60}
  triggers:
    - type: prometheus
      name: backlog
      metricType: AverageValue
      metadata:
        serverAddress: http://prometheus.monitoring.svc:9090
        query: |
          max(agentctl_coordination_pending{service="inbox-coord"})
          + max(agentctl_coordination_claimed{service="inbox-coord"})
        threshold: "4"
        activationThreshold: "0"
        ignoreNullValues: "false"
"""
"""A fleet that claims items of a shared backlog and sleeps at zero."""

REACTIVE = """\
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata:
  name: alert-reactors
  namespace: agents
spec:
  scaleTargetRef:
    apiVersion: apps/v1
    kind: Deployment
    name: alert-reactors
  minReplicaCount: 2
  maxReplicaCount: 30
  fallback:
    failureThreshold: 3
    replicas: 2
    behavior: currentReplicasIfHigher
  advanced:
    horizontalPodAutoscalerConfig:
      behavior:
        scaleUp:
          stabilizationWindowSeconds: 0
          policies:
            - {type: Percent, value: 100, periodSeconds: 30}
        scaleDown:
          stabilizationWindowSeconds: 600
          policies:
            - {type: Percent, value: 20, periodSeconds: 60}
  triggers:
    - type: prometheus
      name: pending
      metricType: AverageValue
      metadata:
        serverAddress: http://prometheus.monitoring.svc:9090
        query: |
          sum(agent_pending_events{fleet="alert-reactors"})
          + sum(agent_inflight_reactions{fleet="alert-reactors"})
        threshold: "5"
        ignoreNullValues: "false"
    - type: prometheus
      name: saturation
      metricType: AverageValue
      metadata:
        serverAddress: http://prometheus.monitoring.svc:9090
        query: sum(agent_saturation{fleet="alert-reactors"})
        threshold: "0.7"
        ignoreNullValues: "false"
"""
"""A fleet whose pods count their own work; it never sleeps."""

EXTERNAL = """\
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata:
  name: inbox-workers
  namespace: agents
spec:
  scaleTargetRef:
    apiVersion: apps/v1
    kind: Deployment
    name: inbox-workers
  pollingInterval: 15
  cooldownPeriod: 300
  initialCooldownPeriod: 300
  minReplicaCount: 0
  maxReplicaCount: 50
  advanced:
    horizontalPodAutoscalerConfig:
      behavior:
        scaleUp:
          stabilizationWindowSeconds: 0
          policies:
            - {type: Percent, value: 100, periodSeconds: 30}
        scaleDown:
          stabilizationWindowSeconds: 600
          policies:
            - {type: Percent, value: 25, periodSeconds: 60}
  triggers:
    - type: external-push
      name: backlog
      metricType: AverageValue
      metadata:
        scalerAddress: scaler-headless.agents.svc:9100
        coordinationUrl: http://inbox-coord.agents.svc/
        signal: pending+claimed
        threshold: "4"
        activationThreshold: "0"
"""
"""A claim fleet that an external scaler wakes."""


def edited(text: str, *changes: tuple[str, str]) -> str:
    """Return `text` with the first occurrence of each old part replaced; an old part that is not there is a bug."""
    for old, new in changes:
        if old not in text:
            raise AssertionError(f"the example has no {old!r}")
        text = text.replace(old, new, 1)
    return text


def without(text: str, *parts: str) -> str:
    """Return `text` without the first line, or lines, that each part is."""
    return edited(text, *((f"{part}\n", "") for part in parts))


def beside(*texts: str) -> str:
    """Return several documents as one YAML stream."""
    return "---\n".join(texts)
