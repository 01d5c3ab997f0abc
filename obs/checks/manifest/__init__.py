"""Rules about the capabilities manifest: what a consumer may conclude from it before it scrapes."""

from __future__ import annotations

from obs.checks.manifest import invalid_manifest, newer_schema, unknown_schema
from obs.model.check import CheckDoc

CHECKS: tuple[CheckDoc, ...] = (unknown_schema.DOC, newer_schema.DOC, invalid_manifest.DOC)
"""The documentation of each rule, by code."""
