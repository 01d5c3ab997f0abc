"""Conventions of the Prometheus world, for metrics outside the registry; the registry beats style."""
