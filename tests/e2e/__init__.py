"""End to end: a synthetic fleet, a real Prometheus, a real Alertmanager, and somebody who is told."""
