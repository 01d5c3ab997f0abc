"""Prometheus text and OpenMetrics bodies to series with positions, and back."""
