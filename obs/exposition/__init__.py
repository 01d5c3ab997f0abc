"""Prometheus text and OpenMetrics bodies to series with positions, and back."""

from obs.exposition.diagnosis import Diagnosis, DiagnosisKind
from obs.exposition.reader import parse, parse_chunks
from obs.exposition.render import SampleFamily, render
from obs.exposition.scrape import Block, Exemplar, Family, Format, Limits, MetricType, Scrape, Series

__all__ = [
    "Block",
    "Diagnosis",
    "DiagnosisKind",
    "Exemplar",
    "Family",
    "Format",
    "Limits",
    "MetricType",
    "SampleFamily",
    "Scrape",
    "Series",
    "parse",
    "parse_chunks",
    "render",
]
