"""Rules about a fleet as a Prometheus server knows it."""

from __future__ import annotations

from obs.checks.audit import not_observed
from obs.model.check import CheckDoc

CHECKS: tuple[CheckDoc, ...] = (not_observed.DOC,)
"""The documentation of each rule, by code."""
